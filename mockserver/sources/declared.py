"""Answers from declared APIs: HTTP onto their operations, and their answers onto HTTP."""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Protocol

import orjson
from typing_extensions import override

from mockserver.asgi.requests import Request
from mockserver.declared.api import DeclaredApi, payload_of
from mockserver.declared.calls import Answer, DeclaredCall, SentFile
from mockserver.declared.catalog import BoundQuery, DeclaredRoute
from mockserver.declared.errors import refusal
from mockserver.declared.forms import nested_fields
from mockserver.googleapi import ApiError, Call, Caller
from mockserver.googleapi.call import Invoke
from mockserver.messages.headers import media_parameter
from mockserver.messages.multipart import boundary_of, split_multipart
from mockserver.model import MAKING_UP, Json, JsonObject, Miss
from mockserver.redaction.journal_redaction import redact_journal_params
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.bodies import form_fields, parse_json
from mockserver.sources.declared_batches import answer_batch
from mockserver.sources.declared_stubs import DeclaredStubs
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.fault_application import apply_faults
from mockserver.sources.misses import no_source_error
from mockserver.sources.protocol import SourceMiss
from mockserver.sources.response import Response, header_pairs

_JSON = b"application/json"
_BYTES = "application/octet-stream"
_MOST_PARTS = 1000
_UNIMPLEMENTED = 501


class SentHeaders(Mapping[str, str]):
    """The headers of a request, each decoded when it is asked for.

    Args:
        sent: As they came, with names in lower case.
    """

    def __init__(self, sent: Mapping[bytes, bytes]) -> None:
        self._sent = sent

    @override
    def __getitem__(self, name: str) -> str:
        return self._sent[name.encode("latin-1")].decode("latin-1")

    @override
    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1") for name in self._sent)

    @override
    def __len__(self) -> int:
        return len(self._sent)


class Calls(Protocol):
    """What the dispatcher does for a call of a declared API."""

    def make_call(self, exchange: Exchange) -> Call | None:
        """The call that a handler is given; None where it is answered without one."""
        ...

    def invoker(self, exchange: Exchange) -> Invoke:
        """What calls another method of the same session, as a part of a call."""
        ...

    def link_base(self, request: Request, session_id: str) -> str:
        """What stands before a request's path in a link."""
        ...

    def answer_part(
        self, outer: Exchange, request: Request, content: bytes
    ) -> tuple[Response, ApiError | None]:
        """The answer to a request of a batch, and what it was refused with."""
        ...


_init_exchange = Exchange.__init__
"""To look for it, or for `super()`, would cost a warm request hundredths more."""


