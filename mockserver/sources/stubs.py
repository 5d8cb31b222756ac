"""Literal answers of a snapshot (`http`): the most specific one that is for a request."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import orjson

from mockserver.asgi.requests import Request
from mockserver.googleapi import ApiError, Method, nearest, system_parameter_name
from mockserver.model import Json, JsonObject, Miss
from mockserver.redaction.journal_redaction import redact_journal_path
from mockserver.routing import Route
from mockserver.sources.bodies import parse_form
from mockserver.sources.exchange import Exchange
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.protocol import NOTHING, SourceMiss
from mockserver.sources.response import HTML, JSON, Header, Response, header_pairs
from mockserver.sources.sockets import ScriptedSocket
from mockserver.state import Base
from mockserver.stubs import SocketStep, argument_differences, stub_rank
from mockserver.templates import TemplateError, condition, render_json, session_values

_SCHEME = re.compile("^https?://")
_TEXT = b"text/plain; charset=UTF-8"
_ANY = "*"
_OPEN_SEGMENT = re.compile(r"\{(\w+)\}")
_PLACEHOLDER = re.compile(r"\{\+?(\w+)\}")
_HIDDEN = frozenset({"authorization", "cookie", "proxy-authorization", "x-api-key"})
"""Headers that no answer may repeat: they hold credentials."""

_COMPARED = 2000
"""Stubs that a request without one is compared with."""

_KEPT = 256
_REQUESTS_KEPT = 4096
_KEPT_OF_EACH = 2
"""Requests for each stub, where these are more."""

_LONGEST_KEPT = 1024
"""The stubs of longer requests are looked up anew each time, so that what is kept stays small."""

SWITCHING = 101
"""The status of a request that opens a WebSocket."""

_ERROR = 400
_TOOLS = "/tools/"


@dataclass(frozen=True, slots=True)
class StubAnswer:
    """One answer of a stub.

    Attributes:
        status: The HTTP status.
        body: The body.
        content_type: Its type.
        headers: Further headers.
        delay_ms: How long it is held back, in milliseconds.
        template: The headers and the body as written, where they are templates.
    """

    status: int
    body: bytes
    content_type: bytes
    headers: tuple[Header, ...]
    delay_ms: float = 0
    template: JsonObject | None = None

    def payload(self) -> JsonObject | list[JsonObject]:
        """The answer as the message, or the messages, that it is in a call without HTTP.

        Raises:
            ApiError: Its error, where it is one; 501 where the body is no JSON.
        """
        found: Any
        try:
            found = orjson.loads(self.body or b"{}")
        except orjson.JSONDecodeError:
            found = None
        several = isinstance(found, list) and all(isinstance(each, dict) for each in found)
        if self.status >= _ERROR:
            raise self._error(found)
        if isinstance(found, dict) or several:
            answer: JsonObject | list[JsonObject] = found
            return answer
        text = "The stub for this call answers no JSON object; only HTTP requests can get it."
        raise ApiError(501, text, miss=Miss(blame="fixture_gap", reason=text))

    def tool_result(self) -> JsonObject:
        """The answer as the result of a tool, for calls without HTTP: `{"result": ...}`.

        Raises:
            ApiError: Its error, where it is one.
        """
        found: Any
        try:
            found = orjson.loads(self.body or b"null")
        except orjson.JSONDecodeError:
            found = self.body.decode(errors="replace")
        if self.status < _ERROR:
            is_whole = isinstance(found, dict) and found.keys() == {"result"}
            return found if is_whole else {"result": found}
        raise self._error(found)

    def _error(self, found: Any) -> ApiError:
        error = found.get("error") if isinstance(found, dict) else None
        told = error if isinstance(error, dict) else {}
        text = str(told.get("message") or self.body.decode(errors="replace"))
        return ApiError(self.status, text, code_name=str(told.get("status", "")))


@dataclass(frozen=True, slots=True)
class Stub:
    """What requests get which answer.

    Attributes:
        number: Its place in the snapshot, from 0.
        verb: The HTTP method; `*` is any.
        address: `host/path` or `/path`, as written.
        query: The query that the address asks for, as pairs in any order; None asks for none.
        answers: Its answers, in order.
        id: What the journal calls its requests, or an empty string.
        match: What a request must have besides: `query`, `headers`, `body`.
        when: An expression that must hold, or an empty string.
        then: What comes after the last of several answers: `last`, `repeat` or `miss`.
        place: Where it is written, `http[0]`; its answers are counted by it.
        socket: The steps of a WebSocket.
    """

    number: int
    verb: str
    address: str
    query: frozenset[tuple[str, str]] | None
    answers: tuple[StubAnswer, ...]
    id: str = ""
    match: Mapping[str, JsonObject] = field(default_factory=dict)
    when: str = ""
    then: str = "last"
    place: str = ""
    socket: tuple[SocketStep, ...] = ()

    @property
    def name(self) -> str:
        """Its id, or its place."""
        return self.id or self.place

    @property
    def rank(self) -> tuple[int, ...]:
        """Smaller for one that asks for more; of two that ask for as much the first is taken."""
        rules = stub_rank(self.match, self.when)
        return (self.verb == _ANY, self.query is None, *rules, self.number)

    def answer(self, number: int) -> StubAnswer | None:
        """The answer to the n-th request, from 1; None where it has no more."""
        if number <= len(self.answers):
            return self.answers[number - 1]
        if self.then == "last":
            return self.answers[-1]
        return self.answers[(number - 1) % len(self.answers)] if self.then == "repeat" else None


class _Place:
    """The stubs at one address, those of an exact query found by it.

    Attributes:
        stubs: All of them.
        children: The places below, by the next segment of the path.
        open_child: The place below whose segment is open, or None.
        asks_query: Whether one of them asks for a query.
    """

    __slots__ = ("_by_query", "_others", "asks_query", "children", "open_child", "stubs")

    def __init__(self) -> None:
        self.stubs: list[Stub] = []
        self.children: dict[str, _Place] = {}
        self.open_child: _Place | None = None
        self.asks_query = False
        self._by_query: dict[frozenset[tuple[str, str]], list[Stub]] = {}
        self._others: list[Stub] = []

    def index(self) -> None:
        """Sort the stubs here and below, once all are there."""
        for stub in sorted(self.stubs, key=attrgetter("rank")):
            if stub.query is None or any(system_parameter_name(name) for name, _ in stub.query):
                self._others.append(stub)
            else:
                self._by_query.setdefault(stub.query, []).append(stub)
        self.asks_query = any(stub.query is not None for stub in self.stubs)
        for child in self.children.values():
            child.index()
        if self.open_child is not None:
            self.open_child.index()

    def candidates(self, verb: str, query: str) -> list[Stub]:
        """The stubs whose verb and query fit, most specific first."""
        found = [
            stub for stub in self._others if stub.query is None or _matches_query(stub.query, query)
        ]
        if self._by_query:
            own = frozenset(
                pair for pair in _pairs(query) if system_parameter_name(pair[0]) is None
            )
            exact = self._by_query.get(own, ())
            found = sorted((*exact, *found), key=attrgetter("rank")) if found else list(exact)
        return [stub for stub in found if stub.verb in {verb, _ANY}]

    def below(self, parts: Sequence[str], start: int = 0) -> Iterator["_Place"]:
        """The places that segments of a path lead to, literal ones before open ones.

        Yields:
            Each place with stubs.
        """
        if start == len(parts):
            if self.stubs:
                yield self
            return
        child = self.children.get(parts[start])
        if child is not None:
            yield from child.below(parts, start + 1)
        if self.open_child is not None and parts[start]:
            yield from self.open_child.below(parts, start + 1)


class StubIndex:
    """The stubs of a snapshot, found by address and query without a look at the others.

    Args:
        raw: The stubs as the snapshot has them.

    Attributes:
        stubs: All of them, in the order of the snapshot.
    """

    def __init__(self, raw: Sequence[JsonObject]) -> None:
        self.stubs = tuple(compile_stub(stub, number) for number, stub in enumerate(raw))
        self._known: OrderedDict[_Asked, tuple[Stub, ...]] = OrderedDict()
        self._literal: dict[str, _Place] = {}
        self._root = _Place()
        for stub in self.stubs:
            if _OPEN_SEGMENT.search(stub.address):
                place = self._root
                for part in stub.address.split("/"):
                    if _OPEN_SEGMENT.fullmatch(part):
                        place.open_child = place.open_child or _Place()
                        place = place.open_child
                    else:
                        place = place.children.setdefault(part, _Place())
            else:
                place = self._literal.setdefault(stub.address, _Place())
            place.stubs.append(stub)
        for place in (*self._literal.values(), self._root):
            place.index()

    def places(self, host: str, path: str) -> Iterator[_Place]:
        """The addresses that a request may mean, the most specific first.

        Yields:
            Each place that has stubs.
        """
        for address in (f"{host}{path}", path, path[1:]):
            place = self._literal.get(address)
            if place is not None:
                yield place
        if self._root.children:
            for address in (f"{host}{path}", path, path[1:]):
                yield from self._root.below(address.split("/"))

    def candidates(self, verb: str, host: str, path: str, query: str) -> Iterator[Stub]:
        """The stubs whose verb, address and query fit, most specific first.

        Yields:
            Each stub.
        """
        for place in self.places(host, path):
            yield from place.candidates(verb, query)

    def of_request(self, route: Route, request: Request) -> tuple[Stub, ...]:
        """The stubs whose verb, address and query fit a request, most specific first."""
        verb, sent = request.verb, request.query
        known = self._known
        found = known.get((route, verb, request.host, None))
        if found is None:
            found = known.get((route, verb, request.host, sent))
        if found is None:
            host = route.host or request.host.decode("latin-1")
            query = sent.decode("latin-1")
            found = tuple(self.candidates(verb, host, route.path, query))
            asks = any(place.asks_query for place in self.places(host, route.path))
            if len(route.path) + (len(query) if asks else 0) <= _LONGEST_KEPT:
                if len(known) >= max(_REQUESTS_KEPT, _KEPT_OF_EACH * len(self.stubs)):
                    known.popitem(last=False)
                known[route, verb, request.host, sent if asks else None] = found
        return found


_Asked = tuple[Route, str, bytes, bytes | None]
"""Route, verb, `Host` and query, as sent; no query where no stub at the address asks for one."""


class CompiledStubs:
    """The stubs of each base that is in use, indexed on first use."""

    def __init__(self) -> None:
        self._made: IdentityMemo[StubIndex] = IdentityMemo(_KEPT)

    def of(self, base: Base) -> StubIndex:
        """The stubs of a base."""
        kept = self._made.kept.get(id(base))  # of each request, some of which ask twice
        return kept[1] if kept else self._made.keep(base, StubIndex(base.stubs))


def _matches_query(wanted: frozenset[tuple[str, str]], query: str) -> bool:
    """Whether a query is the one wanted; clients add system parameters (`alt`) of their own."""
    pairs = _pairs(query)
    if pairs == wanted:
        return True
    named = {name for name, _ in wanted}
    return wanted == {
        (n, value) for n, value in pairs if n in named or system_parameter_name(n) is None
    }


class StubRequest:
    """A request as stubs match it, and as their templates speak of it; read when it is asked for.

    Attributes:
        world: What its session holds.

    Args:
        exchange: The call.
        request: The head of the request.
        host: The host that it is for.
    """

    def __init__(self, exchange: Exchange, request: Request, host: str) -> None:
        self.world = exchange.session.world
        self._exchange = exchange
        self._request = request
        self._host = host
        self._body: Json = None
        self._is_read = False

    @property
    def query(self) -> JsonObject:
        """The query: a text for each name, a list of texts for one that is sent again."""
        found: JsonObject = {}
        for name, value in parse_qsl(self._request.query.decode("latin-1"), True):  # noqa: FBT003
            earlier = found.get(name)
            if earlier is None:
                found[name] = value
            else:
                found[name] = [*(earlier if isinstance(earlier, list) else [earlier]), value]
        return found

    @property
    def headers(self) -> JsonObject:
        """The headers by lower-case name, without credentials."""
        pairs = ((name.decode("latin-1").lower(), value) for name, value in
                 self._request.headers.items())  # fmt: skip
        return {name: value.decode("latin-1") for name, value in pairs if name not in _HIDDEN}

    @property
    def body(self) -> Json:
        """The body: JSON, the fields of a form, or else text; None for none."""
        if not self._is_read:
            self._is_read = True
            content = self._exchange.content
            if content and self._request.is_form and not content.lstrip().startswith(b"{"):
                self._body = parse_form(content)
            elif content:
                try:
                    self._body = orjson.loads(content)
                except orjson.JSONDecodeError:
                    self._body = content.decode("utf-8", "replace")
        return self._body

    def differences(self, stub: Stub) -> tuple[str, ...]:
        """Where it differs from what a stub asks for besides verb, address and query."""
        found: tuple[str, ...] = ()
        for part, wanted in stub.match.items():
            if not wanted:
                continue
            given = getattr(self, part)
            names = {name.lower(): each for name, each in wanted.items()}
            wanted = names if part == "headers" else wanted
            told = argument_differences(wanted, given if isinstance(given, dict) else {})
            found += tuple(f"{part}.{text}" for text in told)
        return found

    def values(self, stub: Stub, number: int) -> dict[str, Any]:
        """What the templates and conditions of a stub may speak of.

        Args:
            stub: The stub.
            number: How often it answered before, and once more.
        """
        path = self._exchange.route.path
        request = {
            "method": self._request.verb,
            "host": self._host,
            "path": path,
            "params": _path_values(stub.address, f"{self._host}{path}"),
            "query": self.query,
            "headers": self.headers,
            "body": self.body,
        }
        return {**session_values(self.world, stub.name, number), "request": request}


def _path_values(address: str, path: str) -> dict[str, str]:
    """The segments of a path that an address leaves open, by name.

    >>> _path_values("/v1/{kind}/{id}", "api.example.com/v1/books/a%20b")
    {'kind': 'books', 'id': 'a b'}
    """
    names, parts = address.split("/"), path.split("/")
    parts = parts[-len(names) + 1 :] if len(names) > 1 else []
    pairs = ((_OPEN_SEGMENT.fullmatch(name), part) for name, part in
             zip(names[1:], parts, strict=False))  # fmt: skip
    return {hit[1]: unquote(part) for hit, part in pairs if hit}


class StubSource:
    """Answers with the literal answers of a session's snapshot."""

    def __init__(self) -> None:
        self._compiled = CompiledStubs()

    def serves(self, exchange: Exchange) -> bool:
        """Whether it is the stubs' turn: they are the first source, or the state has no answer."""
        route, sources = exchange.route, exchange.session.sources
        if not exchange.session.base.stubs or "stub" not in sources:
            return False
        if exchange.request is None and exchange.decoded_params is None:
            return False
        if exchange.request is None and route.method is None and not _is_tool(route):
            return False
        return sources[0] == "stub" or route.handler is None or exchange.is_replayed

    def identify(self, exchange: Exchange) -> None:
        """Name a call that no API knows by the id of the stub that will answer it."""
        request, base = exchange.request, exchange.session.base
        if request is None or not base.names_stubs or "stub" not in exchange.session.sources:
            return
        found = self._find(self._compiled.of(base), exchange, request)
        if isinstance(found, Stub):
            exchange.entry.method_id = found.id

    def answers(self, exchange: Exchange) -> bool:
        """Whether a stub will answer an HTTP request; it is not counted as asked."""
        stubs, request = self._compiled.of(exchange.session.base), exchange.request
        return request is not None and isinstance(self._find(stubs, exchange, request), Stub)

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with the most specific stub; another transport gets the message that it is."""
        stubs = self._compiled.of(exchange.session.base)
        route, request, response = exchange.route, exchange.request, exchange.response
        is_tool = request is None and _is_tool(route)
        if is_tool:
            request = _tool_request(exchange)
        if request is None:
            if route.method is None or exchange.decoded_params is None:
                return NOTHING
            direct = find_direct_stub(stubs, route.method, exchange.decoded_params)
            if direct is None:
                return NOTHING
            response.source = "stub"
            payload = direct.answers[0].payload()
            exchange.answer_with_payload(iter(payload) if isinstance(payload, list) else payload)
            return response
        stub = self._find(stubs, exchange, request)
        if not isinstance(stub, Stub):
            return stub
        number = exchange.session.world.count(stub.place)
        answer = stub.answer(number)
        if answer is None:
            return NOTHING
        response.source = "stub"
        response.delay_ms += answer.delay_ms
        if stub.socket:
            asked = self._request_of(exchange, request)
            values_of = partial(asked.values, stub, number) if answer.template else None
            response.status = SWITCHING
            response.playback = ScriptedSocket(exchange, stub.name, stub.socket, values_of)
            return response
        if answer.template is not None:
            values = self._request_of(exchange, request).values(stub, number)
            answer = rendered_answer(answer, stub, values)
        if is_tool:
            exchange.answer_with_payload(answer.tool_result())
            return response
        response.status, response.body = answer.status, answer.body
        response.content_type, response.headers = answer.content_type, answer.headers
        return response

    @staticmethod
    def _request_of(exchange: Exchange, request: Request) -> StubRequest:
        host = exchange.route.host or request.host.decode("latin-1")
        return StubRequest(exchange, request, host)

    def _find(self, stubs: StubIndex, exchange: Exchange, request: Request) -> Stub | SourceMiss:
        """The stub that answers a request; or a miss, which names one that nearly does."""
        route = exchange.route
        asked: StubRequest | None = None
        near: tuple[Stub, tuple[str, ...]] | None = None
        for stub in stubs.of_request(route, request):
            if not (stub.match or stub.when or stub.then == "miss"):
                return stub
            asked = asked or self._request_of(exchange, request)
            told = stub_differences(stub, asked)
            if not told:
                return stub
            if near is None or len(told) < len(near[1]):
                near = stub, told
        if route.method is not None or route.handler is not None or route.model is not None:
            return NOTHING
        if near is None:
            host = route.host or request.host.decode("latin-1")
            return _unknown_path(stubs, exchange, request, host)
        stub, told = near
        reason = f"no stub answers this request; {stub.name} is nearest"
        miss = Miss(blame="fixture_gap", reason=reason, nearest=stub.name, differs=told)
        return SourceMiss(ApiError(404, f"{reason}: {'; '.join(told)}", miss=miss))


def _is_tool(route: Route) -> bool:
    """Whether a call is one of a tool, `POST /tools/<name>` over HTTP."""
    return route.handler is not None and route.path.startswith(_TOOLS)


def _tool_request(exchange: Exchange) -> Request:
    """The request that would make a tool's call over HTTP; its body becomes the exchange's."""
    exchange.content = orjson.dumps(exchange.body)
    size = b"%d" % len(exchange.content)
    path = quote(exchange.route.path).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", size)]
    return Request(
        {"method": exchange.route.verb, "headers": headers, "query_string": b"", "raw_path": path}
    )


def _unknown_path(stubs: StubIndex, exchange: Exchange, request: Request, host: str) -> SourceMiss:
    """A miss that names the stub most like a request to a host that only stubs answer for."""
    known, path = exchange.session.base.stub_hosts, exchange.route.path
    first = path[1:].partition("/")[0].lower()
    if exchange.route.host or (first not in known and host.lower() not in known):
        return NOTHING
    asked = f"{request.verb} {path[1:] if first in known else f'{host}{path}'}"
    names = {f"{stub.verb} {stub.address}": stub for stub in stubs.stubs[:_COMPARED]}
    near = nearest(asked, names)
    shown = redact_journal_path(asked)
    told = f"; the nearest is {near} ({names[near].name})" if near else ""
    reason = f"no stub answers {shown}{told}"
    miss = Miss(
        blame="fixture_gap", reason=reason, nearest=names[near].name if near else "",
        differs=("path",),
    )  # fmt: skip
    return SourceMiss(ApiError(404, reason, miss=miss))


def stub_differences(stub: Stub, request: StubRequest) -> tuple[str, ...]:
    """Why a stub does not answer a request to its address; empty where it does.

    Raises:
        ApiError: 500: its condition fails.
    """
    told = request.differences(stub)
    number = request.world.answered.get(stub.place, 0) + 1
    if not told and stub.when and not _holds(stub, request, number):
        told = (f"when: {stub.when}",)
    if not told and stub.answer(number) is None:
        told = ("sequence: all of its answers were given",)
    return told


def _holds(stub: Stub, request: StubRequest, number: int) -> bool:
    try:
        return condition(stub.when).holds(request.values(stub, number))
    except TemplateError as error:
        raise _stub_failure(stub, "when", error) from error


def rendered_answer(answer: StubAnswer, stub: Stub, values: Mapping[str, Any]) -> StubAnswer:
    """An answer whose templates are rendered.

    Args:
        answer: The answer.
        stub: Whose it is.
        values: What its templates may speak of.

    Raises:
        ApiError: 500: a template fails; the stub and the reason are named.
    """
    try:
        raw: Any = render_json(answer.template, values)
    except TemplateError as error:
        raise _stub_failure(stub, "template", error) from error
    return _answer({"status": answer.status, "delay_ms": answer.delay_ms, **raw}, template=False)


def _stub_failure(stub: Stub, part: str, error: TemplateError) -> ApiError:
    text = f"The {part} of the stub {stub.name} fails: {error}"
    miss = Miss(blame="fixture_gap", reason=text, nearest=stub.name)
    return ApiError(500, text, reason="stubFailed", miss=miss)


def find_stub(stubs: StubIndex, verb: str, host: str, path: str, query: str) -> Stub | None:
    """The most specific stub for a request by its verb, address and query alone."""
    return next(stubs.candidates(verb, host, path, query), None)


def find_direct_stub(stubs: StubIndex, method: Method, params: JsonObject) -> Stub | None:
    """The most specific stub for a call of a method that no HTTP request carries."""
    path = "/" + _PLACEHOLDER.sub(lambda hit: str(params.get(hit[1], "")), method.path)
    parameters = method.parameters
    query = [
        (name, each)
        for name, value in params.items()
        if name in parameters and parameters[name].location == "query"
        for each in (value if isinstance(value, list) else [value])
    ]
    host = method.document.host
    return find_stub(stubs, method.http_method, host, path, urlencode(query))


def compile_stub(raw: JsonObject, number: int, place: str = "") -> Stub:
    """A stub of its JSON form.

    Args:
        raw: As a snapshot's `http` has it.
        number: Its place in there, from 0.
        place: What its answers are counted by; `http[0]` when empty.
    """
    address, mark, query = _SCHEME.sub("", str(raw["url"])).partition("?")
    first = {name: raw.get(name) for name in ("status", "headers", "body", "delay_ms")}
    sequence: Sequence[JsonObject] = raw.get("sequence") or ({},)
    answers = [{**first, **each} for each in sequence]
    template = bool(raw.get("template"))
    match = raw.get("match") or {}
    return Stub(
        number=number,
        verb=str(raw["method"]).upper(),
        address=address,
        query=_pairs(query) if mark else None,
        answers=tuple(_answer(each, template=template) for each in answers),
        id=str(raw.get("id") or ""),
        match={name: wanted for name, wanted in match.items() if wanted},
        when=str(raw.get("when") or ""),
        then=str(raw.get("then") or "last"),
        place=place or f"http[{number}]",
        socket=tuple(SocketStep.model_validate(each) for each in raw.get("socket") or ()),
    )


def _answer(raw: Mapping[str, Any], *, template: bool) -> StubAnswer:
    headers = {name.lower(): str(value) for name, value in (raw.get("headers") or {}).items()}
    body = raw.get("body")
    written = {"headers": dict(headers), "body": body} if template else None
    content_type = headers.pop("content-type", "").encode("latin-1") or _type_of(body)
    return StubAnswer(
        status=raw.get("status") or 200,
        body=_bytes_of(body),
        content_type=content_type,
        headers=header_pairs(headers),
        delay_ms=raw.get("delay_ms") or 0,
        template=written,
    )


def _pairs(query: str) -> frozenset[tuple[str, str]]:
    return frozenset(parse_qsl(query, keep_blank_values=True))


def _bytes_of(body: Json) -> bytes:
    if body is None:
        return b""
    return body.encode() if isinstance(body, str) else orjson.dumps(body)


def _type_of(body: Json) -> bytes:
    if not isinstance(body, str):
        return JSON
    return HTML if body.lstrip().startswith("<") else _TEXT
