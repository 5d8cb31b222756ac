"""The live API behind a capturing proxy: where a request leads, and what is answered to it.

One request is sent as it came and one answer is passed on as it comes; nothing is followed or kept:
no cookie jar, no redirects, no retries, no proxy of the environment, HTTP/1.1.
"""

import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import httpx
from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.messages import (
    READABLE,
    header,
    header_values,
    is_text,
    media_type,
    split_url,
    with_header,
    without,
)
from mockserver.model import Header, RecordedRequest, ResponseEnd

Scope = Mapping[str, Any]


_SLASH = b"/"
_JSON_SLASH = b"\\/"
_FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection"})


class UrlRewriter:
    """Replaces one origin by another.

    Args:
        old: `https://host[:port][/prefix]`, without a slash at its end.
        new: What stands in its place.

    >>> UrlRewriter("https://a.example.com", "http://127.0.0.1:1").whole(
    ...     b"see https://a.example.com/x"
    ... )
    b'see http://127.0.0.1:1/x'
    """

    def __init__(self, old: str, new: str) -> None:
        plain = (old.encode(), new.encode())
        escaped = (_escape_slashes(plain[0]), _escape_slashes(plain[1]))
        self._pairs = (plain, escaped)
        self._longest = max(len(each) for each, _ in self._pairs)

    def whole(self, content: bytes) -> bytes:
        """A whole content, rewritten; a host that only begins like it is another and stays."""
        for old, new in self._pairs:
            if old in content:
                content = _replace_origin(content, old, new)
        return content

    def text(self, value: str) -> str:
        """A header's value, rewritten."""
        return self.whole(value.encode("latin-1")).decode("latin-1")

    def headers(self, headers: Iterable[Header]) -> tuple[Header, ...]:
        """Headers, rewritten but for those of the connection."""
        return tuple(
            (name, value if name.lower() in _FRAMING else self.text(value))
            for name, value in headers
        )

    def held_back(self, content: bytes) -> int:
        """How many bytes at the end may be the beginning of an origin, or end one exactly."""
        tail = content[-self._longest :]
        for start in range(len(tail)):
            rest = tail[start:]
            if any(old.startswith(rest) for old, _ in self._pairs):
                return len(rest)
        return 0


