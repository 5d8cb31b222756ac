"""The head of an HTTP request, its body, and the sessions that it names."""

import re
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from typing import Any, Literal, Protocol
from urllib.parse import parse_qsl

from typing_extensions import override

from mockserver.state import session_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY_BYTES = 50 * 1024 * 1024
PROXIED = "mock.session"
"""Key of a scope under which a front says whose connection it is."""

ANSWERED = "mock.answered"
"""Key of a scope under which somebody is to be called once a request changed all that it changes,
before its answer is sent; what it returns says whether anybody waits for that."""

CONNECTION = "mock.connection"
"""Key of a scope's state under which a transport says how its connection can be ended."""

_BEARERS: dict[bytes, tuple[str, str | None]] = {}
"""What the latest `Authorization` headers say: most requests bring the same few."""

_MOST_KEPT = 4096
_LONGEST_KEPT = 512

_FORM = b"application/x-www-form-urlencoded"

EXPLAIN = b"x-mock-explain"
"""The header of a request that asks how its lists find their rows."""

DECIDING = frozenset({
    b"host", b"authorization", b"x-mock-session", b"user-agent", b"x-goog-api-client",
    b"accept-encoding", b"x-http-method-override", b"origin", b"sec-fetch-site", b"baggage",
    b"content-type", b"if-none-match", EXPLAIN,
})  # fmt: skip
"""Headers that `Request` has attributes for, and that say who may send it.

Requests that are alike in them, in verb and path, and whose queries name no token, differ in
`Request.query`, `has_body` and other headers alone."""


class HeaderLines(Mapping[bytes, bytes]):
    """Headers by lower-case name, read of a head when somebody looks.

    Args:
        head: All bytes of the head, whose lines have one space after their colon.
    """

    __slots__ = ("_head", "_read")

    _read: dict[bytes, bytes]

    def __init__(self, head: bytes) -> None:
        self._head = head

    def pairs(self) -> list[tuple[bytes, bytes]]:
        """Names in lower case and values in their order, those that came twice twice."""
        found: list[tuple[bytes, bytes]] = []
        for line in self._head.split(b"\r\n")[1:-2]:
            name, _, value = line.partition(b": ")
            found.append((name.lower(), value))
        return found

    def _by_name(self) -> dict[bytes, bytes]:
        try:
            return self._read
        except AttributeError:  # hardly any is looked into
            self._read = dict(self.pairs())
            return self._read

    @override
    def __getitem__(self, name: bytes) -> bytes:
        return self._by_name()[name]

    @override
    def __iter__(self) -> Iterator[bytes]:
        return iter(self._by_name())

    @override
    def __len__(self) -> int:
        return len(self._by_name())


class BodyTooLargeError(Exception):
    """The request body is over the limit; what was read of it is dropped."""


class CallerGoneError(Exception):
    """The caller left before the whole request body was there."""


class Connection(Protocol):
    """A connection that can be ended before its answer is complete."""

    def reset(self) -> None:
        """End it at once."""
        ...

    def cut(self) -> None:
        """End it once what was written is sent."""
        ...


_new = object.__new__


