"""Makes a session of its log: opens it, and answers every request of it again, to nobody."""

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from mockserver.asgi.requests import (
    ANSWERED,
    MAX_BODY_BYTES,
    PROXIED,
    Message,
    Receive,
    Request,
    Scope,
    named_sessions,
)
from mockserver.http.placement import LoggedCall
from mockserver.http.session_names import refuse_conflicting_sessions
from mockserver.sessions.connection_journal import ConnectionJournal
from mockserver.sessions.scheduling import WORKER
from mockserver.shared.log import LogUnavailableError, Opening, Record
from mockserver.shared.sessions import HELD, NOW, REPEATED, HeldSessions

if TYPE_CHECKING:
    from datetime import datetime

    from mockserver.http.application import Application

_AT_ONCE = 50
"""Records after which other requests of this process have their turn."""


class answering:  # noqa: N801  (it is used as a function; a generator would cost more)
    """Answer a request within it.

    Args:
        held: The sessions that it may see.
        at: When it came; None for now.
        again: Whether it was answered before, and nobody who counts is to hear of it.
    """

    __slots__ = ("_again", "_at", "_held", "_tokens")

    def __init__(self, held: frozenset[str], at: "datetime | None", *, again: bool) -> None:
        self._held = held
        self._at = at
        self._again = again

    def __enter__(self) -> None:
        self._tokens = HELD.set(self._held), NOW.set(self._at), REPEATED.set(self._again)

    def __exit__(self, *_: object) -> None:
        held, at, again = self._tokens
        HELD.reset(held)
        NOW.reset(at)
        REPEATED.reset(again)


def scope_of(record: Record, control_token: str = "") -> Scope:
    """The ASGI scope of a record."""
    headers = list(record.headers)
    if record.trusted and control_token:
        headers.append((b"authorization", b"Bearer " + control_token.encode()))
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": record.method,
        "scheme": record.scheme,
        "path": unquote_to_bytes(record.path).decode("utf-8", "replace"),
        "raw_path": record.path,
        "query_string": record.query,
        "root_path": "",
        "headers": headers,
        "client": None,
        "server": None,
        "state": {},
    }
    if record.proxied:
        scope[PROXIED] = record.proxied
    return scope


def record_of(call: LoggedCall, at: "datetime") -> Record:
    """A call as a log holds it."""
    pairs = tuple(
        (name.encode("latin-1"), value if isinstance(value, bytes) else value.encode("latin-1"))
        for name, value in call.metadata
    )
    return Record(
        at, path=call.path.encode("latin-1"), headers=pairs, body=call.content, is_call=True,
        proxied=call.proxied, conflicts=call.caller is not None, caller=call.caller or "",
    )  # fmt: skip


def call_of(record: Record) -> LoggedCall:
    """The call of a record."""
    metadata = tuple(
        (name.decode("latin-1"), value if name.endswith(b"-bin") else value.decode("latin-1"))
        for name, value in record.headers
    )
    caller = record.caller if record.conflicts else None
    path = record.path.decode("latin-1")
    return LoggedCall(path, metadata, record.body, record.proxied, caller)


def receive_of(record: Record, later: Receive | None = None) -> Receive:
    """What gives the body of a record once, and then what comes later."""
    body = bytes(MAX_BODY_BYTES + 1) if record.oversize else record.body
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if first:
            return first.pop()
        return {"type": "http.disconnect"} if later is None else await later()

    return receive


async def _send_to_nobody(_message: Message) -> None:
    """The answer was sent when the request came."""


class Repeater:
    """Makes sessions of records.

    Args:
        application: What answers.
        sessions: Its sessions.
    """

    def __init__(self, application: "Application", sessions: HeldSessions) -> None:
        self._application = application
        self._sessions = sessions

    async def open(self, opening: Opening) -> None:
        """Open a session as it was opened.

        Raises:
            MockServerError: The files do not have what it was opened with.
        """
        spec = opening.spec
        with answering(frozenset(), opening.at, again=True):
            if not self._sessions.is_prepared(spec):
                await WORKER.run(lambda: self._sessions.prepare(spec))
            self._sessions.open(spec)

    async def repeat(self, session_id: str, record: Record, number: int) -> None:
        """Answer a request once more, in one session."""
        if not number % _AT_ONCE:
            await asyncio.sleep(0)
        with answering(frozenset({session_id}), record.at, again=True):
            if record.ends:
                session = self._sessions.find(session_id)
                if session is not None and not session.closed:
                    self._sessions.end(session)
            elif record.is_call:
                await self._repeat_call(record)
            elif record.connection is not None:
                ConnectionJournal(self._sessions).write(session_id, record.connection)
            elif record.conflicts:
                self._repeat_conflict(record)
            else:
                scope: dict[str, Any] = {
                    **scope_of(record, self._application.settings.token),
                    ANSWERED: lambda: False,
                }
                await self._application(scope, receive_of(record), _send_to_nobody)

    async def _repeat_call(self, record: Record) -> None:
        log = self._application.call_log
        if log is None or log.repeat is None:
            raise LogUnavailableError(
                "the log of a session holds gRPC calls, and this server answers none",
                hint="give all servers the same options",
            )
        await log.repeat(call_of(record))

    def _repeat_conflict(self, record: Record) -> None:
        request = Request(scope_of(record))
        refuse_conflicting_sessions(
            self._sessions,
            named_sessions(request),
            self._application.dispatcher.routes.known[request.host, request.verb, request.path],
            token=request.token,
            client=request.client,
            caller_id=record.caller,
        )
