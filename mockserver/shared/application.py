"""The server whose sessions live in logs: any process answers any request of any session."""

import asyncio
import hmac
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError
from typing_extensions import override

from mockserver.asgi.requests import (
    ANSWERED,
    PROXIED,
    BodyTooLargeError,
    CallerGoneError,
    Message,
    Name,
    Receive,
    Request,
    Scope,
    Send,
    name_different_sessions,
    named_sessions,
    read_body,
)
from mockserver.asgi.waits import begin_request, deadline
from mockserver.errors import MockServerError, OverdueError
from mockserver.http.application import Application, HeadMeaning
from mockserver.http.control import PREFIX
from mockserver.http.control_access import HEALTH
from mockserver.http.control_responses import problem, shortage_problem
from mockserver.http.otlp import PATH as OTLP
from mockserver.http.otlp import ExportError, read_export
from mockserver.http.placement import LoggedCall
from mockserver.http.responses import send_response
from mockserver.http.session_names import identify_caller, sessions_in
from mockserver.model import Json, JsonObject, SessionSpec
from mockserver.sessions.connection_journal import (
    ConnectionJournal,
    ConnectionNote,
    refusal_of,
)
from mockserver.sessions.scheduling import LONG_BODY
from mockserver.sessions.session import DEFAULT_ID, Session, random_secret
from mockserver.sessions.shortage import is_shortage
from mockserver.settings import Settings
from mockserver.shared.log import (
    Appended,
    LogFullError,
    LoggedSession,
    LogUnavailableError,
    Opening,
    Record,
    SessionLog,
)
from mockserver.shared.repeat import Repeater, answering, receive_of, record_of, scope_of
from mockserver.shared.sessions import Copies, Copy, HeldSessions, logged_time
from mockserver.shared.shortages import Shortages
from mockserver.state import RealTime

DEFAULT_LOG_BYTES = 64 * 1024 * 1024
"""What the log of one session may hold."""

MOST_COPIES = 20_000
"""Sessions that one process holds made; others are made again when they are asked for."""

_SYNC_S = 0.5
"""How often a stream of events looks for what other processes answered."""

_CONTROL = PREFIX.encode()
_SESSIONS = f"{PREFIX}/sessions"
_SESSION = re.compile(r"/_mock/sessions/([^/]+)(?:/(.*))?")
_HEADS_KEPT = 4096
_LONGEST_KEPT = 2048
"""Bytes of a head that may be kept, so that what is kept stays small."""

_READS = frozenset({"GET", "HEAD"})
_NO_LIMIT = 2**62
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class _Intent(NamedTuple):
    """What a request means for the logs.

    Attributes:
        ids: The sessions that it is of.
        trusted: Whether it is one of the control API that bears the control token.
        is_refused: Whether it is one that does not.
        conflicts: Whether it names several sessions, and is refused for it.
    """

    ids: tuple[str, ...]
    trusted: bool = False
    is_refused: bool = False
    conflicts: bool = False


class _Known(NamedTuple):
    """What a head without a body means, which came before.

    Attributes:
        intent: What for the logs.
        record: What a log holds of it.
        asked: The request and what it asks, where it may be answered at once.
    """

    intent: _Intent
    record: Record
    asked: "_Asked | None"


_Asked = tuple[Request, HeadMeaning]


