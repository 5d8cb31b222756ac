"""Answers of scripted models: requests of providers onto scripts, and replies back onto HTTP."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson
from typing_extensions import override

from mockserver.asgi.requests import Receive, Request, Scope, Send, end_connection
from mockserver.googleapi import ApiError
from mockserver.model import Miss
from mockserver.models.catalog import ModelRoute
from mockserver.models.messages import ModelRequest
from mockserver.models.providers.provider import (
    ERROR_STATUS,
    ChatFormat,
    EmbeddingFormat,
    Operation,
    Stamp,
    WrongFormatError,
)
from mockserver.models.script import (
    Pace,
    PlacedReply,
    error_message,
    render_reply,
    reply_differences,
    request_values,
    text_vector,
)
from mockserver.routing import Route, Routes
from mockserver.sessions.session import Session
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.fault_application import apply_faults
from mockserver.sources.misses import no_source_error
from mockserver.sources.protocol import SourceMiss
from mockserver.sources.response import Header, Response, header_pairs
from mockserver.templates import TemplateError, session_values

_JSON = b"application/json"
_KINDS = {status: kind for kind, status in ERROR_STATUS.items()}
_SERVER_ERROR = 500
_MOST_DIMENSIONS = 100_000


class ModelExchange(Exchange):
    """A call of a provider of models that an HTTP request carries.

    Attributes:
        operation: What is asked.
        error_kind: The kind of the scripted error that answers it, or an empty string.

    Args:
        session: Where it is asked.
        route: What it means.
        asked: The same, for a provider.
        request: The head of the request.
        content: Its body.
    """

    request: Request
    error_kind: str = ""

    def __init__(
        self, session: Session, route: Route, asked: ModelRoute, request: Request, content: bytes
    ) -> None:
        super().__init__(session, route, request.client)
        self.request = request
        self.content = content
        operation = asked.operation
        self.operation = operation.provider.for_query(operation, request.query)
        self.response.plain = True
        self.response.content_type = _JSON

    @property
    def stamp(self) -> Stamp:
        """Ids and moment of the reply."""
        return Stamp(self.session.world.ids, self.session.clock.now())

    @override
    def bind(self, binder: Binder) -> None:
        self.params, self.body = {}, {}
        self.entry.request_bytes = len(self.request.query) + len(self.content)
        if self.operation.model:
            self.entry.params = {"model": self.operation.model}
        try:
            body = orjson.loads(self.content) if self.content else {}
        except orjson.JSONDecodeError as error:
            self.problem = ApiError(400, f"The body is not JSON: {error}")
            return
        if not isinstance(body, dict):
            self.problem = ApiError(400, "The body is not a JSON object.")
            return
        self.body = self.entry.body = body

    @override
    def apply_faults(self) -> None:
        apply_faults(self)

    @override
    def write_error(self, error: ApiError) -> None:
        response, status = self.response, error.status
        other = "invalid_request" if status < _SERVER_ERROR else "server_error"
        kind = self.error_kind or _KINDS.get(status, other)
        headers, body = self.operation.provider.error(status, kind, error.message, self.stamp)
        response.status, response.miss = status, error.miss
        response.headers += header_pairs({**headers, **error.headers})
        response.body = orjson.dumps(body)


class StreamedReply:
    """A reply that is sent event by event.

    Args:
        events: The events.
        pace: When each is sent, and after how many the connection is cut.
        headers: Headers.
    """

    def __init__(self, events: Iterable[bytes], pace: Pace, headers: tuple[Header, ...]) -> None:
        self._events = tuple(events)
        self._pace = pace
        self._headers = headers

    @property
    def content(self) -> bytes:
        """All that is sent."""
        return b"".join(self._events[: self._pace.cut_after])

    async def send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it.

        Raises:
            ConnectionResetError: It is cut, and this transport has no connection to end.
        """
        pace, events = self._pace, self._events
        await send({"type": "http.response.start", "status": 200, "headers": [*self._headers]})
        if pace.first_ms:
            await asyncio.sleep(pace.first_ms / 1000)
        if not pace.gap_ms and pace.cut_after is None:
            await send({"type": "http.response.body", "body": b"".join(events)})
            return
        for number, event in enumerate(events):
            if number == pace.cut_after:
                await end_connection(scope, receive, reset=False)
                return
            if number and pace.gap_ms:
                await asyncio.sleep(pace.gap_ms / 1000)
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


