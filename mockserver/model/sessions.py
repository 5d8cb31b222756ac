"""What is asked for when a session is opened, and what is answered."""

from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field

from mockserver.model.cassettes import MatchPart
from mockserver.model.faults import Fault, FaultReport
from mockserver.model.journal import Journal
from mockserver.model.values import Frozen, Json, JsonObject

Profile = Literal["lenient", "google", "strict"]
Auth = Literal["off", "token", "scopes", "permissions"]
Repeats = Literal["reads", "once", "last", "cycle"]
Barriers = Literal["warn", "strict", "off"]
SourceName = Literal["stub", "state", "cassette", "document", "synthesis"]
"""What a session may answer from; what `document` answers is called `synthesis` in journals."""
ToolAnswer = Literal["mocked", "strict", "nearest", "real", "refused"]
"""Who answers a tool that runs inside the agent: the session, the tool itself, nobody.

Recordings answer the same arguments: also a second time (`mocked`), once and in the recorded order
(`strict`), or with the nearest call of the tool where none is the same (`nearest`).
"""

MAKING_UP: frozenset[SourceName] = frozenset({"document", "synthesis"})
"""The sources behind which stands no data, only a document's examples and schemas."""
SESSION_ID = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$"
LEAST_SECRET = 32
"""Characters of a session's secret: 128 bits in hexadecimal digits."""


class ToolPerturbations(Frozen):
    """How the tools of a session differ from those of its snapshot; a robust agent copes.

    Attributes:
        rename: Whether tools have other names that say the same, or their new names by the old.
        reorder: Whether they are listed in another order.
        undescribed: Whether descriptions are left out, those of arguments too.
        distractors: How many tools are listed that no case needs; calling one is an error.
        result_limit: The characters after which a result is cut off, or None.
        prose_errors: Whether errors are told as sentences in the result.
    """

    rename: bool | dict[str, str] = False
    reorder: bool = False
    undescribed: bool = False
    distractors: int = Field(default=0, ge=0, le=12)
    result_limit: int | None = Field(default=None, ge=0)
    prose_errors: bool = False


class SessionSpec(Frozen):
    """The world that a session starts from.

    Attributes:
        id: The id to use; the server makes up one that nobody can guess when None.
        secret: What the session's token is made of, 32 hexadecimal digits or more; random when
            None. Only replays, whose answers are to repeat, give one.
        case: A case of the served suite; its default override is applied unless `overrides` is
            given.
        overrides: Names of override folders of the suite, or layers given inline as JSON objects.
            None: the case's own.
        base: False starts from an empty base snapshot.
        profile: How strictly requests are held to the documents.
        auth: What is asked of a request's credential: nothing (`off`), a token of the session
            (`token`), one with a scope of the method (`scopes`), or, beside that, an account that
            may call it (`permissions`). None: `scopes` under `strict` and where there are `scopes`,
            `off` otherwise.
        acting_as: The address of the account that the session's first token and refresh token
            stand for, and whoever asks without a token of it; the customer's administrator when
            None.
        scopes: What these tokens are good for, where they are not for every API; named as OAuth
            does, or by what follows `https://www.googleapis.com/auth/`.
        clock: `shift`, `real`, `frozen` (at the snapshot's `capturedAt`) or `frozen:<RFC 3339>`.
        seed: Where ids and randomness of the session come from.
        sources: Who may answer, in order. Two of them make answers up where all others have none:
            `document` of the OpenAPI documents of declared APIs, `synthesis` of these and of the
            schemas of Google's methods. Without both, such calls answer 501.
        cassettes: Names of cassettes that the server knows; a host that one of them has recordings
            of is answered from recordings alone.
        repeats: What a request gets whose recordings were all played: the latest again if it only
            reads, else a miss (`reads`), a miss (`once`), the latest again (`last`), or the first
            again (`cycle`).
        barriers: What a read gets that was recorded after a write that was not made: the recording
            with a warning (`warn`), or a miss (`strict`). `off` plays reads from either side of any
            write.
        match: The parts of a request that must be equal; as each cassette says where it is empty.
        exact: Whether recordings answer the same requests alone. Without it, one that differs from
            its recording only in times that moved on, or in ids, temporary paths, ports and the
            like that a program makes anew in each run, is answered as a near one.
        pace: How long the gaps between the pieces of a recorded stream last: 1 as recorded, 0 none.
        faults: Faults beside those of the snapshot.
        tools: How its tools differ from those of the snapshot, or None.
        agent_tools: Who answers the tools that run inside the agent: globs of names in order, the
            first that fits. A tool that none fits is mocked where the session knows it, and runs
            for real otherwise. None: the tools of the agent are left alone.
    """

    id: str | None = Field(default=None, pattern=SESSION_ID)
    secret: str | None = Field(
        default=None, min_length=LEAST_SECRET, max_length=128, pattern="^[0-9a-f]+$", repr=False
    )
    case: str | None = None
    overrides: tuple[str | JsonObject, ...] | None = None
    base: bool = True
    profile: Profile = "google"
    auth: Auth | None = None
    acting_as: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+$")
    scopes: tuple[str, ...] = ()
    clock: str = Field(default="shift", pattern=r"^(shift|real|frozen|frozen:.+)$")
    seed: int = 0
    sources: tuple[SourceName, ...] = ("stub", "state", "document")
    cassettes: tuple[str, ...] = ()
    repeats: Repeats = "reads"
    barriers: Barriers = "warn"
    match: tuple[MatchPart, ...] = ()
    exact: bool = False
    pace: float = Field(default=1.0, ge=0, le=1000)
    faults: tuple[Fault, ...] = ()
    tools: ToolPerturbations | None = None
    agent_tools: dict[str, ToolAnswer] | None = None

    def tool_answer(self, name: str) -> ToolAnswer | None:
        """Who answers a tool inside the agent; None where no glob fits its name."""
        rules = self.agent_tools or {}
        return next((rules[glob] for glob in rules if fnmatchcase(name, glob)), None)


