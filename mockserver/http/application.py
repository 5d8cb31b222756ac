"""The ASGI application: raw dispatch for emulated traffic, the control API beside it."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from starlette.types import ASGIApp

from mockserver.apis import APIS
from mockserver.asgi.addresses import url_of
from mockserver.asgi.origins import OriginGuard, OwnOrigins
from mockserver.asgi.requests import (
    PROXIED,
    BodyTooLargeError,
    CallerGoneError,
    Name,
    Receive,
    Request,
    Scope,
    Send,
    name_different_sessions,
    named_sessions,
    read_body,
)
from mockserver.declared.catalog import DeclaredApis
from mockserver.googleapi import Api
from mockserver.http.batches import Batches
from mockserver.http.control import PREFIX, Control
from mockserver.http.control_access import ControlAccessGuard
from mockserver.http.control_responses import problem_of, shortage_problem
from mockserver.http.descriptors import DescriptorWatch
from mockserver.http.hot_heads import HotHeads
from mockserver.http.otlp import PATH as OTLP
from mockserver.http.otlp import OtlpEndpoint
from mockserver.http.placement import CallLog, Placement
from mockserver.http.responses import headers_of, is_preflight, preflight, send_response
from mockserver.http.sdk_telemetry import answer_telemetry, refuse_unserved_host
from mockserver.http.session_names import refuse_conflicting_sessions, sessions_in_body
from mockserver.messages.sdk_telemetry import is_telemetry, is_telemetry_host
from mockserver.model import RecordedRequest, SessionSpec, shortened
from mockserver.models.catalog import Models
from mockserver.routing import Route, Routes
from mockserver.sessions.cassette_library import CassetteLibrary
from mockserver.sessions.connection_journal import ConnectionJournal
from mockserver.sessions.journal import Entry
from mockserver.sessions.scheduling import LONG_BODY, LONG_QUERY, WORKER, run_in_turn
from mockserver.sessions.session import DEFAULT_ID, Bases, Session, Sessions, random_secret
from mockserver.sessions.shortage import is_shortage
from mockserver.settings import Settings
from mockserver.snapshots.last_good import LastGoodSnapshots
from mockserver.snapshots.resolver import SnapshotResolver, suite_apis
from mockserver.sources.dispatch import Dispatcher
from mockserver.sources.exchange import refuse_call
from mockserver.sources.misses import (
    body_too_large_error,
    closed_session_error,
    foreign_page_error,
    unknown_session_error,
)
from mockserver.sources.response import Response, error_response
from mockserver.sources.sockets import ScriptedSocket
from mockserver.state import RealTime
from mockserver.storage.parse_cache import cache_folder

CONSOLE = f"{PREFIX}/console".encode()
"""Beginning of the paths of pages."""

_CONTROL = PREFIX.encode()
_END = len(_CONTROL)
_HOSTS_KEPT = 256

_PROVING = frozenset({"token", "form", "proxy"})
"""Ways to name a session that a page of another origin does not have of itself."""

MountedApp = Callable[[Session, Request, Scope, Receive, Send], Awaitable[None]]
"""Answers requests of an open session under a path of its own."""


class ConsoleView(NamedTuple):
    """What pages for people show.

    Attributes:
        settings: What the server was started with.
        sessions: Its sessions.
        worlds: What resolves the snapshots that sessions start from.
        routes: What it answers.
    """

    settings: Settings
    sessions: Sessions
    worlds: SnapshotResolver
    routes: Routes


class HeadMeaning(NamedTuple):
    """What a plain request means.

    Attributes:
        route: What it asks.
        session_id: The session that it names.
    """

    route: Route
    session_id: str


class Application:
    """The server as an ASGI application.

    Attributes:
        settings: What it was started with.
        library: The cassettes that it knows.
        sessions: Its sessions.
        dispatcher: What answers the calls, also those of transports other than HTTP.
        call_log: Where calls of transports other than HTTP are logged; None where none are.
        connections: Where connections are journalled that no request came of.
        is_wanted: Whether the user named a host as one to answer for.
        placement: Moves connections to the process of their session; None where there is but one.

    Args:
        settings: What it is started with.
        real: Real time; the clocks of all sessions go by it.
        apis: The emulated APIs.
        bases: Where sessions get what they start from; the suite of the settings when None.
        sessions: The class of its sessions.
        secret: Makes up what nobody can guess, see `Sessions`.

    Raises:
        MockServerError: The suite or the default session cannot be served.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        real: RealTime,
        apis: Sequence[Api] = APIS,
        bases: Bases | None = None,
        sessions: type[Sessions] = Sessions,
        secret: Callable[[], str] = random_secret,
    ) -> None:
        self.settings = settings
        self._apis = apis
        self.library = CassetteLibrary(settings, apis)
        declared = suite_apis(settings.fixtures, apis, trusted=settings.trusted)
        cache = cache_folder(os.environ)
        self._worlds = SnapshotResolver(settings.fixtures, apis, declared, cache=cache)
        self._last_good = LastGoodSnapshots(self._worlds)
        self.sessions = sessions(
            bases or (self._last_good if settings.watch else self._worlds),
            real=real,
            journal_bytes=settings.journal_bytes,
            limit=settings.max_sessions,
            cassettes=self.library,
            secret=secret,
        )
        self.descriptors = DescriptorWatch(self.sessions)
        self.sessions.look = self.descriptors.look
        self.call_log: CallLog | None = None
        self.connections = ConnectionJournal(self.sessions)
        self.is_wanted: Callable[[str], bool] = _is_no_host
        self.placement: Placement | None = None
        routes = Routes(apis, declared=declared, models=self._worlds.models)
        self.dispatcher = Dispatcher(routes, url=url_of(settings.host, settings.port))
        self._otlp = OtlpEndpoint(self.sessions)
        self._batches = Batches(self.dispatcher, self.sessions)
        self._own = OwnOrigins(settings.host, settings.port, settings.allowed_hosts)
        self._rebound: dict[bytes, bool] = {}
        self.hot_heads = HotHeads(self.meaning_of)
        self._mounted: dict[bytes, tuple[MountedApp, str | None]] = {}
        self._metrics = None
        if settings.metrics:
            from mockserver.http.metrics import RequestMetrics

            self._metrics = RequestMetrics(self.sessions)
        self._make_console: Callable[[ConsoleView], ASGIApp] | None = None
        self.library.read_given()
        if settings.default is not None:
            self.sessions.open(settings.default.model_copy(update={"id": DEFAULT_ID}))

    def read_declared(self, specs: Iterable[SessionSpec]) -> tuple[DeclaredApis, Models]:
        """The declared APIs and models as their files are now.

        Args:
            specs: What sessions must be able to start from with them.

        Raises:
            MockServerError: The files are broken, or do not fit the snapshots.
        """
        settings = self.settings
        declared = suite_apis(settings.fixtures, self._apis, trusted=settings.trusted)
        worlds = SnapshotResolver(settings.fixtures, self._apis, declared)
        for spec in specs:
            worlds.base(spec)
        return declared, worlds.models

    def declare(self, declared: DeclaredApis, models: Models) -> None:
        """Serve these declared APIs and models in place of the ones before.

        Open sessions keep their rows.
        """
        self._worlds.declare(declared, models)
        self.dispatcher.declare(declared, models)
        self.hot_heads.forget()
        self._rebound.clear()

    def prepare_again(self, spec: SessionSpec) -> None:
        """Read what sessions of a spec start from; the default session starts there once reset.

        Raises:
            MockServerError: The files are broken; nothing changes.
        """
        base = self._last_good.read(spec)
        default = self.sessions.find(DEFAULT_ID)
        if default is not None and spec is default.spec:
            default.next_base = base
            self.sessions.stub_hosts |= base.stub_hosts

    def mount(self, path: bytes, answer: MountedApp, session_id: str | None = None) -> bool:
        """Let something else answer the requests to a path, below the prefix of a session.

        Args:
            path: The path.
            answer: What answers.
            session_id: The session that the path is of, where the path itself says so.

        Returns:
            Whether nothing answered them yet.
        """
        is_new = path not in self._mounted
        self._mounted[path] = answer, session_id
        self.hot_heads.forget()
        return is_new

    def unmount(self, path: bytes) -> None:
        """Answer the requests to a path like any other again."""
        self._mounted.pop(path, None)
        self.hot_heads.forget()

    @cached_property
    def _control_api(self) -> Control:
        metrics = None if self._metrics is None else self._metrics.page
        routes = self.dispatcher.routes
        return Control(self.sessions, self.settings, self._worlds, routes, metrics)

    @cached_property
    def _control(self) -> ASGIApp:
        guarded = OriginGuard(self._control_api.application(), self._own, problem_of)
        return ControlAccessGuard(guarded, self.sessions, self.settings.token)

    def show_console(self, make: Callable[[ConsoleView], ASGIApp]) -> None:
        """Answer `/` of the server's own names, and what is below its prefix, with pages.

        Args:
            make: Makes the pages, of what they show; called for the first request of one.
        """
        self._make_console = make
        self.__dict__.pop("_console", None)

    @cached_property
    def _console(self) -> ASGIApp | None:
        if self._make_console is None:
            return None
        view = ConsoleView(self.settings, self.sessions, self._worlds, self.dispatcher.routes)
        return OriginGuard(self._make_console(view), self._own, problem_of)

    def end_streams(self) -> None:
        """End the streams of events, which else would keep the server from stopping."""
        self._control_api.end_streams()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request: of the control API, or to an emulated one; or a WebSocket."""
        try:
            if scope["type"] == "websocket":
                await self._open_socket(scope, receive, send)
                return
            if scope["type"] != "http":
                raise NotImplementedError(f"no {scope['type']} is spoken here")
            path: bytes = scope["raw_path"]
            if path[:_END] == _CONTROL and path[_END : _END + 1] in b"/":
                pages = self._console if path.startswith(CONSOLE) else None
                await (pages or self._control)(scope, receive, send)
                return
            await self._answer(scope, receive, send)
        except OSError as error:
            if scope["type"] != "http" or not is_shortage(error):
                raise
            self.descriptors.tell()
            await shortage_problem()(scope, receive, send)

    @property
    def has_sockets(self) -> bool:
        """Whether a session that is open has a WebSocket among its stubs."""
        bases = {id(each.base): each.base for each in self.sessions.all()}
        return any(stub.get("socket") for base in bases.values() for stub in base.stubs)

    async def _open_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a WebSocket: with the one of a stub, else as over HTTP."""
        await receive()  # that it is asked for
        scheme = "https" if scope["scheme"] == "wss" else "http"
        proxied = (scope.get("state") or {}).get(PROXIED)
        request = Request({**scope, "method": "GET", "scheme": scheme, PROXIED: proxied})
        route = self.dispatcher.routes.known[request.host, request.verb, request.path]
        names = named_sessions(request)
        response = self._refusal(names, route, request)
        if response is None:
            way, session_id = names[0] if names else ("", DEFAULT_ID)
            if way not in {"", "token"}:
                request.session = session_id
            response = await self._answer_in_session(session_id, route, request, receive)
        if response is None:
            return
        if response.delay_ms:
            await asyncio.sleep(response.delay_ms / 1000)
        if isinstance(response.playback, ScriptedSocket):
            await response.playback.converse(scope, receive, send)
            return
        body = response.body
        headers = headers_of(response, request, len(body), is_gzip=False)
        start = "websocket.http.response.start"
        await send({"type": start, "status": response.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": body})

    def meaning_of(self, request: Request) -> HeadMeaning | None:
        """What a request means; None for one that something else answers, or not at once."""
        path = request.path
        if request.in_path is None and path[:_END] == _CONTROL and path[_END : _END + 1] in b"/":
            return None
        route = self.dispatcher.routes.known[request.host, request.verb, request.path]
        if self._is_special(request, route) or route.long or len(request.query) >= LONG_QUERY:
            return None
        names = named_sessions(request)
        if self._is_foreign_page(request) or (len(names) > 1 and name_different_sessions(names)):
            return None
        return HeadMeaning(route, _session_of(names, request))

    def _is_special(self, request: Request, route: Route) -> bool:
        """Whether something else than the dispatcher may have to answer a request."""
        path, verb = request.path, request.verb
        if verb == "OPTIONS" or path == b"/" or path in self._mounted or path.startswith(OTLP):
            return True
        if route.dialect == "oauth":
            return verb == "POST"
        return not route.method_id and is_telemetry_host(request.host.decode("latin-1"))

    def session_at_once(self, session_id: str) -> Session | None:
        """The session of a request that is answered at once; None where it is not."""
        session = self.sessions.find(session_id)
        if session is None or session.closed or session.queue is not None or session.is_slow:
            return None
        return session

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request to an emulated API, or to what else is served beside them."""
        request = Request(scope)
        if request.verb == "OPTIONS" and is_preflight(request):
            await send_response(preflight(request), request, scope, receive, send)
            return
        route = self.dispatcher.routes.known[request.host, request.verb, request.path]
        if self._is_console_home(request, route) and self._console is not None:
            await self._console(scope, receive, send)
            return
        in_form: tuple[str, ...] = ()
        if route.dialect == "oauth" and request.verb == "POST" and request.has_body:
            # the form of a token request may hold a credential that names a session
            in_form, receive = await sessions_in_body(receive)
        names = named_sessions(request, in_form)
        response = self._refusal(names, route, request)
        if response is not None:
            pass
        elif await self._take_telemetry(names, route, request, scope, receive, send):
            return
        elif request.path in self._mounted:
            mounted, owner = self._mounted[request.path]
            session_id = owner or (names[0][1] if names else DEFAULT_ID)
            session = self.sessions.find(session_id)
            if session is not None and not session.closed:
                await mounted(session, request, scope, receive, send)
                return
            response = self._refuse_missing_session(session, route, request)
        else:
            session_id = _session_of(names, request)
            response = await self._answer_in_session(session_id, route, request, receive)
        if response is not None:
            await send_response(response, request, scope, receive, send)

    async def _take_telemetry(
        self,
        names: Sequence[Name],
        route: Route,
        request: Request,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> bool:
        """Answer what tells of a program, and asks nothing: spans, and telemetry of SDKs.

        Returns:
            Whether it was that, or asked something of a host that takes nothing else.
        """
        if request.path.startswith(OTLP):
            await self._otlp.answer(request, names, receive, send)
            return True
        host, path = request.host.decode("latin-1"), request.path.decode("latin-1")
        if route.method_id or not is_telemetry_host(host):
            return False
        session = self.sessions.find(names[0][1] if names else DEFAULT_ID)
        if session is None or session.closed or self._serves(session, request.verb, host, path):
            return False
        if is_telemetry(host, path):
            await answer_telemetry(session, request, receive, send)
        else:
            refused = refuse_unserved_host(session, host, is_wanted=self.is_wanted(host))
            await send_response(refused, request, scope, receive, send)
        return True

    def _serves(self, session: Session, verb: str, host: str, path: str) -> bool:
        """Whether a session answers for a host that SDKs send telemetry to."""
        if is_telemetry(host, path):
            is_recorded = session.replay is not None and host in session.replay.hosts_of(path)
            return is_recorded or host in session.base.stub_hosts
        routes = self.dispatcher.routes
        return (
            host in session.base.stub_hosts
            or host in routes.declared.hosts
            or routes.models.serves(host)
            or self.library.is_recorded(host)
            or (session.replay is not None and _may_call_a_model(verb, host, path))
        )

    def _is_console_home(self, request: Request, route: Route) -> bool:
        """Whether a request means the first page of the console: nobody else answers its `/`."""
        if request.path != b"/" or request.in_path is not None or request.verb != "GET":
            return False
        if route.method_id or b"metadata-flavor" in request.headers or named_sessions(request):
            return False
        if self._own.refusal("GET", request.sent_headers) is not None:
            return False
        default, host = self.sessions.find(DEFAULT_ID), request.host.decode("latin-1")
        if default is None or default.closed:
            return True
        urls = (str(stub["url"]).rpartition("://")[2].partition("?")[0] for stub in
                default.base.stubs)  # fmt: skip
        if any(url in {"/", host, f"{host}/"} for url in urls):
            return False
        return default.replay is None or not default.replay.hosts_of("/")

    def _refusal(self, names: Sequence[Name], route: Route, request: Request) -> Response | None:
        """Why nobody answers a request: a foreign page sent it, or it names two sessions."""
        if self._is_foreign_page(request) and not any(way in _PROVING for way, _ in names):
            return error_response(foreign_page_error(), route.dialect)
        if len(names) > 1 and name_different_sessions(names):
            return self._refuse_two_sessions(names, route, request)
        return None

    def _refuse_two_sessions(
        self, names: Sequence[Name], route: Route, request: Request
    ) -> Response:
        refused = refuse_conflicting_sessions(
            self.sessions, names, route, token=request.token, client=request.client
        )
        return error_response(refused.error, route.dialect)

    def _is_foreign_page(self, request: Request) -> bool:
        """Whether a page sent it that is not the server's: it must bear a session's credential."""
        headers, host = request.headers, request.host
        if b"origin" in headers or b"sec-fetch-site" in headers:
            return self._own.is_foreign_page(headers)
        rebound = self._rebound.get(host)
        if rebound is None:
            name = host.decode("latin-1")
            known = self.dispatcher.routes.catalog.is_host(name)
            rebound = not known and self._own.is_rebound(name)
            if len(self._rebound) < _HOSTS_KEPT:
                self._rebound[host] = rebound
        return rebound

    async def _answer_in_session(
        self, session_id: str, route: Route, request: Request, receive: Receive
    ) -> Response | None:
        """Answer a request in the session that it names; None where nobody waits for the answer."""
        session = self.sessions.find(session_id)
        if session is None or session.closed:
            return self._refuse_missing_session(session, route, request)
        try:
            content = await read_body(request, receive) if request.has_body else b""
        except BodyTooLargeError:
            return refuse_call(session, route, request.client, body_too_large_error())
        except CallerGoneError:
            return None
        if session.closed:  # while the body was on its way
            return self._refuse_missing_session(session, route, request)
        is_long = (
            session.is_long(route)
            or len(content) >= LONG_BODY
            or len(request.query) >= LONG_QUERY
            or session.is_slow
        )
        if session.queue is None and not is_long:
            return self.dispatcher.answer_request(session, route, request, content)
        answer = partial(self._answer_in_turn, session, route, request, content, is_long=is_long)
        return await run_in_turn(session, answer)

    async def _answer_in_turn(
        self, session: Session, route: Route, request: Request, content: bytes, *, is_long: bool
    ) -> Response:
        """Answer a request whose turn it is: a batch call by call, a long one in a thread."""
        if session.closed:  # while it waited
            return self._refuse_missing_session(session, route, request)
        if route.batch is not None:
            return await self._batches.answer_batch(session, route, request, content)
        answer = partial(self.dispatcher.answer_request, session, route, request, content)
        return await WORKER.run(answer) if is_long else answer()

    def _refuse_missing_session(
        self, session: Session | None, route: Route, request: Request
    ) -> Response:
        """404 for a session that never was, 410 for a closed one; said in the API's dialect."""
        if session is not None:
            return refuse_call(session, route, request.client, closed_session_error(session.id))
        unknown = unknown_session_error(request.session, request.token)
        if self.sessions.observer is not None:  # no journal tells of it
            entry = Entry()
            entry.method_id, entry.http_method = route.method_id, route.verb
            entry.path, entry.host = route.journal_path, route.host
            entry.status, entry.source = unknown.status, "none"
            self.sessions.observer(shortened(request.session or ""), entry)
        return error_response(unknown, route.dialect)


def _session_of(names: Sequence[Name], request: Request) -> str:
    """The session that a request is of; what is named is never replaced by another."""
    if not names:
        return DEFAULT_ID
    way, session_id = names[0]
    if way != "token":
        request.session = session_id
    return session_id


def _is_no_host(_host: str) -> bool:
    return False


def _may_call_a_model(verb: str, host: str, path: str) -> bool:
    """Whether recorded calls of models, which are found at any address, may answer a request."""
    from mockserver.cassettes.matching import is_model_path  # reads recordings

    return is_model_path(RecordedRequest(verb, f"https://{host}{path}"))