class _Buffer:
    """An answer that is held back."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def send(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"]) if self.messages else 0

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])

    def replace_body(self, content: Json) -> None:
        """Answer with another body, and the same head."""
        body = orjson.dumps(content)
        head = self.messages[0]
        kept = [pair for pair in head["headers"] if pair[0] != b"content-length"]
        head["headers"] = [*kept, (b"content-length", b"%d" % len(body))]
        self.messages[1:] = [{"type": "http.response.body", "body": body}]

    async def send_to(self, send: Send) -> None:
        """Send it now."""
        for message in self.messages:
            await send(message)


class SharedApplication:
    """An ASGI application over the logs of its sessions.

    A request waits until no other one of its session is under way here, is written into the log,
    and is answered then. Where another process wrote first, this one first answers again what that
    one answered.

    Attributes:
        application: What answers.
        log: Where the logs are.
        repeat: Answers a logged call again, to nobody; set by the transport that brings them.

    Args:
        settings: What the server is started with.
        log: Where the logs are; it is started.
        real: Real time.
        is_own: Whether a session of an id is led to this process: those that it makes up are.
        shortages: What all processes of a server know of times without descriptors.
        log_bytes: What the log of one session may hold.
        most_copies: How many sessions are held made.
        secret: Makes up what nobody can guess.

    Raises:
        MockServerError: The suite cannot be served.
    """

    def __init__(
        self,
        settings: Settings,
        log: SessionLog,
        *,
        real: RealTime,
        is_own: Callable[[str], bool] = lambda _: True,
        shortages: Shortages | None = None,
        log_bytes: int = DEFAULT_LOG_BYTES,
        most_copies: int = MOST_COPIES,
        secret: Callable[[], str] = random_secret,
    ) -> None:
        self.log = log
        self._settings = settings
        self._real = real
        self._is_own = is_own
        self._log_bytes = log_bytes
        self._secret = secret
        self._made_up = 0
        self.application = Application(
            replace(settings, default=None, max_sessions=_NO_LIMIT),
            real=logged_time(real),
            sessions=HeldSessions,
            secret=secret,
        )
        sessions = self.application.sessions
        if not isinstance(sessions, HeldSessions):
            raise TypeError(sessions)
        self._sessions: HeldSessions = sessions
        if shortages is not None:
            sessions.shortages = shortages
        sessions.look = self._look
        self._copies = Copies(most_copies, sessions.forget)
        self._repeater = Repeater(self.application, sessions)
        self._token = settings.token.encode()
        self._known: OrderedDict[tuple[Any, ...], _Known] = OrderedDict()
        self.application.connections = LoggedConnections(self)
        self.repeat: Callable[[LoggedCall], Awaitable[None]] | None = None
        self.application.call_log = self

    def _look(self) -> None:
        """Look for problems of this process, and of others, before a report is made."""
        self.application.descriptors.look()
        self._sessions.note_shortages()

    async def start(self) -> None:
        """Open the default session, unless another process did.

        Raises:
            MockServerError: The log cannot be used, or the session cannot be opened.
        """
        default = self._settings.default
        if default is not None:
            secret = default.secret or self._secret()
            spec = default.model_copy(update={"id": DEFAULT_ID, "secret": secret})
            opening = Opening(self._real(), spec)
            await self._repeater.open(opening)  # a mistake in it is told now
            self._sessions.forget(DEFAULT_ID)
            await self.log.create(LoggedSession(DEFAULT_ID, spec.case), opening.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        begin_request()
        try:
            path: bytes = scope["raw_path"]
            # most requests of a client have a head that came before: it is not read again
            head = (scope["method"], scope.get("scheme"), path, scope["query_string"],
                    scope.get(PROXIED), *scope["headers"])  # fmt: skip
            known = self._known.get(head)
            if known is not None:
                record = known.record
                receive = receive_of(record, receive)
                await self._answer_logged(known.intent, record, scope, receive, send, known.asked)
                return
            request = Request(scope)
            if path.startswith(_CONTROL) and path[len(_CONTROL) : len(_CONTROL) + 1] in b"/":
                await self._answer_control(request, scope, receive, send)
            else:
                await self._answer_emulated(request, head, scope, receive, send)
        except LogFullError as error:
            await _refuse(507, error, scope, receive, send)
        except (LogUnavailableError, OverdueError) as error:
            await _refuse(503, error, scope, receive, send)
        except CallerGoneError:
            return
        except OSError as error:
            if not is_shortage(error):
                raise
            self.application.descriptors.tell()
            await shortage_problem()(scope, receive, send)

    async def _answer_emulated(
        self,
        request: Request,
        head: tuple[Any, ...],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        record, receive = await self._record(request, scope, receive)
        form: Sequence[str] = ()
        if request.verb == "POST" and request.has_body and _may_hold_credentials(request):
            form = sessions_in(record.body)
        names = named_sessions(request, form)
        ids = tuple(dict.fromkeys(named for _, named in names if named))
        conflicts = len(names) > 1 and name_different_sessions(names)
        if not names and request.path.startswith(OTLP):
            ids = _sessions_of_spans(request, record.body)
        if not names and not ids:
            ids = (DEFAULT_ID,)
        intent = _Intent(ids, conflicts=conflicts)
        asked: _Asked | None = None
        if not conflicts and not record.oversize and len(record.body) < LONG_BODY:
            meaning = self.application.meaning_of(request)
            asked = None if meaning is None else (request, meaning)
        if not request.has_body:
            self._remember(head, _Known(intent, record, asked))
        await self._answer_logged(intent, record, scope, receive, send, asked)

    def _remember(self, head: tuple[Any, ...], known: _Known) -> None:
        """Keep what a head without a body means, unless it is long."""
        record = known.record
        size = len(record.path) + len(record.query)
        if size + sum(len(name) + len(value) for name, value in record.headers) > _LONGEST_KEPT:
            return
        if len(self._known) >= _HEADS_KEPT:
            self._known.popitem(last=False)
        self._known[head] = known

    async def _answer_control(
        self, request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        path: str = scope["path"]
        found = _SESSION.fullmatch(path)
        reads = request.sent_verb in _READS
        trusted = not self._token or hmac.compare_digest(
            request.token.encode("latin-1"), self._token
        )
        own = (found[1],) if found is not None else ()
        if not trusted:
            named = (name for _, name in named_sessions(request))
            own = tuple(dict.fromkeys((*own, *named)))
        if trusted and not own:
            await self._answer_server(path, request, scope, receive, send)
            return
        record, receive = await self._record(request, scope, receive, trusted=trusted)
        if reads and (trusted or await self._is_own_view(own, request)):
            await self._answer_view(own, scope, receive, send, path)
            return
        intent = _Intent(own, trusted=trusted, is_refused=not trusted)
        await self._answer_logged(intent, record, scope, receive, send)

    async def _is_own_view(self, ids: Sequence[str], request: Request) -> bool:
        """Whether a session's own token reads it; a refusal would be journalled."""
        if len(ids) != 1:
            return not ids
        turns = await self._take_turns(ids)
        try:
            with answering(turns.ids, None, again=True):
                session = self._sessions.find(ids[0])
                return session is not None and session.has_issued(request.token)
        finally:
            turns.release()

    async def _answer_server(
        self, path: str, request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer what is about no session, or about all."""
        if path == _SESSIONS and request.sent_verb == "POST":
            await self._open(request, scope, receive, send)
            return
        answer = _Buffer()
        with answering(frozenset(), None, again=False):
            if path not in {_SESSIONS, HEALTH, f"{PREFIX}/tampering"}:
                await self.application(scope, receive, send)
                return
            await self.application(scope, receive, answer.send)
        if answer.status == 200 and request.sent_verb == "GET":
            content: JsonObject = orjson.loads(answer.body)
            if path == _SESSIONS:
                listed = await self.log.sessions()
                content["sessions"] = [{"id": one.id, "case": one.case} for one in listed]
            elif path == HEALTH and "sessions" in content:
                content["sessions"] = await self.log.count()
            elif "attempts" in content:
                content["attempts"] = [orjson.loads(note) for note in await self.log.notes()]
            answer.replace_body(content)
        await answer.send_to(send)

    async def _open(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session: it is there once its log has begun."""
        record, receive = await self._record(request, scope, receive)
        limit = self._settings.max_sessions
        if await self.log.count() >= limit and len(await self.log.sessions()) >= limit:
            await problem(
                429,
                f"{limit} sessions are open",
                "close some with DELETE /_mock/sessions/<id>, or raise --max-sessions",
            )(scope, receive, send)
            return
        body = self._with_names(record.body)
        at, answer = self._real(), _Buffer()
        size = (b"content-length", b"%d" % len(body))
        headers = [pair for pair in scope["headers"] if pair[0] not in _LENGTHS]
        renamed = {**scope, "headers": [*headers, size]}
        given = record._replace(body=body)
        spec = _spec_of(body)
        open_here = partial(self.application, renamed, receive_of(given, receive), answer.send)
        if spec is None or spec.id is None:
            with answering(frozenset(), at, again=False):
                await open_here()
            await answer.send_to(send)
            return
        copy = self._copies.of(spec.id)
        turns = _Turns()
        await turns.enter(copy)
        try:
            is_there = copy.number > 0 or await self._catch_up(copy)
            if not is_there:
                with answering(frozenset(), at, again=False):
                    await open_here()
                self._copies.drop(copy)  # it is made where it is asked
            if answer.status == 201:
                opening = Opening(at, spec).encode()
                is_there = not await self.log.create(LoggedSession(spec.id, spec.case), opening)
        finally:
            turns.release()
        if is_there:
            taken = f"session {spec.id!r} is there already"
            await problem(409, taken, "choose another id, or leave it out")(scope, receive, send)
            return
        await answer.send_to(send)

    def _with_names(self, body: bytes) -> bytes:
        """What a session is opened with, its id and its secret made up where none is given."""
        try:
            given = orjson.loads(body or b"{}")
        except orjson.JSONDecodeError:
            return body
        if not isinstance(given, dict):
            return body
        if not given.get("id"):
            self._made_up += 1
            made_up = f"s{self._made_up}-{self._secret()}"
            while not self._is_own(made_up):
                made_up = f"s{self._made_up}-{self._secret()}"
            given["id"] = made_up
        if not given.get("secret"):
            given["secret"] = self._secret()
        return orjson.dumps(given)

    async def _answer_view(
        self, ids: Sequence[str], scope: Scope, receive: Receive, send: Send, path: str
    ) -> None:
        """Answer what only reads, of sessions as they are now."""
        await self._synchronize(ids)
        following = None
        if path.endswith("/journal/events"):
            following = asyncio.create_task(self._follow(ids))
        try:
            with answering(frozenset(ids), None, again=True):
                await self.application(scope, receive, send)
        finally:
            if following is not None:
                following.cancel()

    async def _follow(self, ids: Sequence[str]) -> None:
        while True:
            await asyncio.sleep(_SYNC_S)
            with suppress(MockServerError):
                await self._synchronize(ids)

    async def _synchronize(self, ids: Iterable[str]) -> None:
        """Make some sessions as they are now."""
        turns = await self._take_turns(ids)
        try:
            for copy in tuple(turns.copies):
                await self._catch_up(copy)
        finally:
            turns.release()

    async def _answer_logged(
        self,
        intent: _Intent,
        record: Record,
        scope: Scope,
        receive: Receive,
        send: Send,
        asked: _Asked | None = None,
    ) -> None:
        """Write a request into the logs of its sessions, and answer it.

        Args:
            intent: What it means for the logs.
            record: What they hold of it.
            scope: What its head says.
            receive: Gives its body.
            send: Takes the answer.
            asked: The request and what it asks, where it may be answered at once.
        """
        turns = await self._take_turns(intent.ids)
        try:
            record = record._replace(at=self._real())
            if intent.conflicts:
                record = self._as_conflict(record, turns)
            for copy in tuple(turns.copies):
                at = await self._append(copy, record)
                if at is None:
                    turns.leave(copy)
                elif at > record.at:
                    record = record._replace(at=at)
            if asked is not None:
                await self._answer_call(asked, turns, record, scope, receive, send)
                return
            is_end = record.method == "DELETE" and intent.trusted
            is_doubtful = intent.conflicts or intent.is_refused
            answer = _Buffer()
            known = len(self._sessions.strangers)
            wired = {**scope, ANSWERED: turns.release_once}
            with answering(turns.ids, record.at, again=False):
                await self.application(
                    wired, receive, answer.send if is_end or is_doubtful else send
                )
            if is_end:
                await self._end(turns)
            for attempt in self._sessions.strangers[known:] if is_doubtful else ():
                await self.log.note(orjson.dumps(attempt.model_dump()))
            await answer.send_to(send)
        finally:
            turns.release()

    async def _answer_call(
        self,
        asked: _Asked,
        turns: "_Turns",
        record: Record,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer a request to an emulated API, at once where its session can."""
        wired = {**scope, ANSWERED: turns.release_once}
        with answering(turns.ids, record.at, again=False):
            application, (request, meaning) = self.application, asked
            session = application.session_at_once(meaning.session_id)
            if session is None:
                await application(wired, receive, send)
                return
            answer = application.dispatcher.answer_request
            response = answer(session, meaning.route, request, record.body)
            await send_response(response, request, wired, receive, send)

    def _as_conflict(self, record: Record, turns: "_Turns") -> Record:
        with answering(turns.ids, record.at, again=True):
            request = Request(scope_of(record))
            caller, _ = identify_caller(self._sessions, named_sessions(request), request.token)
        return record._replace(conflicts=True, caller="" if caller is None else caller.id, body=b"")

    async def find(self, session_id: str) -> Session | None:
        """A session as it is now, closed or open; None where there is none.

        Raises:
            MockServerError: Its log cannot be read.
        """
        begin_request()
        await self._synchronize((session_id,))
        with answering(frozenset({session_id}), None, again=True):
            return self._sessions.find(session_id)

    async def note_connection(self, session_id: str, note: ConnectionNote) -> None:
        """Write a connection into the log of its session, and journal it.

        Raises:
            MockServerError: It cannot be logged.
        """
        begin_request()
        record = Record(self._real(), connection=note)
        turns = await self._take_turns((session_id,))
        try:
            at = None
            for copy in tuple(turns.copies):
                at = await self._append(copy, record)
            held = turns.ids if at is not None else frozenset()
            with answering(held, at, again=False):
                ConnectionJournal(self._sessions).write(session_id, note)
        finally:
            turns.release()

    @asynccontextmanager
    async def answering(
        self, call: LoggedCall, names: tuple[Name, ...], token: str
    ) -> AsyncIterator[LoggedCall]:
        """Write a call into the logs of its sessions, and answer it within.

        Args:
            call: The call.
            names: The sessions that it names, and how.
            token: The caller's token as sent.

        Yields:
            It, with whose its caller is where it names several sessions.

        Raises:
            MockServerError: It cannot be logged.
        """
        begin_request()
        conflicts = len(names) > 1 and name_different_sessions(names)
        turns = await self._take_turns({named for _, named in names} or {DEFAULT_ID})
        try:
            at, known = self._real(), len(self._sessions.strangers)
            if conflicts:
                with answering(turns.ids, at, again=True):
                    caller, _ = identify_caller(self._sessions, names, token)
                call = call._replace(caller="" if caller is None else caller.id, content=b"")
            for copy in tuple(turns.copies):
                appended = await self._append(copy, record_of(call, at))
                if appended is None:
                    turns.leave(copy)
                else:
                    at = max(at, appended)
            with answering(turns.ids, at, again=False):
                try:
                    yield call
                except asyncio.CancelledError:
                    for copy in turns.copies:  # the log has it, and nobody knows how far it came
                        self._copies.drop(copy)
                    raise
            for attempt in self._sessions.strangers[known:] if conflicts else ():
                await self.log.note(orjson.dumps(attempt.model_dump()))
        finally:
            turns.release()

    async def _end(self, turns: "_Turns") -> None:
        """Leave out what was logged of a session that is closed now."""
        for copy in turns.copies:
            with answering(turns.ids, None, again=True):
                session = self._sessions.find(copy.id)
            if session is not None and session.closed:
                end = Record(self._real(), ends=True)
                if await self._append(copy, end):
                    await self.log.close(copy.id, copy.number)
                    self._copies.remove(copy)  # its log says that it is closed

    async def _take_turns(self, ids: Iterable[str]) -> "_Turns":
        """Wait until nothing else of some sessions is under way, and make them as they are now.

        Returns:
            Those of them that there are.

        Raises:
            LogUnavailableError: Their logs cannot be read.
            MockServerError: A session cannot be made here.
        """
        turns = _Turns()
        try:
            for session_id in sorted(ids):  # in one order, so that no two wait for each other
                copy = self._copies.of(session_id)
                await turns.enter(copy)
                if not copy.number and not await self._catch_up(copy):
                    turns.leave(copy)
        except BaseException:
            turns.release()
            raise
        return turns

    async def _catch_up(self, copy: Copy) -> bool:
        """Answer again what other processes answered; whether the session is there.

        Raises:
            MockServerError: It cannot be made here.
        """
        records = await self._read(copy)
        if records is None:
            self._copies.drop(copy)
            return False
        try:
            for number, content in records:
                if number == 1:
                    opening = Opening.decode(content)
                    await self._repeater.open(opening)
                    copy.at = opening.at
                else:
                    record = Record.decode(content, copy.headers)
                    await self._repeater.repeat(copy.id, record, number)
                    copy.headers, copy.at = record.headers, record.at
                copy.number = number
                copy.size += len(content)
        except BaseException:
            self._copies.drop(copy)
            raise
        return True

    async def _read(self, copy: Copy) -> list[tuple[int, bytes]] | None:
        """The records that a copy lacks: all, where what it was made of may be lost."""
        while True:
            if copy.lineage != self.log.lineage:
                self._copies.drop(copy)
                copy.lineage = self.log.lineage
            records = await self.log.read(copy.id, copy.number)
            if copy.lineage == self.log.lineage:
                return records

    async def _append(self, copy: Copy, record: Record) -> datetime | None:
        """Write a record as the next one of a session.

        Returns:
            Its time, which is never before that of the one before it, though clocks of machines
            differ; None where the session is gone.
        """
        while copy.lineage == self.log.lineage or await self._catch_up(copy):
            if record.at < copy.at:
                record = record._replace(at=copy.at)
            content = record.encode(copy.headers if copy.number > 1 else None)
            if copy.size + len(content) > self._log_bytes and not record.ends:
                raise LogFullError(
                    f"the log of session {copy.id!r} holds its {self._log_bytes} bytes",
                    hint="close the session, or raise --log-bytes",
                )
            try:
                done = await self.log.append(copy.id, copy.number + 1, content)
            except BaseException:
                self._copies.drop(copy)  # nobody knows whether it is there
                raise
            if done is Appended.DONE:
                copy.number += 1
                copy.size += len(content)
                copy.headers, copy.at = record.headers, record.at
                return record.at
            if done is Appended.GONE or not await self._catch_up(copy):
                break
        self._copies.drop(copy)
        return None

    async def _record(
        self, request: Request, scope: Scope, receive: Receive, *, trusted: bool = False
    ) -> tuple[Record, Receive]:
        """What a log holds of a request, and what gives its body again.

        Raises:
            CallerGoneError: Nobody waits for the answer.
        """
        oversize, body = False, b""
        if request.has_body:
            try:
                body = await read_body(request, receive)
            except BodyTooLargeError:
                oversize = True
        headers = tuple(
            (name, value)
            for name, value in scope["headers"]
            if not (trusted and self._token and name == b"authorization")
        )
        record = Record(
            self._real(), scope["method"], str(scope.get("scheme", "http")), scope["raw_path"],
            scope["query_string"], headers, body, trusted=trusted, oversize=oversize,
            proxied=scope.get(PROXIED) or "",
        )  # fmt: skip
        return record, receive_of(record, receive)


class LoggedConnections(ConnectionJournal):
    """Connections of sessions that live in logs.

    Args:
        shared: Whose sessions they are.
    """

    def __init__(self, shared: SharedApplication) -> None:
        self._shared = shared

    @override
    async def refusal(self, user: str) -> tuple[int, str] | None:
        return refusal_of(user, await self._shared.find(user))

    @override
    async def note(self, user: str | None, note: ConnectionNote) -> None:
        await self._shared.note_connection(DEFAULT_ID if user is None else user, note)


class _Turns:
    """The sessions whose turn it is.

    Attributes:
        copies: Those of them that there are.
    """

    def __init__(self) -> None:
        self.copies: list[Copy] = []

    @property
    def ids(self) -> frozenset[str]:
        """The sessions that there are."""
        return frozenset(copy.id for copy in self.copies)

    async def enter(self, copy: Copy) -> None:
        """Wait for the turn of a session."""
        is_free = not copy.turn.locked()
        copy.waiting += 1
        try:
            async with nullcontext() if is_free else deadline("the turn of a session"):
                await copy.turn.acquire()
        finally:
            copy.waiting -= 1
        self.copies.append(copy)
        self._held = list(self.copies)

    def leave(self, copy: Copy) -> None:
        """Let others have their turn: there is no such session."""
        self.copies.remove(copy)
        self._held.remove(copy)
        copy.turn.release()

    _held: list[Copy] = []

    def release(self) -> None:
        """Let others have their turn."""
        held, self._held = self._held, []
        for copy in held:
            copy.turn.release()

    def release_once(self) -> bool:
        """The same, for who sends the answer: there is somebody who waits for it."""
        self.release()
        return True


def _may_hold_credentials(request: Request) -> bool:
    """Whether the body may be the form of a token request."""
    return request.is_form or b"token" in request.path


def _sessions_of_spans(request: Request, body: bytes) -> tuple[str, ...]:
    """The sessions that spans of an export name, where the request itself names none."""
    media = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    try:
        spans = read_export(body, is_json=media == b"application/json").spans
    except ExportError:
        return ()
    return tuple(dict.fromkeys(span.session or DEFAULT_ID for span, _ in spans))


def _spec_of(body: bytes) -> SessionSpec | None:
    """What a session is opened with; None where it is not valid, as the control API will say."""
    try:
        return SessionSpec.model_validate_json(body)
    except ValidationError:
        return None


async def _refuse(
    status: int, error: MockServerError, scope: Scope, receive: Receive, send: Send
) -> None:
    await problem(status, error.message, error.hint)(scope, receive, send)
