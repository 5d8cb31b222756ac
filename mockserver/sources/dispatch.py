"""Answers calls: who asks, which fault, which source, and what the journal says of it.

The first source that has an answer gives it; `Dispatcher._select_sources` says which are asked, in
which order, and docs/explanation/sources.md ("Who answers") says it to users.
"""

import logging
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import override

from mockserver.apis import generic, tools
from mockserver.apis.tools import PREFIX as TOOL_PREFIX
from mockserver.asgi.requests import Request
from mockserver.collections.query import explained_queries
from mockserver.collections.refusals import RefusedError
from mockserver.declared.catalog import DeclaredApis
from mockserver.errors import MissingExtraError
from mockserver.googleapi import ApiError, Call, Media, not_emulated, not_installed, parse_mask
from mockserver.googleapi.call import Invoke
from mockserver.googleapi.errors import worded
from mockserver.model import Interaction, JsonObject, Miss
from mockserver.models.catalog import Models
from mockserver.routing import Route, Routes
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.session import Session
from mockserver.sessions.shortage import HINT, PROBLEM, is_shortage
from mockserver.sources.agent_tools import AgentToolSource
from mockserver.sources.conditions import check_condition
from mockserver.sources.exchange import Binder, Exchange, UnreadEntry, refuse_call
from mockserver.sources.fault_application import apply_faults, damage_without_wire
from mockserver.sources.metadata import MetadataSource
from mockserver.sources.misses import (
    Misses,
    ambiguous_host_error,
    closed_session_error,
    internal_error,
    no_source_error,
    not_found_page,
)
from mockserver.sources.protocol import NOTHING, Source, SourceMiss
from mockserver.sources.response import (
    HTML,
    Response,
    diagnostic_headers,
    plan_headers,
)
from mockserver.sources.stubs import StubSource
from mockserver.sources.uploads import UploadRequest, answer_download, answer_media, bind_upload

if TYPE_CHECKING:
    from mockserver.sessions.recordings import Replay
    from mockserver.sources.cassette import CassetteSource, RpcRequest
    from mockserver.sources.declared import DeclaredSource
    from mockserver.sources.deliveries import Deliveries
    from mockserver.sources.models import ModelSource

_log = logging.getLogger(__name__)

_UNIMPLEMENTED = 501
_STREAMING = "GRPC"
_SELECTIONS_KEPT = 4096
_HOSTS_KEPT = 256

Render = Callable[[Any], tuple[str, ...]]
"""Turns an answer into what the front sends; the paths of what that has no place for."""


class DecodedCall(NamedTuple):
    """A call as a transport other than HTTP brings it.

    Names are lowerCamel, 64-bit integers are strings, enums are names.

    Attributes:
        params: Path and query parameters.
        body: The request body; empty when there is none.
        token: The access token as sent, or an empty string.
        client: What the caller says it is.
        request_bytes: The size of the request as sent.
        ignored: Paths of what the method has no place for.
        problem: Why the call cannot be answered, or None. Missing credentials and faults come
            first.
        conversation: What the requests of one stream share; None where it is the only one.
    """

    params: JsonObject
    body: JsonObject
    token: str = ""
    client: bytes = b""
    request_bytes: int = 0
    ignored: tuple[str, ...] = ()
    problem: ApiError | None = None
    conversation: dict[str, Any] | None = None


