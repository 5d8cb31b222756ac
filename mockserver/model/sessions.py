"""What is asked for when a session is opened, and what is answered."""

from typing import Literal

from pydantic import Field

from mockserver.model.faults import Fault, FaultReport
from mockserver.model.journal import Journal
from mockserver.model.values import Frozen, Json, JsonObject

Profile = Literal["lenient", "google", "strict"]
Auth = Literal["off", "token", "scopes"]
Repeats = Literal["once", "last", "cycle"]
SESSION_ID = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"


class SessionSpec(Frozen):
    """The world that a session starts from.

    Attributes:
        id: The id to use; the server makes one up when None.
        case: A case of the served suite; its default override is applied unless `overrides` is
            given.
        overrides: Names of override folders of the suite, or layers given inline as JSON objects.
            None: the case's own.
        base: False starts from an empty base snapshot.
        profile: How strictly requests are held to the documents.
        auth: What is asked of a request's credential: nothing (`off`), a token of the session
            (`token`), or one with a scope of the method (`scopes`). None: `scopes` under `strict`,
            `off` under the other profiles.
        clock: `shift`, `real`, `frozen` (at the snapshot's `capturedAt`) or `frozen:<RFC 3339>`.
        seed: Where ids and randomness of the session come from.
        sources: Who may answer, in order; `synthesis` makes answers of schemas where all others
            have none.
        cassettes: Names of cassettes that the server knows; a host that one of them has recordings
            of is answered from recordings alone.
        repeats: What a request gets whose recordings were all played: a miss (`once`), the latest
            again (`last`), or the first again (`cycle`).
        pace: How long the gaps between the pieces of a recorded stream last: 1 as recorded, 0 none.
        faults: Faults beside those of the snapshot.
    """

    id: str | None = Field(default=None, pattern=SESSION_ID)
    case: str | None = None
    overrides: tuple[str | JsonObject, ...] | None = None
    base: bool = True
    profile: Profile = "google"
    auth: Auth | None = None
    clock: str = Field(default="shift", pattern=r"^(shift|real|frozen|frozen:.+)$")
    seed: int = 0
    sources: tuple[Literal["stub", "state", "cassette", "synthesis"], ...] = ("stub", "state")
    cassettes: tuple[str, ...] = ()
    repeats: Repeats = "once"
    pace: float = Field(default=1.0, ge=0)
    faults: tuple[Fault, ...] = ()


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


class SessionReport(Frozen):
    """Everything a session knows at its end.

    Attributes:
        id: The session's id.
        journal: Its journal, bodies included.
        diff: What the agent changed: per collection `added`, `removed`, `changed` (key to resource,
            or to before and after).
        faults: Every fault with how often it was met.
        state: The collections that were asked for, by name.
        unused: The recordings of its cassettes that nobody asked for.
    """

    id: str
    journal: Journal
    diff: dict[str, JsonObject] = {}
    faults: tuple[FaultReport, ...] = ()
    state: dict[str, Json] = {}
    unused: tuple[UnusedRecording, ...] = ()
