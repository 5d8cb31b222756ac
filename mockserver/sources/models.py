"""Answers of scripted models: requests of providers onto scripts, and replies back onto HTTP."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson
from typing_extensions import override

from mockserver.asgi.requests import Receive, Request, Scope, Send, end_connection
from mockserver.googleapi import ApiError
from mockserver.model import Fault, JsonObject, Miss
from mockserver.models.catalog import ModelRoute
from mockserver.models.messages import ModelReply, ModelRequest
from mockserver.models.providers.provider import (
    ERROR_MESSAGES,
    ChatFormat,
    EmbeddingFormat,
    Format,
    NotFoundError,
    Operation,
    Served,
    Stamp,
    WrongFormatError,
)
from mockserver.models.script import (
    Pace,
    PlacedReply,
    error_message,
    render_reply,
    reply_differences,
    reply_fits,
    request_values,
    text_vector,
)
from mockserver.redaction.journal_redaction import redact_journal_body
from mockserver.routing import Route, Routes
from mockserver.sessions.fault_errors import fault_status
from mockserver.sessions.faults import Damage
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.fault_application import apply_faults
from mockserver.sources.misses import no_source_error
from mockserver.sources.protocol import SourceMiss
from mockserver.sources.response import (
    Header,
    Response,
    Schedule,
    WholeAnswer,
    break_json,
    header_pairs,
)
from mockserver.templates import TemplateError, session_values

_JSON = b"application/json"
_SERVER_ERROR = 500
_MOST_DIMENSIONS = 100_000
_MOST_REQUESTS = 512
_SEEN_KEPT = 8192
_LONGEST_REQUEST = 16_384
_PIECE = Fault.model_fields["chunk_bytes"].default


class ParsedRequest(NamedTuple):
    """A request as it was parsed before; nobody changes what is in it.

    Attributes:
        operation: What it asks.
        body: Its JSON.
        request: The same for scripts.
    """

    operation: Operation
    body: JsonObject
    request: ModelRequest


class ModelEntry(Entry):
    """The entry of a request to a model, whose body is read when somebody looks at it.

    Attributes:
        content: The body as sent, a JSON object; None where it is none.
    """

    content: bytes | None = None

    @cached_property
    @override
    def body(self) -> JsonObject | None:
        """Its body, without secrets; None where it is no object."""
        if self.content is None:
            return None
        shown: Any = redact_journal_body(orjson.loads(self.content or b"{}"))
        return shown  # type: ignore[no-any-return]

    @override
    def drop_bodies(self) -> None:
        super().drop_bodies()
        self.content = None


_init_exchange = Exchange.__init__
"""To look for it, or for `super()`, would cost a warm request hundredths more."""


class ModelExchange(Exchange):
    """A call of a provider of models that an HTTP request carries.

    Attributes:
        operation: What is asked.
        error_kind: The kind of the error that answers it, or an empty string.
        retry_after_s: When the caller may try again, as that error says; or None.
        late_fault: The fault that ends its stream with an error, or None.

    Args:
        session: Where it is asked.
        route: What it means.
        asked: The same, for a provider.
        request: The head of the request.
        content: Its body.
        parsed: The same request, where it was parsed before.
    """

    __slots__ = (
        "_stamp", "error_kind", "late_fault", "operation", "parsed", "retry_after_s",
    )  # fmt: skip

    request: Request
    entry: ModelEntry
    entry_type = ModelEntry

    def __init__(
        self,
        session: Session,
        route: Route,
        asked: ModelRoute,
        request: Request,
        content: bytes,
        parsed: ParsedRequest | None = None,
    ) -> None:
        _init_exchange(self, session, route, request.client, None, request, content)
        operation = asked.operation
        if operation.is_stream:
            operation = operation.provider.for_query(operation, request.query)
        self.operation = operation
        self.parsed = parsed if parsed is not None and parsed.operation is operation else None
        self.error_kind = ""
        self.retry_after_s: float | None = None
        self.late_fault: Fault | None = None
        self._stamp: Stamp | None = None
        response = self.response
        response.plain = True
        response.content_type = _JSON

    def stamp(self) -> Stamp:
        """Ids and moment of the reply, which are the same for all of it."""
        found = self._stamp
        if found is None:
            session = self.session
            now = self.moment = session.clock.now()
            found = self._stamp = Stamp(session.world.ids, now, session.conversations)
        return found

    @override
    def bind(self, binder: Binder) -> None:
        content, operation, entry = self.content, self.operation, self.entry
        self.params, self.body = {}, {}
        entry.request_bytes = len(self.request.query) + len(content)
        if operation.model or operation.resource:
            named = {"model": operation.model, "id": operation.resource}
            entry.params = {name: value for name, value in named.items() if value}
        if self.parsed is not None:
            self.body, entry.content = self.parsed.body, content
            return
        try:
            body = orjson.loads(content) if content else {}
        except orjson.JSONDecodeError as error:
            self.problem = ApiError(400, f"The body is not JSON: {error}")
            return
        if not isinstance(body, dict):
            self.problem = ApiError(400, "The body is not a JSON object.")
            return
        self.body, entry.content = body, content
        if operation.is_call:
            operation = self.operation = operation.provider.for_body(operation, body)
            entry.method_id = operation.id
            if operation.resource:
                entry.params = {**entry.params, "id": operation.resource}

    @override
    def apply_faults(self) -> None:
        self.fault_group = self.operation.group
        apply_faults(self)

    @override
    def defers_fault(self, fault: Fault) -> bool:
        if fault.after_events is None or self.fault_group != "models.chat":
            return False
        self.late_fault = fault
        return True

    @override
    def fault_error(self, fault: Fault) -> ApiError:
        provider = self.operation.provider
        kind: str = fault.error or ("rate_limit" if fault.rate and not fault.status else "")
        status = fault.status or provider.statuses.get(kind) or fault_status(fault)
        self.error_kind = kind or fault.reason or provider.kind_of_status(status)
        self.retry_after_s = fault.retry_after_s
        message = fault.message or ERROR_MESSAGES.get(self.error_kind, "The request failed.")
        return ApiError(status, message)

    @override
    def write_error(self, error: ApiError) -> None:
        response = self.response
        response.miss = error.miss
        response.status, headers, body = self._render_error(error)
        response.headers += header_pairs({**headers, **error.headers})
        response.body = orjson.dumps(body)

    def error_event(self, fault: Fault, chat: ChatFormat, number: int) -> bytes:
        """What ends the stream of a reply by a fault, after so many events."""
        _, _, body = self._render_error(self.fault_error(fault))
        return chat.error_event(self.error_kind, body, number)

    def _render_error(self, error: ApiError) -> tuple[int, Mapping[str, str], JsonObject]:
        status, provider = error.status, self.operation.provider
        other = "invalid_request" if status < _SERVER_ERROR else "server_error"
        kind = self.error_kind or provider.kind_of_status(status) or other
        headers, body = provider.error(
            status, kind, error.message, self.stamp(), self.retry_after_s
        )
        status, body = provider.error_of(self.operation, self.body, status, kind, body)
        return status, headers, body


class StreamedReply:
    """A reply that is sent event by event.

    Args:
        events: The events.
        pace: When each is sent, and after how many the connection is cut; None for all at once.
        headers: Headers.

    Attributes:
        content: All that is sent.
        resets: Whether a connection that is cut is reset, not closed.
    """

    def __init__(self, events: Sequence[bytes], pace: Pace | None, headers: list[Header]) -> None:
        self._events = events
        self._pace = pace
        self.content = b"".join(events if pace is None else events[: pace.cut_after])
        self._headers = headers
        self.resets = False

    def whole(self, request: Request) -> WholeAnswer | None:
        """All events in one chunk, where none is due later than another."""
        if self._pace is not None:
            return None
        return WholeAnswer(200, self._headers, (), (self.content,), is_dated=True)

    async def send(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it.

        Raises:
            ConnectionResetError: It is cut, and this transport has no connection to end.
        """
        pace, events = self._pace or Pace(), self._events
        await send({"type": "http.response.start", "status": 200, "headers": [*self._headers]})
        schedule = Schedule()
        if pace.first_ms:
            await schedule.pause(pace.first_ms / 1000)
        if not pace.gap_ms and pace.cut_after is None:
            await send({"type": "http.response.body", "body": self.content})
            return
        for number, event in enumerate(events):
            if number == pace.cut_after:
                await end_connection(scope, receive, reset=self.resets)
                return
            if number and pace.gap_ms:
                await schedule.pause(pace.gap_before(number) / 1000)
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@lru_cache
def _stream_head(media_type: str) -> list[Header]:
    return [
        (b"x-mock-source", b"stub"),
        (b"content-type", media_type.encode()),
        (b"cache-control", b"no-cache"),
    ]