class Outcome(NamedTuple):
    """What came of a call that no HTTP request carries.

    Attributes:
        seq: Its number in the session's journal.
        error: What it was refused with, or None.
        delay_ms: How long the answer is to be held back, in milliseconds.
        source: Who answered.
        ignored: What was accepted and not used.
        miss: Whose fault it is that nothing was found, or an empty string.
        stream: What yields the answers of a streaming method, or None.
    """

    seq: int
    error: ApiError | None
    delay_ms: float
    source: str
    ignored: tuple[str, ...] = ()
    miss: str = ""
    stream: Iterator[JsonObject] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to tell beside the answer itself."""
        return (
            self.error is None and not self.delay_ms and not self.ignored and self.source == "state"
        )


class RecordedOutcome(NamedTuple):
    """What came of a call that recordings answer.

    Attributes:
        outcome: For whoever asked.
        interaction: The recording, where one answers.
        label: Which one it is: `<cassette>#<number>`, and how it was found.
    """

    outcome: Outcome
    interaction: Interaction | None = None
    label: str = ""


class Dispatcher:
    """Answers the calls of open sessions, whatever carried them.

    Args:
        routes: What verbs and paths mean.
        url: The server's own URL, for links in answers.
    """

    def __init__(self, routes: Routes, *, url: str) -> None:
        self.routes = routes
        self._url = url
        self._session_urls: dict[bytes, str] = {}
        self._binder = Binder()
        self._misses = Misses(routes)
        self._stubs = StubSource()
        agent_tools = AgentToolSource(self._stubs)
        self._sources: tuple[Source, ...] = (
            RecordedHostRefusal(),
            agent_tools,
            self._stubs,
            MetadataSource(),
            StateSource(self),
            SynthesisSource(self),
        )
        self._before_recordings: tuple[Source, ...] = (agent_tools, self._stubs)
        self._selected_sources: dict[tuple[object, ...], tuple[Source, ...]] = {}
        self._usual_sources = self._sources
        self.declare(routes.declared, routes.models)

    def declare(self, declared: DeclaredApis, models: Models) -> None:
        """Answer for these declared APIs and models in place of the ones before."""
        self.routes.declare(declared, models)
        own: tuple[Source, ...] = (self._declared,) if declared else ()
        own += (self._models,) if models else ()
        self._sources = (*self._usual_sources, *own)
        self._selected_sources.clear()

    @cached_property
    def _models(self) -> "ModelSource":
        """What answers for scripted models; servers without them do not load it."""
        from mockserver.sources.models import ModelSource

        return ModelSource(self.routes, self.link_base)

    @cached_property
    def _deliveries(self) -> "Deliveries":
        """What sends messages; servers that send none do not load it."""
        from mockserver.sources.deliveries import Deliveries

        return Deliveries()

    @cached_property
    def _declared(self) -> "DeclaredSource":
        """What answers from declared APIs; servers without them do not load it."""
        from mockserver.sources.declared import DeclaredSource

        return DeclaredSource(self)

    @cached_property
    def cassettes(self) -> "CassetteSource":
        """What answers from recordings; servers without them do not load it."""
        from mockserver.sources.cassette import CassetteSource

        return CassetteSource(self.routes.catalog, self.link_base)

    def answer_request(
        self,
        session: Session,
        route: Route,
        request: Request,
        content: bytes,
        *,
        parent: int | None = None,
    ) -> Response:
        """Answer one HTTP request, and journal it.

        Args:
            session: Where it is asked.
            route: What it means.
            request: Its head.
            content: Its body.
            parent: The number of the batch that it is a part of, or None.
        """
        exchange: Exchange | None = None
        if session.replay is not None:
            try:
                exchange = self.cassettes.request_exchange(session, route, request, content, parent)
            except ApiError as error:
                return refuse_call(session, route, request.client, error)
        if exchange is None and route.declared is not None:
            exchange = self._declared.exchange(
                session, route, route.declared, request, content, parent
            )
        elif exchange is None and route.model is not None:
            exchange = self._models.exchange(session, route, route.model, request, content)
        elif exchange is None:
            is_unbound = route.method is None and route.handler is None and not route.metadata
            kind = UnboundExchange if is_unbound and not session.has_faults else HttpExchange
            exchange = kind(self, session, route, request, content, parent)
        if session.observer is not None:
            exchange.entry.trace = request.headers.get(b"traceparent", b"")
        if request.explains:
            with explained_queries() as plans:
                self._answer(exchange)
            exchange.response.headers += plan_headers(plans)
        else:
            self._answer(exchange)
        return exchange.response

    def answer_part(
        self, outer: Exchange, request: Request, content: bytes
    ) -> tuple[Response, ApiError | None]:
        """Answer a request of a declared API's batch, and journal it.

        Args:
            outer: The batch.
            request: The head of the request.
            content: Its body.

        Returns:
            The answer, and what it was refused with.

        Raises:
            ApiError: 400: it is of another API.
        """
        route = self.routes.known[request.host, request.verb, request.path]
        declared, batch = route.declared, outer.route.declared
        if declared is None or batch is None or declared.api is not batch.api:
            raise ApiError(400, "A batch holds requests of its own API alone.")
        session, seq = outer.session, outer.entry.seq
        exchange = self._declared.exchange(session, route, declared, request, content, seq)
        failed = self._answer(exchange)
        return exchange.response, failed

    def answer_recorded_batch(
        self, session: Session, route: Route, request: Request, content: bytes
    ) -> Response | None:
        """Answer a batch with a recording of the whole of it; None where there is none."""
        try:
            exchange = self.cassettes.batch_exchange(session, route, request, content)
        except ApiError as error:
            return refuse_call(session, route, request.client, error)
        if exchange is None:
            return None
        self._answer(exchange)
        return exchange.response

    def answer_decoded_call(
        self, session: Session, route: Route, decoded: DecodedCall, render: Render
    ) -> Outcome:
        """Answer one call that no HTTP request carries, and journal it.

        A stub answers it that would answer the request of HTTP with the same meaning.

        Args:
            session: Where it is asked; a closed one refuses.
            route: What it means.
            decoded: What it asks.
            render: Makes of the answer what the caller sends; not called when there is an error.
        """
        exchange = DecodedExchange(session, route, decoded, render)
        failed, response = self._answer(exchange), exchange.response
        return Outcome(
            exchange.entry.seq,
            failed,
            response.delay_ms,
            response.source,
            response.ignored,
            response.miss.blame if response.miss else "",
            None if failed is not None else exchange.stream,
        )

    def answer_recorded_call(
        self, session: Session, replay: "Replay", route: Route, request: "RpcRequest"
    ) -> RecordedOutcome:
        """Answer a call that no HTTP request carries from its session's recordings, and journal it.

        Args:
            session: Where it is asked.
            replay: Its recordings, which know the path.
            route: What it means.
            request: The call.
        """
        exchange = self.cassettes.rpc_exchange(session, replay, route, request)
        failed, response = self._answer(exchange), exchange.response
        miss = response.miss.blame if response.miss else ""
        seq, delay_ms = exchange.entry.seq, response.delay_ms
        outcome = Outcome(seq, failed, delay_ms, response.source, miss=miss)
        if failed is not None or exchange.played is None:
            return RecordedOutcome(outcome)
        return RecordedOutcome(outcome, exchange.played.interaction, exchange.label)

    def _answer(self, exchange: Exchange) -> ApiError | None:
        """Answer a call from the first source that can, and journal it; its error, or None."""
        session, route, response = exchange.session, exchange.route, exchange.response
        failed: ApiError | None = None
        try:
            exchange.bind(self._binder)
            token = exchange.token
            if token is not None:
                own = session.caller(token) if token else None
                exchange.caller = own or caller_of(session, token, route)
            if session.names_calls and route.method is None:
                self._name(exchange)
            if session.has_faults:
                exchange.apply_faults()
            key = (type(exchange), route, session.answered_by)
            found: Response | SourceMiss = NOTHING
            for source in self._selected_sources.get(key) or self._select_sources(exchange, key):
                found = source.answer(exchange)
                if not isinstance(found, SourceMiss):
                    response = exchange.response = found
                    break
            else:
                self._refuse_unanswered(exchange, found)
        except ApiError as error:
            failed = error.with_traceback(None)  # it would hold on to this frame
        except Exception as error:  # noqa: BLE001  (a defect of one handler must not end the server)
            failed = self._note_defect(exchange, error)
        if exchange.request is None:
            failed = damage_without_wire(exchange) or failed
        if failed is not None:
            self._refuse(exchange, failed)
        if response.ignored or response.miss is not None:
            response.headers += diagnostic_headers(response)
        exchange.finish()
        world = session.world
        if world.outbox and not world.is_changing:
            self._deliveries.send(world)
        exchange.call = None  # it leads back here: freed at once, the collector has no work
        exchange.delayed_world = None  # it holds on to its tables
        return failed

    def _name(self, exchange: Exchange) -> None:
        """Name a call that no document describes: by its stub, by the first name of its tool."""
        route, session = exchange.route, exchange.session
        if route.handler is None:
            self._stubs.identify(exchange)
        elif route.method_id.startswith(TOOL_PREFIX):
            name = tools.original_name(session.base, route.method_id.removeprefix(TOOL_PREFIX))
            exchange.entry.method_id = f"{TOOL_PREFIX}{name}"

    def _note_defect(self, exchange: Exchange, defect: Exception) -> ApiError:
        """What a call is refused with that this server fails to answer."""
        if exchange.is_replayed:
            exchange.response.source = "none"
        if isinstance(defect, MissingExtraError):
            # no fault of the agent: its trial is one of this installation
            exchange.session.problem = exchange.session.problem or f"the mock server: {defect}"
            return not_installed(exchange.entry.method_id or "", str(defect))
        if is_shortage(defect):
            exchange.session.problem = exchange.session.problem or PROBLEM
            return ApiError(503, f"{PROBLEM}: {HINT}", headers={"Retry-After": "1"})
        if isinstance(exchange, InnerExchange):
            exchange.defect = defect
        else:
            _log.error("%s failed", exchange.entry.method_id, exc_info=defect)
        return internal_error()

    def _select_sources(self, exchange: Exchange, key: tuple[object, ...]) -> tuple[Source, ...]:
        """The sources that are asked for calls like this one, in their order."""
        sources = self._sources
        if exchange.is_replayed:
            sources = (*self._before_recordings, self.cassettes)
        if len(self._selected_sources) >= _SELECTIONS_KEPT:
            self._selected_sources.clear()
        selected = tuple(each for each in sources if each.serves(exchange))
        self._selected_sources[key] = selected
        return selected

    def make_call(self, exchange: Exchange) -> Call | None:
        """The call that a handler is given; None where it is answered without one.

        Raises:
            ApiError: The call cannot be answered.
        """
        if exchange.call is not None:
            return exchange.call
        if exchange.problem is not None:
            raise exchange.problem
        request, system = exchange.request, exchange.system
        is_write = request is not None and request.verb != "GET"
        if (
            is_write or exchange.route.fields or (system is not None and system.fields)
        ) and not exchange.check_preconditions():
            return None
        session, route, base_url = exchange.session, exchange.route, exchange.base_url
        if not base_url:
            host = b"" if request is None else request.host
            base_url = (self._session_urls.get(host) or self._session_url(host)) + session.id
        call = exchange.call = Call(
            route.method_id,
            exchange.params,
            exchange.body.copy(),  # handlers may complete it; the journal keeps what was asked
            exchange.delayed_world or session.world,
            route.version,
            session.profile,
            exchange.caller,
            base_url,
            partial(self._invoke, exchange),
            [],
            exchange.media,
            session.media,
            exchange.mask,
            None,
            {} if exchange.conversation is None else exchange.conversation,
            exchange.sent_headers,
            route.download or (system is not None and system.alt == "media"),
        )
        if session.auth == "permissions" and route.method is not None and not route.public:
            from mockserver.googleapi.access import check_access, is_permitted

            call.permits = partial(is_permitted, call)
            if exchange.token is not None or exchange.is_step:
                check_access(call, route.method)
        return call

    def invoker(self, exchange: Exchange) -> Invoke:
        """What calls another method of the same session, as a part of a call."""
        return partial(self._invoke, exchange)

    def _invoke(
        self,
        outer: Exchange,
        method_id: str,
        params: JsonObject,
        body: JsonObject | None = None,
        media: Media | None = None,
    ) -> JsonObject:
        """Answer one method on behalf of another; journalled with its parent."""
        route = self.routes.route_of_method(method_id, params)
        base_url = outer.base_url
        if not base_url:
            host = b"" if outer.request is None else outer.request.host
            base_url = self._session_url(host) + outer.session.id
        inner = InnerExchange(outer, route, params, body or {}, base_url)
        inner.media = media
        failed = self._answer(inner)
        outer.response.delay_ms += inner.response.delay_ms
        if inner.response.source == "synthesis":
            outer.response.source = "synthesis"  # it rests on what was made up
        if inner.defect is not None:
            defect, inner.defect = inner.defect, None  # its traceback holds on to this frame
            raise defect
        if failed is not None:
            outer.inner_failure = (failed, route.dialect)
            raise failed
        return inner.payload or {}

    def link_base(self, request: Request, session_id: str) -> str:
        """What stands before a request's path in a link: an API's own name, or the session's."""
        host = request.host.decode("latin-1")
        if self.routes.catalog.is_host(host):
            return f"{request.scheme}://{host}"
        return self._session_url(request.host) + session_id

    def _session_url(self, host: bytes) -> str:
        """What stands before a session's id for a caller that reached the server by a `Host`."""
        found = self._session_urls.get(host)
        if found is None:
            name = host.decode("latin-1")
            known = self.routes.catalog.is_host(name)
            found = f"{self._url}/s/" if known or not name else f"http://{name}/s/"
            if len(self._session_urls) < _HOSTS_KEPT:
                self._session_urls[host] = found
        return found

    def _refuse_unanswered(self, exchange: Exchange, last: Response | SourceMiss) -> None:
        """Refuse a call that no source answers: not emulated, ambiguous, unknown, not asked.

        Args:
            exchange: The call.
            last: What the last source said of it.
        """
        route, response = exchange.route, exchange.response
        if isinstance(last, SourceMiss) and last.error is not None:
            response.source = "none"
            raise last.error
        if isinstance(exchange, InnerExchange):
            raise not_emulated(route.method_id)
        response.source = "none"
        if route.handler is not None:
            raise no_source_error(route)
        if route.method is not None:
            raise not_emulated(route.method_id)
        response.miss = self._misses.of_unknown_route(route)
        if route.candidates:
            raise ambiguous_host_error(route)
        response.status = 404
        response.content_type = HTML
        response.body = not_found_page(exchange.entry.path, response.miss)

    def _refuse(self, exchange: Exchange, error: ApiError) -> None:
        response, miss = exchange.response, exchange.response.miss
        if response.source == "state" or error.miss is not None:
            world = exchange.session.world
            miss = self._misses.of_error(error, exchange.route, exchange.entry.params, world)
        exchange.write_error(error)
        response.miss = miss