class DeclaredExchange(Exchange):
    """A call of a declared API that an HTTP request carries.

    Attributes:
        declared: What it means there.
        query: Its parameters, each with its values.
        sent: Its body: any JSON or the fields of a form; None where there is none.
        file: The file that it brings, or None.
        stubs: The stubs of declared APIs.
        unmatched: Why no stub of a route that has nothing but stubs answers, or None.

    Args:
        dispatcher: What answers it.
        session: Where it is asked.
        route: What it means.
        declared: The same, in the declared API.
        request: The head of the request.
        content: Its body.
        parent: The number of the batch that it is a part of, or None.
    """

    __slots__ = (
        "declared", "dispatcher", "file", "headers", "query", "sent", "stubs", "unmatched",
    )  # fmt: skip

    request: Request
    stubs: DeclaredStubs

    def __init__(
        self,
        dispatcher: Calls,
        session: Session,
        route: Route,
        declared: DeclaredRoute,
        request: Request,
        content: bytes,
        parent: int | None = None,
    ) -> None:
        _init_exchange(self, session, route, request.client, parent, request, content)
        self.declared = declared
        self.dispatcher = dispatcher
        self.headers = SentHeaders(request.headers)
        self.query: dict[str, list[str]] = {}
        self.sent: Json = None
        self.file: SentFile | None = None
        self.unmatched: ApiError | None = None
        self.response.plain = True

    @override
    def bind(self, binder: Binder) -> None:
        if self.declared.stubs:
            self._choose_stub()
        declared, entry, sent = self.declared, self.entry, self.request.query
        api, operation = declared.api, declared.operation
        bound = declared.bound.get(sent) or _bind_query(declared, sent)
        self.query, params, entry.params, key = bound
        self.params, self.body = dict(params), {}
        entry.request_bytes = len(sent) + len(self.content)
        if api.declaration.auth is not None:
            key = key or api.credential(self.headers, {})
            self.caller = Caller(token=key)
            if operation is not None:
                api.check_credential(operation, key, self.session.token)
        if self.content:
            try:
                self._read_body()
            except ApiError as error:
                self.problem = error

    def _choose_stub(self) -> None:
        declared, sources = self.declared, self.session.sources
        if "stub" not in sources or (sources[0] != "stub" and declared.operation is not None):
            return
        found = self.stubs.find(self, self.request, declared.stubs)
        if isinstance(found, DeclaredRoute):
            self.declared = found
            self.entry.method_id = found.operation.id if found.operation is not None else ""
        elif declared.operation is None:
            self.unmatched = found

    def _read_body(self) -> None:
        content_type, kind = _kind_of(self.request.content_type)
        operation, content = self.declared.operation, self.content
        is_form = kind == "multipart/form-data"
        is_upload = operation is not None and operation.kind == "upload"
        if is_form:
            self._read_form()
        elif is_upload:
            self.file = SentFile(content, content_type or SentFile(b"").content_type)
        elif kind == "application/x-www-form-urlencoded" and content.lstrip()[:1] not in b"{[":
            self.sent = nested_fields(form_fields(content.decode("utf-8", "replace")))
            is_form = True
        elif kind in _TEXTUAL or kind.endswith("+json"):
            self.sent = parse_json(content, "one_platform")
        elif operation is not None and self.declared.api.takes(operation, kind):
            self.file = SentFile(content, kind)
        else:
            raise refusal(415, f"{kind[:100]} is not taken here; application/json is.")
        if isinstance(self.sent, dict):
            self.sent = self.declared.api.fields_of(operation, self.sent, is_form=is_form)
            self.body = self.sent
            self.entry.set_body(self.sent)
        elif self.sent is not None:
            self.entry.set_body({"items": self.sent})

    def _read_form(self) -> None:
        boundary = boundary_of(self.request.content_type.decode("latin-1"))
        if boundary and self.content.count(boundary.encode("latin-1")) > _MOST_PARTS:
            raise refusal(400, f"A form of more than {_MOST_PARTS} parts is not taken.")
        form = split_multipart(self.content, boundary)
        if form is None:
            raise refusal(400, "The form has not the boundary that its type names.")
        fields: list[tuple[str, str]] = []
        for part in form.parts:
            headers = {name.lower(): value for name, value in part.headers}
            name = media_parameter(headers.get("content-disposition", ""), "filename")
            if name and self.file is None:
                kind = headers.get("content-type", _BYTES)
                self.file = SentFile(part.body, kind, name)
            elif not name:
                fields.append((part.name, part.body.decode("utf-8", "replace")))
        self.sent = nested_fields(fields) or None

    @override
    def apply_faults(self) -> None:
        apply_faults(self)

    @override
    def write_error(self, error: ApiError) -> None:
        response, shape = self.response, self.declared.api.errors
        response.status = error.status
        response.headers += header_pairs(error.headers)
        response.miss = error.miss
        response.content_type = shape.content_type
        response.body = orjson.dumps(shape.body(error, self.route.path))

    def declared_call(self) -> DeclaredCall:
        """What the operation is handed."""
        declared, query = self.declared, self.query
        if declared.operation is None:
            raise LookupError("no operation")
        if query:
            query = {
                name: value if isinstance(value, list) else [value]
                for name, value in self.params.items()
                if name in query
            }
        return DeclaredCall(
            declared.operation,
            declared.captures,
            query,
            self.sent,
            self.delayed_world or self.session.world,
            self.headers,
            self.file,
            self._url(),
            self.caller,
            self.dispatcher.invoker(self),
        )

    def _url(self) -> str:
        """Where the caller reached the API, its base path included."""
        request, session_id, known = self.request, self.session.id, self.declared.urls
        key = (request.host, request.scheme, request.path, session_id)
        url = known.get(key)
        if url is None:
            start = self.dispatcher.link_base(request, session_id)
            before = request.path.decode("latin-1").removesuffix(self.route.path)
            url = f"{start}{before}{self.declared.api.base_path}"
            if len(known) >= _MOST_KEPT:
                known.clear()
            known[key] = url
        return url


@lru_cache(1024)
def _kind_of(sent: bytes) -> tuple[str, str]:
    """The type of a body as it was sent, and without its parameters."""
    content_type = sent.decode("latin-1")
    return content_type, content_type.partition(";")[0].strip().lower()


_TEXTUAL = frozenset({"", "application/json", "text/json", "text/plain",
                      "application/x-www-form-urlencoded"})  # fmt: skip


def _bind_query(declared: DeclaredRoute, sent: bytes) -> BoundQuery:
    """What a query asks of a route; kept with the route, where it is short."""
    query: dict[str, list[str]] = {}
    for name, value in form_fields(sent.decode("latin-1")):
        query.setdefault(name, []).append(value)
    api, operation = declared.api, declared.operation
    auth = api.declaration.auth
    key = ""
    if auth is not None and auth.query:
        key = next(iter(query.pop(auth.query, ())), "")
    names = operation.placeholders if operation is not None else ()
    params: JsonObject = {
        **{name: each[0] if len(each) == 1 else each for name, each in query.items()},
        **dict(zip(names, declared.captures, strict=False)),
    }
    bound = query, params, redact_journal_params(api.parse_params(operation, params)), key
    if len(sent) <= _LONGEST_KEPT:
        if len(declared.bound) >= _MOST_KEPT:
            declared.bound.clear()
        declared.bound[sent] = bound
    return bound