def damage_stream(
    events: Sequence[bytes], pace: Pace | None, damage: Damage
) -> tuple[Sequence[bytes], Pace | None]:
    r"""The events of a stream, and their pace, with what a fault does to them.

    >>> damage_stream([b"a", b"b"], None, Damage("truncate", "", after_events=1))[1].cut_after
    1
    >>> damage_stream([b'data: {"a":1}\n\n'], None, Damage("malformed", ""))[0]
    [b'data: {\n\n']
    """
    given = pace or Pace()
    match damage.kind:
        case "truncate" | "reset":
            if damage.after_bytes is not None:
                return [b"".join(events)[: damage.after_bytes]], given.model_copy(
                    update={"cut_after": 1, "gap_ms": 0}
                )
            cut = len(events) // 2 if damage.after_events is None else damage.after_events
            # what comes last is never sent, so that the stream is always cut
            cut_after = min(cut, len(events) - 1)
            return events, given.model_copy(update={"cut_after": cut_after})
        case "malformed":
            middle = len(events) // 2
            found = events[middle]
            text = found.rstrip(b"\r\n")
            return [
                *events[:middle], break_json(text) + found[len(text) :], *events[middle + 1 :]
            ], pace  # fmt: skip
        case "slow_first_byte":
            return events, given.model_copy(update={"first_ms": given.first_ms + damage.pause_ms})
        case _:
            size = damage.chunk_bytes
            if size != _PIECE:
                content = b"".join(events)
                events = [content[at : at + size] for at in range(0, len(content), size)]
            return events, given.model_copy(update={"gap_ms": given.gap_ms + damage.pause_ms})