class StreamRewriter:
    """Rewrites a content that comes in pieces; holds back no more than the part of an origin.

    Args:
        rewriting: What is replaced.
    """

    def __init__(self, rewriting: UrlRewriter) -> None:
        self._rewriting = rewriting
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """What can be passed on."""
        content = self._held + piece
        held = self._rewriting.held_back(content)
        self._held = content[len(content) - held :] if held else b""
        return self._rewriting.whole(content[: len(content) - held])

    def end(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return self._rewriting.whole(held)


def may_hold_urls(headers: Iterable[Header]) -> bool:
    """Whether a content is text."""
    return is_text(media_type(headers))


def _escape_slashes(origin: bytes) -> bytes:
    return origin.replace(_SLASH, _JSON_SLASH)


def _replace_origin(content: bytes, old: bytes, new: bytes) -> bytes:
    pieces = content.split(old)
    made = [pieces[0]]
    for piece in pieces[1:]:
        made += (old if _continues_host(piece) else new, piece)
    return b"".join(made)


def _continues_host(rest: bytes) -> bool:
    """Whether a host's name or port goes on behind what looked like it."""
    return (
        rest[:1].isalnum()
        or rest[:1] in {b"-", b"_", b":"}
        or (rest[:1] == b"." and rest[1:2].isalnum())
    )


HOPS = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers of one connection."""


def end_to_end(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Headers without those of the connection, and without those that it names."""
    named = {name.strip().lower() for name in header(headers, "connection").split(",")}
    return without(headers, HOPS | named)


class UpstreamRoute(Protocol):
    """How requests become those that the upstream gets."""

    @property
    def upstream(self) -> str:
        """The upstream that all requests go to, or an empty string."""
        ...

    @property
    def rewriting(self) -> UrlRewriter | None:
        """What becomes of absolute URLs on the way back."""
        ...

    def url(self, scope: Scope) -> str:
        """Where a request leads, for messages."""
        ...

    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as the upstream is to get it, with its content coding.

        Raises:
            NoAnswerError: It leads nowhere.
        """
        ...


@dataclass(frozen=True)
class ReverseRoute:
    """A proxy that stands before one upstream.

    Attributes:
        upstream: `https://host[:port][/prefix]`.
        own: `http://host:port`, as clients reach the proxy.
    """

    upstream: str
    own: str
    rewriting: UrlRewriter = field(init=False)
    _back: UrlRewriter = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewriting", UrlRewriter(self.upstream, self.own))
        object.__setattr__(self, "_back", UrlRewriter(self.own, self.upstream))

    def url(self, scope: Scope) -> str:
        """Where a request leads."""
        return self.upstream + _target(scope)

    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as the upstream is to get it; URLs of the proxy in it become its own."""
        url = split_url(self.upstream)
        headers = self._back.headers(_request_headers(scope))
        content = self._back.whole(body) if may_hold_urls(headers) else body
        return _forwarded_request(
            scope, self.upstream + _target(scope), url.host + url.port, headers, content
        )


@dataclass(frozen=True)
class ForwardRoute:
    """A proxy that clients were told to use.

    Attributes:
        own: `host:port` of the proxy itself, where no request may lead.
    """

    own: frozenset[str] = frozenset()
    upstream: str = ""
    rewriting: None = None

    def url(self, scope: Scope) -> str:
        """Where a request leads."""
        return f"{scope['scheme']}://{header(_request_headers(scope), 'host')}{_target(scope)}"

    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as it came."""
        headers = _request_headers(scope)
        host = header(headers, "host")
        if not host:
            raise NoAnswerError(400, "the request names no host")
        if host.lower() in self.own:
            raise NoAnswerError(400, "the request leads to the proxy itself")
        return _forwarded_request(
            scope, f"{scope['scheme']}://{host}{_target(scope)}", host, headers, body
        )


@dataclass(frozen=True)
class ProgramRoute(ForwardRoute):
    """A proxy for all that one program asks: as a forward proxy, and below names for base URLs.

    Attributes:
        bases: What `/<name>/path` leads to: the base URL that an environment variable of this name
            had, without a slash at its end.
    """

    bases: Mapping[str, str] = field(default_factory=dict)

    @override
    def url(self, scope: Scope) -> str:
        """Where a request leads."""
        host = header(_request_headers(scope), "host").lower()
        return self._origin_url(scope) if host in self.own else super().url(scope)

    @override
    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as the upstream is to get it."""
        headers = _request_headers(scope)
        if header(headers, "host").lower() not in self.own:
            return super().request(scope, body)
        led = self._origin_url(scope)
        if not led:
            known = ", ".join(self.bases) or "none"
            raise NoAnswerError(404, f"the path names no variable that is led here: {known}")
        url = split_url(led)
        return _forwarded_request(scope, led, url.host + url.port, headers, body)

    def _origin_url(self, scope: Scope) -> str:
        name, slash, rest = _target(scope)[1:].partition("/")
        name, mark, query = name.partition("?")
        base = self.bases.get(name)
        return "" if base is None else f"{base}{mark}{query}{slash}{rest}"


def parse_upstream(text: str) -> str:
    """The upstream that a user names, without a slash at its end.

    Raises:
        MockServerError: It is no URL of HTTP, or has a query, a fragment or a user.

    >>> parse_upstream("https://api.example.com/v1/")
    'https://api.example.com/v1'
    """
    url = split_url(text)
    if url.scheme.lower() not in {"http://", "https://"} or not url.host:
        raise MockServerError(
            "--upstream is no http or https URL", hint="such as https://api.example.com"
        )
    if url.user or url.query or url.fragment:
        raise MockServerError(
            "--upstream takes scheme, host, port and path alone",
            hint="credentials are sent by the client",
        )
    return f"{url.scheme.lower()}{url.host.lower()}{url.port}{url.path.rstrip('/')}"


def parse_headers(texts: Iterable[str]) -> dict[str, str]:
    """Headers as users write them, `Name: value`.

    Raises:
        MockServerError: One is written wrongly.

    >>> parse_headers(["X-Key:  abc"])
    {'X-Key': 'abc'}
    """
    found = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise MockServerError(
                f"{name!r} is no header", hint="write it as 'Authorization: Bearer ...'"
            )
        found[name.strip()] = value.strip()
    return found


def _target(scope: Scope) -> str:
    path: bytes = scope["raw_path"]
    query: bytes = scope["query_string"]
    return path.decode("latin-1") + (f"?{query.decode('latin-1')}" if query else "")


def _request_headers(scope: Scope) -> tuple[Header, ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    )


def _forwarded_request(
    scope: Scope, url: str, host: str, headers: tuple[Header, ...], body: bytes
) -> RecordedRequest:
    framed = bool(body or header(headers, "content-length"))
    kept = without(end_to_end(headers), ["expect", "content-length"])
    kept = _only_readable(with_header(kept, "host", host))
    if framed:
        kept = (*kept, ("content-length", str(len(body))))
    return RecordedRequest(scope["method"], url, kept, body)


def _only_readable(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Ask for no content coding that could not be opened for redaction."""
    values = header_values(headers, "accept-encoding")
    if not values:
        return headers
    asked = [item.strip() for value in values for item in value.split(",")]
    kept = [item for item in asked if item.partition(";")[0].strip().lower() in _KNOWN]
    return with_header(headers, "accept-encoding", ", ".join(kept) or "identity")


_KNOWN = frozenset({*READABLE, "x-gzip", "identity"})


CONNECT_S = 15.0
_KEPT_ALIVE_S = 4.0
"""Shorter than what servers keep connections for, so that few are closed as they are used."""

_LAST_STATUS = 599
_LAST_PORT = 65535


class NoAnswerError(Exception):
    """The upstream gave no answer.

    Attributes:
        status: The HTTP status that says so: 502 or 504.
        reason: Why; nothing of the request is in it.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(eq=False)
class Answer:
    """The head of an answer; its pieces come after it.

    Attributes:
        status: The HTTP status.
        reason: The phrase beside it.
        headers: As they came.
        ended: How the body ended, once its pieces were read.
    """

    status: int
    reason: str
    headers: tuple[Header, ...]
    _response: httpx.Response
    ended: ResponseEnd = "complete"

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes, with its content coding; `ended` says how it ended.

        Yields:
            What was read at once, never empty.
        """
        try:
            async for piece in self._response.stream:  # type: ignore[union-attr]
                if piece:
                    yield piece
        except httpx.TimeoutException:
            self.ended = "timeout"
        except httpx.RemoteProtocolError:
            declared = any(name.lower() == "content-length" for name, _ in self.headers)
            self.ended = "short" if declared else "reset"
        except httpx.HTTPError:
            self.ended = "reset"

    async def close(self) -> None:
        """Let go of the connection; it is used again where the body was read to its end."""
        await self._response.aclose()


class Upstream:
    """The way to live APIs.

    Args:
        idle_s: How long nothing may come before an answer is given up.
        trusted: A file of certificates to trust beside the public ones.
        change: What becomes of a request, where it is not sent as it comes.

    Raises:
        MockServerError: The file of certificates cannot be read.
    """

    def __init__(
        self,
        *,
        idle_s: float,
        trusted: Path | None = None,
        change: Callable[[RecordedRequest], RecordedRequest] | None = None,
    ) -> None:
        self._idle_s = idle_s
        self._change = change
        self._transport = httpx.AsyncHTTPTransport(
            verify=trust_context(trusted),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_KEPT_ALIVE_S),
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    async def ask(
        self, request: RecordedRequest, body: AsyncIterable[bytes] | None = None
    ) -> Answer:
        """Send a request and wait for the head of the answer.

        Args:
            request: The request.
            body: Its body, when it is sent as it comes.

        Raises:
            NoAnswerError: There was none.
        """
        if self._change is not None and body is None:
            request = self._change(request)
        port = split_url(request.url).port[1:]
        if port and not (port.isdigit() and int(port) <= _LAST_PORT):
            raise NoAnswerError(502, "the URL cannot be asked")
        try:
            response = await self._transport.handle_async_request(self._http_request(request, body))
        except httpx.InvalidURL as error:
            raise NoAnswerError(502, "the URL cannot be asked") from error
        except httpx.TimeoutException as error:
            raise NoAnswerError(504, _timeout_reason(error, self._idle_s)) from error
        except httpx.HTTPError as error:
            raise NoAnswerError(502, _failure_reason(error)) from error
        if response.status_code > _LAST_STATUS:
            await response.aclose()
            raise NoAnswerError(502, f"its status {response.status_code} is none of HTTP")
        reason: bytes = response.extensions.get("reason_phrase", b"")
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        )
        if header(headers, "transfer-encoding"):
            headers = without(headers, ["content-length"])  # RFC 9112: it says nothing
        return Answer(response.status_code, reason.decode("latin-1"), headers, response)

    def _http_request(
        self, request: RecordedRequest, body: AsyncIterable[bytes] | None
    ) -> httpx.Request:
        url = split_url(request.url)
        idle = self._idle_s
        headers = request.headers
        if body is not None and not header(headers, "content-length"):
            headers = (*headers, ("transfer-encoding", "chunked"))
        return httpx.Request(
            request.method,
            f"{url.scheme}{url.host}{url.port}/",
            headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            stream=httpx.ByteStream(request.body) if body is None else _StreamBody(body),
            extensions={
                "target": f"{url.path or '/'}{url.query}".encode("latin-1"),  # to the character
                "timeout": {"connect": CONNECT_S, "read": idle, "write": idle, "pool": None},
            },
        )


class _StreamBody(httpx.AsyncByteStream):
    """A body that is sent as it comes."""

    def __init__(self, pieces: AsyncIterable[bytes]) -> None:
        self._pieces = pieces

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            yield piece


def trust_context(trusted: Path | None) -> ssl.SSLContext:
    """Whom upstreams are trusted by: the public authorities, and those of a file.

    Raises:
        MockServerError: The file cannot be read, or holds no certificates.
    """
    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    if trusted is not None:
        try:
            context.load_verify_locations(cafile=trusted)
        except OSError as error:
            why = "holds no certificates" if isinstance(error, ssl.SSLError) else error.strerror
            raise MockServerError(f"{trusted}: {why}", hint="a PEM file is wanted") from error
    return context


def _timeout_reason(error: httpx.TimeoutException, idle_s: float) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {CONNECT_S:g} s"
    return f"nothing came for {idle_s:g} s (--idle-timeout)"


def _failure_reason(error: httpx.HTTPError) -> str:
    """Why, in words of ours: those of the error may quote what was sent."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message} (--upstream-ca)"
        if isinstance(cause, ssl.SSLError):
            return "it speaks no TLS that we understand"
        if isinstance(cause, socket.gaierror):
            return "its name leads nowhere (DNS)"
        if isinstance(cause, ConnectionRefusedError):
            return "nobody listens there"
        cause = cause.__cause__ or cause.__context__
    return _FAILURES.get(type(error), "the connection broke")


_FAILURES: dict[type[httpx.HTTPError], str] = {
    httpx.ConnectError: "it cannot be reached",
    httpx.ReadError: "it reset the connection before it answered",
    httpx.WriteError: "it reset the connection before it was asked",
    httpx.RemoteProtocolError: "what it answered is not HTTP, or it closed without an answer",
    httpx.LocalProtocolError: "the request cannot be sent as it is",
}
