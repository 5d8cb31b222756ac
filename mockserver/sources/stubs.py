"""Literal answers of a snapshot (`http`), found by verb, address and query."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson

from mockserver.googleapi import ApiError, Method, system_name
from mockserver.model import Json, JsonObject, Miss
from mockserver.sources.exchange import Exchange
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.protocol import NOTHING, SourceMiss
from mockserver.sources.response import HTML, JSON, Header, Response, header_pairs
from mockserver.state import Base

_SCHEME = re.compile("^https?://")
_TEXT = b"text/plain; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Stub:
    """One literal answer.

    Attributes:
        query: The query it asks for, as pairs in any order; None answers any.
        status: The HTTP status.
        body: The body.
        content_type: Its type.
        headers: Further headers.
    """

    query: frozenset[tuple[str, str]] | None
    status: int
    body: bytes
    content_type: bytes
    headers: tuple[Header, ...]

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
            error = found.get("error") if isinstance(found, dict) else None
            told = error if isinstance(error, dict) else {}
            text = str(told.get("message") or self.body.decode(errors="replace"))
            raise ApiError(self.status, text, code_name=str(told.get("status", "")))
        if isinstance(found, dict) or several:
            answer: JsonObject | list[JsonObject] = found
            return answer
        text = "The stub for this call answers no JSON object; only HTTP requests can get it."
        raise ApiError(501, text, miss=Miss(blame="fixture_gap", reason=text))


Stubs = Mapping[tuple[str, str], Sequence[Stub]]
"""HTTP method and address (`host/path`, `/path`) to the stubs there, in the snapshot's order."""

_KEPT = 256
_ERROR = 400
_PLACEHOLDER = re.compile(r"\{\+?(\w+)\}")


class CompiledStubs:
    """The stubs of each base that is in use, indexed on first use."""

    def __init__(self) -> None:
        self._made: IdentityMemo[Stubs] = IdentityMemo(_KEPT)

    def of(self, base: Base) -> Stubs:
        """The stubs of a base."""
        made = self._made.get(base)
        return self._made.keep(base, index(base.stubs)) if made is None else made


def index(raw: Sequence[JsonObject]) -> Stubs:
    """Index the stubs of a snapshot by HTTP method and address."""
    found: dict[tuple[str, str], list[Stub]] = {}
    for stub in raw:
        address, mark, query = _SCHEME.sub("", str(stub["url"])).partition("?")
        key = (str(stub["method"]).upper(), address)
        found.setdefault(key, []).append(_compile(stub, query if mark else None))
    return found


def find_stub(stubs: Stubs, verb: str, host: str, path: str, query: str) -> Stub | None:
    """The first stub for a request: by host and path, then by path alone."""
    for address in (f"{host}{path}", path, path[1:]):
        for stub in stubs.get((verb, address), ()):
            if stub.query is None or _asks(stub.query, query):
                return stub
    return None


def _asks(wanted: frozenset[tuple[str, str]], query: str) -> bool:
    """Whether a query is the one wanted; clients add system parameters (`alt`) of their own."""
    pairs = _pairs(query)
    if pairs == wanted:
        return True
    named = {name for name, _ in wanted}
    return wanted == {(n, value) for n, value in pairs if n in named or system_name(n) is None}


class StubSource:
    """Answers with the literal answers of a session's snapshot."""

    def __init__(self) -> None:
        self._compiled = CompiledStubs()

    def serves(self, exchange: Exchange) -> bool:
        """Whether it is the stubs' turn: they are the first source, or the state has no answer."""
        route, sources = exchange.route, exchange.session.spec.sources
        if not exchange.session.base.stubs or "stub" not in sources:
            return False
        if exchange.request is None and (exchange.decoded is None or route.method is None):
            return False
        return sources[0] == "stub" or route.handler is None or exchange.is_replayed

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with the first stub that fits; another transport gets the message that it is."""
        stubs = self._compiled.of(exchange.session.base)
        route, request, response = exchange.route, exchange.request, exchange.response
        if request is not None:
            host = route.host or request.host.decode("latin-1")
            query = request.query.decode("latin-1")
            stub = find_stub(stubs, request.verb, host, route.path, query)
        elif route.method is not None and exchange.decoded is not None:
            stub = find_direct_stub(stubs, route.method, exchange.decoded)
        else:
            stub = None
        if stub is None:
            return NOTHING
        response.source = "stub"
        if request is None:
            payload = stub.payload()
            exchange.accept(iter(payload) if isinstance(payload, list) else payload)
            return response
        response.status, response.body = stub.status, stub.body
        response.content_type, response.headers = stub.content_type, stub.headers
        return response


def find_direct_stub(stubs: Stubs, method: Method, params: JsonObject) -> Stub | None:
    """The first stub for a call of a method that no HTTP request carries."""
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


def _compile(raw: JsonObject, query: str | None) -> Stub:
    headers = {name.lower(): value for name, value in raw["headers"].items()}
    body = raw["body"]
    content_type = headers.pop("content-type", "").encode("latin-1") or _type_of(body)
    return Stub(
        query=None if query is None else _pairs(query),
        status=raw["status"],
        body=_bytes_of(body),
        content_type=content_type,
        headers=header_pairs(headers),
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