class ModelSource:
    """Answers as the scripted models of a suite do.

    Args:
        routes: Where the models are found.
    """

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def exchange(
        self, session: Session, route: Route, asked: ModelRoute, request: Request, content: bytes
    ) -> ModelExchange:
        """A call that an HTTP request carries; its arguments are those of `ModelExchange`."""
        return ModelExchange(session, route, asked, request, content)

    def serves(self, exchange: Exchange) -> bool:
        """Whether a provider of models is asked, and no recordings answer for it."""
        return exchange.route.model is not None and not exchange.is_replayed

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with the first reply that fits.

        Raises:
            ApiError: No reply fits, the request is broken, or the reply is an error.
        """
        response = exchange.response
        if not isinstance(exchange, ModelExchange) or "stub" not in exchange.session.spec.sources:
            response.source = "none"
            raise no_source_error(exchange.route)
        if exchange.problem is not None:
            raise exchange.problem
        response.source = "stub"
        operation, stamp = exchange.operation, exchange.stamp
        try:
            if operation.format is None:
                names = self._routes.models.names
                found = operation.provider.answer(operation, names, exchange.body, stamp)
                response.body = orjson.dumps(found)
                return response
            request = operation.format.parse(exchange.body, operation)
        except WrongFormatError as error:
            raise ApiError(400, f"This is no request of {operation.id}: {error}") from error
        if isinstance(operation.format, EmbeddingFormat):
            self._embed(exchange, operation.format, request)
        else:
            self._reply(exchange, operation.format, request)
        return response

    def _embed(
        self, exchange: ModelExchange, embedding: EmbeddingFormat, request: ModelRequest
    ) -> None:
        """Answer with the vectors of a reply that has some, else with those of the texts."""
        placed = self._choose(exchange, request, embeds=True)
        given: tuple[float, ...] | None = None
        size = self._routes.models.dimensions
        if isinstance(placed, PlacedReply):
            _count(exchange, placed)
            given, size = placed.reply.embedding, placed.dimensions
        wanted = request.body.get("dimensions")
        if type(wanted) is int and 0 < wanted <= _MOST_DIMENSIONS:
            size = wanted
        vectors = [given or text_vector(each, size) for each in request.inputs]
        exchange.response.body = orjson.dumps(embedding.embed(request, vectors))

    def _reply(self, exchange: ModelExchange, chat: ChatFormat, request: ModelRequest) -> None:
        placed = self._choose(exchange, request, embeds=False)
        if isinstance(placed, Miss):
            exchange.response.source = "none"
            differs = f"; {placed.nearest} is nearest: {'; '.join(placed.differs)}"
            text = f"{placed.reason}{differs if placed.nearest else ''}"
            raise ApiError(404, text, miss=placed)
        _count(exchange, placed)
        response, stamp, pace = exchange.response, exchange.stamp, placed.pace
        try:
            ids = _call_ids(stamp, exchange.operation)
            reply = render_reply(placed, _values(exchange, request), ids)
        except TemplateError as error:
            raise _failure(placed, error) from error
        if not request.is_stream:
            response.body = orjson.dumps(chat.render(request, reply, stamp))
            response.delay_ms += pace.first_ms
            return
        headers = (
            (b"x-mock-source", b"stub"),
            (b"content-type", chat.stream_type.encode()),
            (b"cache-control", b"no-cache"),
        )
        streamed = StreamedReply(chat.stream(request, reply, stamp, pace.cut), pace, headers)
        response.playback, response.body = streamed, streamed.content

    def _choose(
        self, exchange: ModelExchange, request: ModelRequest, *, embeds: bool
    ) -> PlacedReply | Miss:
        """The first reply that fits; else a miss that names the nearest.

        Raises:
            ApiError: 500: an expression fails.
        """
        answered, values = exchange.session.world.answered, _values(exchange, request, ahead=1)
        nearest: tuple[str, tuple[str, ...]] = ("", ())
        for placed in self._routes.models.replies:
            if embeds is (placed.reply.embedding is None) and placed.reply.error is None:
                continue
            try:
                given = answered.get(placed.place, 0)
                differs = reply_differences(placed, request, values, given)
            except TemplateError as error:
                raise _failure(placed, error) from error
            if not differs:
                return placed
            if not nearest[0] or len(differs) < len(nearest[1]):
                nearest = placed.place, differs
        reason = f"no reply of the suite's models fits this request to {request.model}"
        place, differs = nearest
        return Miss(blame="fixture_gap", reason=reason, nearest=place, differs=differs)


def _values(
    exchange: ModelExchange, request: ModelRequest, *, ahead: int = 0
) -> Callable[[PlacedReply], dict[str, Any]]:
    """What makes the values that a reply may speak of; `ahead` is 1 before it is counted."""
    world = exchange.session.world

    def make(placed: PlacedReply) -> dict[str, Any]:
        number = world.answered.get(placed.place, 0) + ahead
        return {**session_values(world, placed.place, number), **request_values(request)}

    return make


def _count(exchange: ModelExchange, placed: PlacedReply) -> None:
    """Note that a reply is given.

    Raises:
        ApiError: It is an error.
    """
    exchange.session.world.count(placed.place)
    exchange.response.delay_ms += placed.reply.delay_ms
    error = placed.reply.error
    if error is not None:
        exchange.error_kind = error.kind
        status = error.status or exchange.operation.provider.statuses[error.kind]
        after = error.retry_after_s
        headers = {} if after is None else {"retry-after": f"{after:g}"}
        raise ApiError(status, error_message(error), headers=headers)


def _failure(placed: PlacedReply, error: TemplateError) -> ApiError:
    text = f"The reply {placed.place} fails: {error}"
    return ApiError(500, text, miss=Miss(blame="fixture_gap", reason=text, nearest=placed.place))


def _call_ids(stamp: Stamp, operation: Operation) -> Iterator[str]:
    prefix = operation.provider.call_prefix
    while True:
        yield f"{prefix}{stamp.ids.base36('call', 24)}" if prefix else ""