def break_calls(reply: ModelReply) -> ModelReply:
    """A reply whose tool calls have arguments that are no JSON: their last third is missing.

    >>> from mockserver.models.messages import ToolCall
    >>> break_calls(ModelReply(calls=(ToolCall("look", {"city": "Bern"}),))).calls[0].arguments
    '{"city":"B'
    """
    calls = []
    for call in reply.calls:
        text = call.json_text
        calls.append(call._replace(arguments=text[: max(1, len(text) * 2 // 3)]))
    return replace(reply, calls=tuple(calls))


class ModelSource:
    """Answers as the scripted models of a suite do.

    Args:
        routes: Where the models are found.
        session_url: Where the client of a request reached a session.
    """

    def __init__(self, routes: Routes, session_url: Callable[[Request, str], str]) -> None:
        self._routes = routes
        self._session_url = session_url
        self._parsed: OrderedDict[bytes, ParsedRequest] = OrderedDict()
        self._seen = [0] * _SEEN_KEPT

    def exchange(
        self, session: Session, route: Route, asked: ModelRoute, request: Request, content: bytes
    ) -> ModelExchange:
        """A call that an HTTP request carries; its arguments are those of `ModelExchange`."""
        return ModelExchange(session, route, asked, request, content, self._parsed.get(content))

    def serves(self, exchange: Exchange) -> bool:
        """Whether a provider of models is asked, and no recordings answer for it."""
        return exchange.route.model is not None and not exchange.is_replayed

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with the first reply that fits.

        Raises:
            ApiError: No reply fits, the request is broken, or the reply is an error.
        """
        response = exchange.response
        if not isinstance(exchange, ModelExchange) or "stub" not in exchange.session.sources:
            response.source = "none"
            raise no_source_error(exchange.route)
        if exchange.problem is not None:
            raise exchange.problem
        response.source = "stub"
        operation, stamp = exchange.operation, exchange.stamp()
        format = operation.format
        try:
            if format is None:
                served = self._served(exchange)
                found = operation.provider.answer(operation, served, exchange.body, stamp)
                response.body = orjson.dumps(found)
                return response
            request = self._parse(exchange, format, stamp)
        except NotFoundError as error:
            exchange.error_kind = error.kind
            raise ApiError(error.status, error.message) from error
        except WrongFormatError as error:
            raise ApiError(400, f"This is no request of {operation.id}: {error}") from error
        if format.group == "models.embeddings":
            self._embed(exchange, format, request)
        else:
            self._reply(exchange, format, request, stamp)
        return response

    def _served(self, exchange: ModelExchange) -> Served:
        models, request = self._routes.models, exchange.request
        url = partial(self._session_url, request, exchange.session.id)
        query = dict(parse_qsl(request.query.decode("latin-1")))
        return Served(models.names, models.agent, url, query)

    def _parse(self, exchange: ModelExchange, format: Format, stamp: Stamp) -> ModelRequest:
        """The request, with what was said before where its provider stores that."""
        if exchange.parsed is not None:
            return exchange.parsed.request
        body, operation, content = exchange.body, exchange.operation, exchange.content
        whole = format.with_history(body, stamp)
        request = format.parse(whole, operation)
        if whole is not body:
            request.body = body
            return request
        if len(content) <= _LONGEST_REQUEST:
            number = hash(content)
            place = number % _SEEN_KEPT
            if self._seen[place] != number:
                self._seen[place] = number  # most come once
                return request
            if len(self._parsed) >= _MOST_REQUESTS:
                self._parsed.popitem(last=False)
            self._parsed[content] = ParsedRequest(operation, body, request)
        return request

    def _embed(
        self, exchange: ModelExchange, embedding: EmbeddingFormat, request: ModelRequest
    ) -> None:
        """Answer with the vectors of a reply that has some, else with those of the texts."""
        models, given = self._routes.models, None
        size, placed = models.dimensions, self._take(exchange, request, models.embeddings)
        if placed is not None:
            given, size = placed.reply.embedding, placed.dimensions
        wanted = request.body.get("dimensions")
        if type(wanted) is int and 0 < wanted <= _MOST_DIMENSIONS:
            size = wanted
        vectors = [given or text_vector(each, size) for each in request.inputs]
        exchange.response.body = orjson.dumps(embedding.embed(request, vectors))

    def _reply(
        self, exchange: ModelExchange, chat: ChatFormat, request: ModelRequest, stamp: Stamp
    ) -> None:
        response, turns = exchange.response, self._routes.models.turns
        placed = self._take(exchange, request, turns)
        if placed is None:
            response.source = "none"
            raise _no_reply(exchange, request, turns)
        pace = placed.pace
        try:
            reply = placed.constant or render_reply(
                placed,
                partial(_values, exchange, request, 0),
                _call_ids(stamp, exchange.operation),
            )
        except TemplateError as error:
            raise _failure(placed, error) from error
        malformed = exchange.malformed if reply.calls else None
        if malformed is not None:
            malformed.count()
            exchange.entry.fault = malformed.fault.origin or malformed.fault.method
            reply = break_calls(reply)
        late = exchange.late_fault
        if not request.is_stream:
            if late is not None:
                response.source = "fault"
                raise exchange.fault_error(late)
            response.body = chat.render(request, reply, stamp)
            if pace is not None:
                response.delay_ms += pace.first_ms
            return
        events: Sequence[bytes] = [*chat.stream(request, reply, stamp, placed.cut)]
        if late is not None and late.after_events is not None:
            kept = events[: min(late.after_events, len(events) - 1)]
            events = [*kept, exchange.error_event(late, chat, len(kept))]
        damage, response.damage = response.damage, None
        if damage is not None:
            events, pace = damage_stream(events, pace, damage)
        streamed = StreamedReply(events, pace, _stream_head(chat.stream_type))
        streamed.resets = damage is not None and damage.kind == "reset"
        response.playback, response.body = streamed, streamed.content

    def _take(
        self, exchange: ModelExchange, request: ModelRequest, replies: Sequence[PlacedReply]
    ) -> PlacedReply | None:
        """The first reply that fits, noted as given; None where none does.

        Raises:
            ApiError: It is an error; or 500: an expression fails.
        """
        world, values = exchange.session.world, partial(_values, exchange, request, 1)
        for placed in replies:
            try:
                if reply_fits(placed, request, values, world.answered):
                    break
            except TemplateError as error:
                raise _failure(placed, error) from error
        else:
            return None
        world.count(placed.place)
        if not placed.is_plain:
            _delay_or_refuse(exchange, placed)
        return placed


def _no_reply(
    exchange: ModelExchange, request: ModelRequest, replies: Sequence[PlacedReply]
) -> ApiError:
    """404, with the reply that is nearest to a request that none fits."""
    answered = exchange.session.world.answered
    place = ""
    differs: tuple[str, ...] = ()
    for placed in replies:
        found = reply_differences(placed, request, answered)
        if not place or len(found) < len(differs):
            place, differs = placed.place, found
    reason = f"no reply of the suite's models fits this request to {request.model}"
    told = f"; {place} is nearest: {'; '.join(differs)}" if place else ""
    miss = Miss(blame="fixture_gap", reason=reason, nearest=place, differs=differs)
    return ApiError(404, f"{reason}{told}", miss=miss)


def _values(
    exchange: ModelExchange, request: ModelRequest, ahead: int, placed: PlacedReply
) -> dict[str, Any]:
    """The values that a reply may speak of; `ahead` is 1 before it is counted."""
    world = exchange.session.world
    number = world.answered.get(placed.place, 0) + ahead
    return {**session_values(world, placed.place, number), **request_values(request)}


def _delay_or_refuse(exchange: ModelExchange, placed: PlacedReply) -> None:
    """Hold an answer back as its reply says.

    Raises:
        ApiError: The reply is an error.
    """
    exchange.response.delay_ms += placed.reply.delay_ms
    error = placed.reply.error
    if error is not None:
        exchange.error_kind, exchange.retry_after_s = error.kind, error.retry_after_s
        status = error.status or exchange.operation.provider.statuses[error.kind]
        raise ApiError(status, error_message(error))


def _failure(placed: PlacedReply, error: TemplateError) -> ApiError:
    text = f"The reply {placed.place} fails: {error}"
    return ApiError(500, text, miss=Miss(blame="fixture_gap", reason=text, nearest=placed.place))


def _call_ids(stamp: Stamp, operation: Operation) -> Iterator[str]:
    prefix = operation.provider.call_prefix
    while True:
        yield f"{prefix}{stamp.ids.base36('call', 24)}" if prefix else ""