_init_exchange = Exchange.__init__
"""To look for it, or for `super()`, would cost a warm request hundredths more."""


class HttpExchange(Exchange):
    """A call that an HTTP request carries.

    Attributes:
        content: The body of the request.
        dispatcher: What answers it.
        upload: What it uploads, where it does.

    Args:
        dispatcher: What answers it.
        session: Where it is asked.
        route: What it means.
        request: The head of the request.
        content: Its body.
        parent: The number of the batch that it is a part of, or None.
    """

    __slots__ = ("dispatcher", "upload")

    request: Request

    def __init__(
        self,
        dispatcher: Dispatcher,
        session: Session,
        route: Route,
        request: Request,
        content: bytes,
        parent: int | None = None,
    ) -> None:
        _init_exchange(self, session, route, request.client, parent, request, content)
        self.sent_headers = request.headers
        self.token = request.token
        self.dispatcher = dispatcher
        self.upload: UploadRequest | None = None
        if request.proxied is not None and not route.method_id and not route.host:
            # of a connection to the host itself, its name is no guess
            self.entry.host = request.host.decode("latin-1")

    @override
    def bind(self, binder: Binder) -> None:
        route, request, content = self.route, self.request, self.content
        if route.raw:
            self._bind_raw()
            return
        if route.upload:
            self.upload = bind_upload(binder, self, request, content)
            return
        if content or not binder.bind_known_query(self, request.query):
            binder.bind_request(self, request, content)
        else:
            self.body = {}

    def _bind_raw(self) -> None:
        """Hand the request on as it is; a signed one needs no token."""
        request, headers = self.request, self.request.headers
        query = request.query.decode("latin-1")
        kind = headers.get(b"content-type", b"application/octet-stream").decode("latin-1")
        self.media = Media(self.content, kind)
        before = f"/s/{request.in_path}" if request.in_path else ""
        self.params = {
            "verb": request.verb, "path": self.route.path, "query": query, "before": before,
            "scheme": request.scheme,
        }  # fmt: skip
        self.body = {}
        if "Signature=" in query or kind.startswith("multipart/form-data"):
            self.token = None

    @override
    def apply_faults(self) -> None:
        apply_faults(self)

    @override
    def check_preconditions(self) -> bool:
        method, system, request = self.route.method, self.system, self.request
        fields = system.fields if system is not None and system.fields else self.route.fields
        if method is not None and fields:
            self.mask = parse_mask(fields, method, self.route.dialect)
        if request.verb != "GET":
            check_condition(self, request, self.dispatcher.routes)
        if self.upload is not None:
            self.media = self.upload.take(self.dispatcher.link_base(request, self.session.id))
            self.sent_headers = self.upload.headers
            return self.media is not None
        return True

    @override
    def answer_with_payload(self, payload: Any) -> None:
        call, system = self.call, self.system
        if call is not None and call.ignored:
            self.response.ignored += tuple(call.ignored)
        if call is not None and call.download is not None:
            answer_download(self, self.request, call.download)
            return
        if self.route.download or (system is not None and system.alt == "media"):
            answer_media(self, self.request, payload)
            return
        self.write_answer(payload, etag=self.request.if_none_match)
        if self.upload is not None and self.media is not None:
            self.upload.finish(self.dispatcher.routes, self.media, payload)


