"""One HTTP request as the emulator sees it: the session it names, and what it asks."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY_BYTES = 50 * 1024 * 1024
_FORM = b"application/x-www-form-urlencoded"


class BodyTooLargeError(Exception):
    """The request body is over the limit; what was read of it is dropped."""


class Request:
    """The head of one request.

    Attributes:
        verb: The HTTP method, `X-HTTP-Method-Override` applied.
        session: The session that path or header names, or an empty string.
        path: The path as sent, without the session prefix, not decoded.
        query: The query as sent.
        host: The `Host` header, lower case, without port.
        authority: The `Host` header as sent.
        token: The access token as sent, or an empty string.
        headers: Headers by lower-case name.
        head: Whether it was sent as HEAD, which answers like GET without the body.
    """

    __slots__ = (
        "authority", "head", "headers", "host", "path", "query", "session", "token", "verb",
    )  # fmt: skip

    def __init__(self, scope: Scope) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        self.headers = headers
        self.verb: str = scope["method"]
        self.head = self.verb == "HEAD"
        if self.head:
            self.verb = "GET"
        override = headers.get(b"x-http-method-override")
        if override:
            self.verb = override.decode("latin-1").upper()
        self.authority = headers.get(b"host", b"").decode("latin-1")
        self.host = _without_port(self.authority)
        self.query = scope["query_string"].decode("latin-1")
        self.session, self.path = _split_session(scope["raw_path"].decode("latin-1"))
        if not self.session:
            self.session = headers.get(b"x-mock-session", b"").decode("latin-1")
        self.token = _bearer(headers.get(b"authorization")) or _query_token(self.query)

    @property
    def client(self) -> str:
        """What the caller says it is: `X-Goog-Api-Client`, else `User-Agent`."""
        headers = self.headers
        return (headers.get(b"x-goog-api-client") or headers.get(b"user-agent", b"")).decode(
            "latin-1"
        )

    @property
    def is_form(self) -> bool:
        """Whether the body is form-encoded."""
        return self.headers.get(b"content-type", b"").lower().startswith(_FORM)

    @property
    def has_body(self) -> bool:
        """Whether a body follows the head."""
        headers = self.headers
        return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


async def read_body(request: Request, receive: Receive) -> bytes:
    """The whole request body.

    Raises:
        BodyTooLargeError: It is, or says it is, over `MAX_BODY_BYTES`.
    """
    if not request.has_body:
        return b""
    length = request.headers.get(b"content-length", b"")
    if length.isdigit() and int(length) > MAX_BODY_BYTES:
        raise BodyTooLargeError
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        chunk = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise BodyTooLargeError
        chunks.append(chunk)
    return b"".join(chunks)


def _without_port(authority: str) -> str:
    host, colon, port = authority.rpartition(":")
    return (host if colon and port.isdigit() else authority).lower()


def _split_session(path: str) -> tuple[str, str]:
    if not path.startswith("/s/"):
        return "", path
    end = path.find("/", 3)
    return (path[3:], "/") if end < 0 else (path[3:end], path[end:])


def _bearer(authorization: bytes | None) -> str:
    if authorization is None or authorization[:7].lower() != b"bearer ":
        return ""
    return authorization[7:].strip().decode("latin-1")


def _query_token(query: str) -> str:
    if "access_token=" not in query and "oauth_token=" not in query:
        return ""
    values = dict(parse_qsl(query))
    return values.get("access_token") or values.get("oauth_token", "")
