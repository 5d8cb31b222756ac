"""The server's word for what happened in a session."""

from typing import Literal

from mockserver.model.values import Frozen, JsonObject

Source = Literal["stub", "state", "cassette", "synthesis", "fault", "control", "agent", "none"]
Blame = Literal["agent_error", "fixture_gap", "not_emulated", "infrastructure", "replay_miss"]


class Miss(Frozen):
    """Why a request found no answer.

    Attributes:
        blame: Whose fault it is: the agent's (invalid call), the fixture's (no such data), or ours
            (not emulated); `replay_miss` where no recording matches; `infrastructure` where a
            connection through the proxy failed.
        reason: One sentence.
        nearest: The nearest thing that would have been found (a path, an id), or an empty string.
        differs: The fields in which the nearest differs.
    """

    blame: Blame
    reason: str
    nearest: str = ""
    differs: tuple[str, ...] = ()

    @property
    def near(self) -> str:
        """What is nearest, as it follows a reason; empty where nothing is.

        >>> Miss(blame="replay_miss", reason="x", nearest="GET /a (#1)", differs=("query.n",)).near
        '; nearest: GET /a (#1), differs in query.n'
        """
        if not self.nearest:
            return ""
        differs = f", differs in {', '.join(self.differs)}" if self.differs else ""
        return f"; nearest: {self.nearest}{differs}"


class PlayedRecording(Frozen):
    """The recording that answered a request.

    Attributes:
        cassette: The cassette's name.
        number: The recording's number there, from 1.
        again: Whether it had been played before.
        by_kind: Whether it was found with pseudonyms left out.
        loosened: Whether it differs in what the session or the cassette does not compare.
        timeless: Whether it differs in times that the clock explains.
        varied: In what it differs that is new in each run of a program: `another id at character 44
            of message 0 (system)`; or an empty string.
        warning: Why it may not fit, or an empty string.
    """

    cassette: str
    number: int
    again: bool = False
    by_kind: bool = False
    loosened: bool = False
    timeless: bool = False
    varied: str = ""
    warning: str = ""


class JournalEntry(Frozen):
    """One request that a session was asked, and what answered.

    Attributes:
        seq: Its number in the session, from 1; gaps mean evicted entries.
        at: RFC 3339, in session time.
        session: The session's id.
        method_id: The Discovery id (`directory.orgunits.list`), `tools.<name>`, or an empty string
            for an unknown route.
        http_method: The verb as sent (after `X-HTTP-Method-Override`).
        path: The path as sent, without the session prefix; secrets replaced.
        host: The API host that it was addressed to.
        params: Path and query parameters, decoded, lowerCamel; secrets replaced.
        body: The request body as JSON, or None; secrets replaced.
        status: The HTTP status answered.
        source: Who answered; `agent` where a tool ran for real inside of it.
        duration_ms: Time inside the server, in milliseconds.
        client: The caller's `X-Goog-Api-Client` or `User-Agent`.
        response_ref: SHA-256 of the response body, hex; the body is in the journal's `bodies`.
        response_bytes: Size of the response body.
        parent: `seq` of the tool call on whose behalf this was asked, or of the batch that it was a
            part of, or None.
        miss: Set when nothing in the session could answer.
        recording: The recording that answered, or None.
        fault: Origin of the fault that answered, or an empty string.
        ignored: Parameters that were accepted and not used.
        after_close: True when the session had already been closed.
        tampering: Why the request was refused as an attempt on the evidence or on another session;
            an empty string for any other request.
        escapes: What a tool inside the agent wrote that nobody mocked and no case lets run: a file
            outside of the workspace, a connection, a program.
    """

    seq: int
    at: str
    session: str
    method_id: str
    http_method: str
    path: str
    host: str = ""
    params: JsonObject = {}
    body: JsonObject | None = None
    status: int
    source: Source
    duration_ms: float
    client: str = ""
    response_ref: str = ""
    response_bytes: int = 0
    parent: int | None = None
    miss: Miss | None = None
    recording: PlayedRecording | None = None
    fault: str = ""
    ignored: tuple[str, ...] = ()
    after_close: bool = False
    tampering: str = ""
    escapes: tuple[str, ...] = ()


class Journal(Frozen):
    """A session's journal as read from the server.

    Attributes:
        entries: In order of `seq`.
        bodies: Response bodies as text, by `response_ref` (binary ones as base64 with a `base64:`
            prefix).
        evicted: How many of the oldest entries were dropped to stay within the byte limit.
    """

    entries: tuple[JournalEntry, ...] = ()
    bodies: dict[str, str] = {}
    evicted: int = 0