class UnboundExchange(HttpExchange):
    """A call that no document describes and no handler answers: stubs look at what they need.

    Its parameters and its body are read when somebody looks at its entry.
    """

    __slots__ = ()

    entry: UnreadEntry
    entry_type = UnreadEntry

    @override
    def bind(self, binder: Binder) -> None:
        request, content, route, entry = self.request, self.content, self.route, self.entry
        self.params, self.body = {}, {}
        is_form = bool(content) and request.is_form
        query = request.query
        if is_form and request.verb == "GET":
            # a long GET sent as POST: its query is in the body
            query, content = b"&".join(filter(None, (query, content))), b""
        entry.request_bytes = len(query) + len(content)
        entry.asked = route.captures, query, content, is_form, route.dialect


class DecodedExchange(Exchange):
    """A call that a transport other than HTTP brings.

    Attributes:
        arguments: What it asks.
        render: Makes of the answer what the caller sends.
        stream: What yields the answers of a streaming method, or None.
    """

    stream: Iterator[JsonObject] | None = None

    def __init__(
        self, session: Session, route: Route, arguments: DecodedCall, render: Render
    ) -> None:
        super().__init__(session, route, arguments.client)
        self.entry.request_bytes = arguments.request_bytes
        self.arguments = arguments
        self.render = render
        self.decoded_params = arguments.params
        self.token = arguments.token
        self.conversation = arguments.conversation

    @override
    def bind(self, binder: Binder) -> None:
        asked = self.arguments
        if self.session.closed:
            self.response.source = "none"
            raise closed_session_error(self.session.id)
        binder.bind_arguments(self, asked.params, asked.body, typed=True)
        self.response.ignored += asked.ignored
        self.problem = asked.problem or self.problem

    @override
    def apply_faults(self) -> None:
        apply_faults(self)

    @override
    def answer_with_payload(self, payload: Any) -> None:
        if self.call is not None:
            self.response.ignored += tuple(self.call.ignored)
        if isinstance(payload, Iterator):
            self.stream = payload
            return
        for each in payload if isinstance(payload, list) else (payload or {},):
            self.response.ignored += self.render(each)
        self.write_answer(payload)