class Request:
    """The head of a request; bytes stay bytes, they are keys of what is known already.

    Requests with the very same head share one.

    Attributes:
        verb: The HTTP method, `X-HTTP-Method-Override` applied; HEAD counts as GET.
        head: Whether it was sent as HEAD, which answers like GET without the body.
        session: The session that path or header names; an empty name names no session there is.
            None when neither is there.
        in_path: The session that the path names, or None.
        in_token: The session that the access token names, whether or not it is valid; or None.
        proxied: The session that the caller named to the proxy it came through, or None.
        path: The path as sent, without the session prefix, not decoded.
        query: The query as sent.
        host: The `Host` header as sent.
        token: The access token as sent, or an empty string.
        headers: Headers by lower-case name.
        if_none_match: The `If-None-Match` header as sent, or empty.
        content_type: The `Content-Type` header as sent, or empty.
        explains: Whether it asks how its lists find their rows.
        client: What the caller says it is: `X-Goog-Api-Client`, else `User-Agent`.
        has_body: Whether a body follows the head.
        sent_verb: The HTTP method as sent.
        scheme: `http`, or `https` where a front ended TLS.
        origin: The `Origin` header as sent, or None.
        takes_gzip: Whether an answer may be compressed.
    """

    __slots__ = (
        "_sent", "client", "content_type", "explains", "has_body", "head", "headers", "host",
        "if_none_match", "in_path", "in_token", "origin", "path", "proxied", "query",
        "scheme", "sent_verb", "session", "takes_gzip", "token", "verb",
    )  # fmt: skip

    def __init__(self, scope: Scope) -> None:
        self._sent: list[tuple[bytes, bytes]] | HeaderLines = scope["headers"]
        headers: dict[bytes, bytes] = dict(scope["headers"])
        self.headers: Mapping[bytes, bytes] = headers
        self.if_none_match = headers.get(b"if-none-match", b"")
        self.content_type = headers.get(b"content-type", b"")
        self.explains = EXPLAIN in headers
        self.verb: str = scope["method"]
        self.sent_verb = self.verb
        self.scheme = str(scope.get("scheme", "http"))
        self.head = self.verb == "HEAD"
        if self.head:
            self.verb = "GET"
        elif b"x-http-method-override" in headers:
            self.verb = headers[b"x-http-method-override"].decode("latin-1").upper()
        self.host = headers.get(b"host", b"")
        self.origin = headers.get(b"origin")
        self.takes_gzip = b"gzip" in headers.get(b"accept-encoding", b"")
        self.client = headers.get(b"x-goog-api-client") or headers.get(b"user-agent", b"")
        self.has_body = (
            headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        )
        self.proxied: str | None = scope.get(PROXIED)
        query: bytes = scope["query_string"]
        self.query = query
        path: bytes = scope["raw_path"]
        self.session: str | None = None
        self.in_path: str | None = None
        if path[:3] == b"/s/":
            end = path.find(b"/", 3)
            end = len(path) if end < 0 else end
            self.session = self.in_path = path[3:end].decode("latin-1")
            path = path[end:] or b"/"
        elif b"x-mock-session" in headers:
            self.session = headers[b"x-mock-session"].decode("latin-1")
        self.path = path
        self.token = ""
        self.in_token: str | None = None
        authorization = headers.get(b"authorization")
        if authorization is not None:
            self.token, self.in_token = _BEARERS.get(authorization) or _bearer(authorization)
        elif b"_token=" in query:
            self.token = self.query_token
            self.in_token = session_of(self.token)

    def again(self, query: bytes, headers: HeaderLines, *, has_body: bool) -> "Request":
        """A request that is alike in what `DECIDING` says.

        Args:
            query: As sent.
            headers: Its headers.
            has_body: Whether a body follows its head.
        """
        made: Request = _new(Request)
        made.query, made.headers = query, headers
        made._sent = headers
        made.has_body = has_body
        made.verb, made.sent_verb, made.head = self.verb, self.sent_verb, self.head
        made.path, made.host, made.scheme = self.path, self.host, self.scheme
        made.session, made.in_path, made.proxied = self.session, self.in_path, self.proxied
        made.token, made.in_token, made.client = self.token, self.in_token, self.client
        made.origin, made.takes_gzip = self.origin, self.takes_gzip
        made.content_type = self.content_type
        made.if_none_match, made.explains = self.if_none_match, self.explains
        return made

    @property
    def is_form(self) -> bool:
        """Whether the body is form-encoded."""
        return self.content_type.lower().startswith(_FORM)

    @property
    def sent_headers(self) -> list[tuple[bytes, bytes]]:
        """Headers as sent: names in lower case, in order, those that came twice twice."""
        sent = self._sent
        return sent.pairs() if isinstance(sent, HeaderLines) else sent

    @property
    def query_token(self) -> str:
        """The access token of the query, or an empty string."""
        query = self.query
        return _query_token(query) if b"access_token=" in query or b"oauth_token=" in query else ""