class SessionInfo(Frozen):
    """An open session.

    Attributes:
        id: Its id.
        token: A bearer token that names it.
        base_url: `http://host:port/s/<id>`; an API is at `<base_url>/<api-host>/`.
        env: The environment block for the agent.
        case: The case it was opened on, or None.
        closed: Whether it was closed.
    """

    id: str
    token: str
    base_url: str
    env: dict[str, str]
    case: str | None = None
    closed: bool = False


class UnusedRecording(Frozen):
    """A recording of a session that nobody asked for.

    Attributes:
        tape: The name of its cassette.
        number: Its number there, from 1.
        method: The HTTP method.
        url: The whole URL.
        passed: Whether it can no longer be played: a write that came after it has been played.
    """

    tape: str
    number: int
    method: str
    url: str
    passed: bool = False


class Tampering(Frozen):
    """An attempt on the evidence of a trial, or on the session of another one; it was refused.

    Attributes:
        at: RFC 3339, in session time; in real time where no open session could be told.
        attempt: What was tried, such as `POST /_mock/sessions/<id>/reset`.
        reason: Why it was refused, one sentence.
        by: What the caller was recognised by: `token`, `proxy`, `header`, `baggage`, `form` or
            `path`; an empty string for an unknown caller.
        session: The caller's session, or an empty string.
        status: The HTTP status that refused it.
    """

    at: str
    attempt: str
    reason: str
    by: str = ""
    session: str = ""
    status: int


class SpanReport(Frozen):
    """Spans of OpenTelemetry that a session was sent.

    Attributes:
        spans: By the time at which they began, each as `mockserver.traces.Span.as_json` has it.
        received: How many are held, also those that are not listed here.
        repeated: How many came again, and count once.
        rejected: How many there was no room for.
    """

    spans: tuple[JsonObject, ...] = ()
    received: int = 0
    repeated: int = 0
    rejected: int = 0


class SessionReport(Frozen):
    """Everything a session knows at its end.

    Attributes:
        id: The session's id.
        journal: Its journal, bodies included.
        diff: What the agent changed: per collection `added`, `removed`, `changed` (key to resource,
            or to before and after). What was changed before a reset counts, too.
        written: The collections that the agent wrote to, also where nothing is left of it: a write
            that was undone is a write.
        faults: Every fault with how often it was met.
        state: The collections that were asked for, by name.
        unused: The recordings of its cassettes that nobody asked for.
        tampering: What its agent tried and may not do, the first hundred attempts.
        traced: The spans of agents, models and tools that it was sent.
        telemetry: How often an SDK told its maker how it is used, by host. These requests
            are answered, and are not in the journal.
        problem: What went wrong in the server meanwhile, so that the rest is no evidence against
            anybody: connections that it could not take, for example. Mostly empty.
    """

    id: str
    journal: Journal
    diff: dict[str, JsonObject] = {}
    written: tuple[str, ...] = ()
    faults: tuple[FaultReport, ...] = ()
    state: dict[str, Json] = {}
    unused: tuple[UnusedRecording, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    traced: SpanReport = SpanReport()
    telemetry: dict[str, int] = {}
    problem: str = ""