_LONGEST_KEPT = 1024
_MOST_KEPT = 64
"""Queries of one path that are kept, and ways by which callers reached it."""


class DeclaredSource:
    """Answers from the session's state, as declarations say.

    Attributes:
        stubs: The stubs of the APIs.
    """

    def __init__(self, dispatcher: Calls) -> None:
        self._dispatcher = dispatcher
        self.stubs = DeclaredStubs()

    def exchange(
        self,
        session: Session,
        route: Route,
        declared: DeclaredRoute,
        request: Request,
        content: bytes,
        parent: int | None = None,
    ) -> DeclaredExchange:
        """A call that an HTTP request carries.

        Args:
            session: Where it is asked.
            route: What it means.
            declared: The same, in the declared API.
            request: The head of the request.
            content: Its body.
            parent: The number of the batch that it is a part of, or None.
        """
        found = DeclaredExchange(
            self._dispatcher, session, route, declared, request, content, parent
        )
        found.stubs = self.stubs
        return found

    def serves(self, exchange: Exchange) -> bool:
        """Whether a declared API is meant, and no recordings answer for it."""
        return exchange.route.declared is not None and not exchange.is_replayed

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer as the operation does.

        Raises:
            ApiError: What the API refuses the call with.
        """
        response, route, declared = exchange.response, exchange.route, exchange.route.declared
        if isinstance(exchange, DeclaredExchange):
            declared = exchange.declared
            if exchange.unmatched is not None:
                response.source = "none"
                raise exchange.unmatched
        if declared is None or declared.operation is None:
            return self._unknown(exchange)
        kind, sources = declared.operation.kind, exchange.session.sources
        if kind != "documented" and ("stub" if kind == "stub" else "state") not in sources:
            response.source = "none"
            raise no_source_error(route)
        if isinstance(exchange, DeclaredExchange):
            if exchange.problem is not None:
                raise exchange.problem
            asked = exchange.declared_call()
        else:
            call = self._dispatcher.make_call(exchange)
            if call is None:
                return response
            asked = declared.api.declared_call(call)
        if kind == "stub":
            asked.by_server = partial(self.stubs.answer, exchange, declared, asked)
        elif kind == "batch" and isinstance(exchange, DeclaredExchange):
            asked.by_server = partial(self._answer_batch, exchange)
        answer = exchange.in_transaction(_answer_of, exchange, declared.api, asked)
        if not isinstance(exchange, DeclaredExchange):
            exchange.answer_with_payload(payload_of(answer))
            return response
        _fill(response, answer)
        if asked.ignored:
            response.ignored += tuple(asked.ignored)
        return response

    def _answer_batch(self, exchange: DeclaredExchange) -> Answer:
        api = exchange.declared.api
        before = exchange.request.path.decode("latin-1").removesuffix(exchange.route.path)
        prefix = f"{before}{api.base_path}".encode("latin-1")
        batch = api.declaration.batch
        if batch is None or exchange.entry.parent is not None:
            raise refusal(400, "A batch cannot hold another batch.")
        return answer_batch(exchange, batch, exchange.sent, prefix, self._dispatcher.answer_part)

    def _unknown(self, exchange: Exchange) -> Response:
        response, route, declared = exchange.response, exchange.route, exchange.route.declared
        if declared is None:
            raise no_source_error(route)
        if route.verb == "OPTIONS" and declared.verbs:
            response.status = 204
            response.headers += header_pairs({"allow": ", ".join((*declared.verbs, "OPTIONS"))})
            return response
        response.source = "none"
        if declared.stubs:
            text = f"Only stubs answer {route.verb} {route.path}; this session has no such source."
            raise refusal(404, text, miss=Miss(blame="fixture_gap", reason=text))
        api: DeclaredApi = declared.api
        raise api.unknown(route.verb, route.path, declared.verbs)


def _answer_of(exchange: Exchange, api: DeclaredApi, asked: DeclaredCall) -> Answer:
    """What an API answers; what it makes of its document alone is marked as made up.

    Raises:
        ApiError: What it refuses the call with; 501 where an answer would have to be made up and
            cannot be, or the session makes none up.
    """
    if asked.operation.kind != "documented":
        return api.answer(asked)
    asked.may_make_up = not MAKING_UP.isdisjoint(exchange.session.sources)
    try:
        answer = api.answer(asked)
    except ApiError as error:
        if error.status == _UNIMPLEMENTED:
            exchange.response.source = "none"
        raise
    exchange.response.source = "synthesis"
    return answer


def _fill(response: Response, answer: Answer) -> None:
    """Put an answer into the response that is sent."""
    response.status = answer.status
    if answer.headers:
        response.headers += header_pairs(dict(answer.headers))
    response.content_type = _JSON
    if answer.content is not None:
        response.body = answer.content
        response.content_type = answer.content_type.encode("latin-1", "replace")
    elif answer.encoded:
        response.body = answer.encoded
    elif answer.payload is not None or answer.status not in {204, 304}:
        response.body = orjson.dumps(answer.payload)