class InnerExchange(Exchange):
    """A call that a handler makes on behalf of another one.

    Attributes:
        payload: What it was answered.
        defect: What went wrong in this server while it was answered, or None.

    Args:
        outer: The call that the handler answers.
        route: What this one means.
        params: Its path and query parameters.
        body: Its request body.
        base_url: Where the caller reached the session.
    """

    defect: Exception | None = None
    payload: JsonObject | None = None

    def __init__(
        self, outer: Exchange, route: Route, params: JsonObject, body: JsonObject, base_url: str
    ) -> None:
        super().__init__(outer.session, route, parent=outer.entry.seq)
        self.params = params
        self.body = body
        self.caller = outer.caller
        self.sent_headers = outer.sent_headers
        self.base_url = base_url
        self.is_step = outer.route.method_id.startswith(TOOL_PREFIX)

    @override
    def bind(self, binder: Binder) -> None:
        binder.bind_arguments(self, self.params, self.body)

    @override
    def apply_faults(self) -> None:
        apply_faults(self)
        failed = damage_without_wire(self)
        if failed is not None:
            raise failed

    @override
    def answer_with_payload(self, payload: Any) -> None:
        super().answer_with_payload(payload)
        self.payload = payload


class StateSource:
    """Answers from the session's state, by the handler of the method."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    def serves(self, exchange: Exchange) -> bool:
        """Whether the method has a handler, and the session answers from its state.

        Credentials and documents are given in any session with recordings, which hold none.
        """
        route, sources = exchange.route, exchange.session.sources
        if route.handler is None:
            return False
        return "state" in sources or ("cassette" in sources and route.is_service)

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with what the handler gives; a miss where it has no answer to this call."""
        response, handler = exchange.response, exchange.route.handler
        call = self._dispatcher.make_call(exchange)
        if call is None or handler is None:
            return response
        if exchange.route.by_conventions and _is_made_up(exchange):
            return NOTHING
        try:
            payload: Any = (
                handler(call)
                if exchange.route.verb == "GET"
                else exchange.in_transaction(handler, call)
            )
        except RefusedError as refused:
            raise worded(refused) from None
        except ApiError as error:
            if error.status == _UNIMPLEMENTED:
                return SourceMiss(error)
            raise
        # a stream is that over gRPC alone; over HTTP it ends with its first batch
        is_stream = type(payload) is not dict and isinstance(payload, Iterator)
        if is_stream and exchange.route.verb != _STREAMING:
            payload = next(payload, None)
        exchange.answer_with_payload(payload)
        return response