async def read_body(request: Request, receive: Receive) -> bytes:
    """The whole request body.

    Raises:
        BodyTooLargeError: It is, or says it is, over `MAX_BODY_BYTES`.
        CallerGoneError: Nobody waits for the answer.
    """
    length = request.headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > MAX_BODY_BYTES:
        raise BodyTooLargeError
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CallerGoneError
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise BodyTooLargeError
        chunks.append(chunk)
    return b"".join(chunks)


def _bearer(authorization: bytes) -> tuple[str, str | None]:
    """The token of a header, or an empty string, and the session that it names."""
    token = ""
    if authorization[:7].lower() == b"bearer ":
        token = authorization[7:].strip().decode("latin-1")
    bearer = token, session_of(token)
    if len(authorization) <= _LONGEST_KEPT:
        if len(_BEARERS) >= _MOST_KEPT:
            _BEARERS.clear()
        _BEARERS[authorization] = bearer
    return bearer


def _query_token(query: bytes) -> str:
    values = dict(parse_qsl(query.decode("latin-1")))
    return values.get("access_token") or values.get("oauth_token", "")


async def end_connection(scope: Scope, receive: Receive, *, reset: bool) -> None:
    """End a request's connection before its answer is complete, and wait until it is gone.

    Args:
        scope: Of the request; its state says how the connection can be ended.
        receive: Tells when it is gone.
        reset: Whether the other end is to read that it was reset.

    Raises:
        ConnectionResetError: The transport has none that can be ended.
    """
    connection: Connection | None = (scope.get("state") or {}).get(CONNECTION)
    if connection is None:
        raise ConnectionResetError("the answer breaks off")
    if reset:
        connection.reset()
    else:
        connection.cut()
    while (await receive())["type"] != "http.disconnect":
        pass


NamePlace = Literal["path", "header", "token", "form", "proxy", "baggage"]


Name = tuple[NamePlace, str]
"""A session's id, and the way by which a request names it; a list of them is in the order in which
they count."""


_BAGGAGE = re.compile(r"(?:^|,)\s*mock\.session\s*=\s*([^,;\s]+)")


def named_sessions(request: Request, in_form: Iterable[str] = ()) -> list[Name]:
    """The sessions that a request names; those of its tokens whether or not they are valid.

    Args:
        request: The head of the request.
        in_form: The sessions that credentials in its body name.
    """
    names: list[Name] = []
    headers = request.headers
    if request.in_path is not None:
        names.append(("path", request.in_path))
    if b"x-mock-session" in headers:
        names.append(("header", headers[b"x-mock-session"].decode("latin-1")))
    if request.in_token is not None:
        names.append(("token", request.in_token))
    if b"_token=" in request.query and b"authorization" in headers:
        named = session_of(request.query_token)
        if named is not None:
            names.append(("token", named))
    if in_form:
        names += [("form", named) for named in in_form]
    if request.proxied is not None:
        names.append(("proxy", request.proxied))
    if b"baggage" in headers:
        named = session_in_baggage(headers[b"baggage"].decode("latin-1"))
        if named is not None:
            names.append(("baggage", named))
    return names


def session_in_baggage(baggage: str) -> str | None:
    """The session in W3C baggage, or None.

    >>> session_in_baggage("user=1, mock.session=s1;p=2")
    's1'
    """
    found = _BAGGAGE.search(baggage) if baggage else None
    return found[1] if found else None


def name_different_sessions(names: Sequence[Name]) -> bool:
    """Whether different sessions are named; an empty name is no session's."""
    first = names[0][1] if names else ""
    for _, named in names:
        if named != first:  # hardly ever
            return len({named for _, named in names if named}) > 1
    return False