def _is_made_up(exchange: Exchange) -> bool:
    """Whether a session that makes answers up holds nothing of what a call reads or changes."""
    method, session = exchange.route.method, exchange.session
    if method is None or "synthesis" not in session.sources:
        return False
    plan = generic.plan_of(method)
    return plan.verb in _OF_WHAT_IS_THERE and generic.holds_nothing(plan, session.world)


_OF_WHAT_IS_THERE = frozenset({"list", "get", "patch", "update", "set", "delete"})


class SynthesisSource:
    """Answers with what the schema of a method alone can tell."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    def serves(self, exchange: Exchange) -> bool:
        """Whether a document describes the method, and the session answers from schemas."""
        described = exchange.route.method is not None
        return described and "synthesis" in exchange.session.sources

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with what is made of the schema."""
        method, response = exchange.route.method, exchange.response
        call = self._dispatcher.make_call(exchange)
        if call is None or method is None:
            return response
        response.source = "synthesis"
        exchange.answer_with_payload(generic.synthesize(method, call))
        return response


class RecordedHostRefusal:
    """Refuses calls without an HTTP request to hosts whose recordings come before the state."""

    def serves(self, exchange: Exchange) -> bool:
        """Whether another transport brings the call to a session with recordings."""
        return exchange.decoded_params is not None and exchange.session.replay is not None

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Refuse the call where its host has recordings: none of them can be of it.

        Raises:
            ApiError: 424: the host has recordings.
        """
        replay, host = exchange.session.replay, exchange.route.host
        if replay is None or not replay.first or host not in replay.known.hosts:
            return NOTHING
        exchange.response.source = "none"
        reason = f"{host} is answered from recordings, and none is of this call"
        raise ApiError(
            424,
            f"Replay miss: {reason}.",
            reason="replayMiss",
            code_name="FAILED_PRECONDITION",
            miss=Miss(blame="replay_miss", reason=reason, differs=("transport",)),
        )
