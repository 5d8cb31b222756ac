"""Where a request of the proxy's client leads: before one upstream, or to whatever it names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mockserver.capture.delivery import end_to_end
from mockserver.capture.rewriting import Rewriting, may_hold_urls
from mockserver.capture.upstream import NoAnswerError
from mockserver.errors import MockServerError
from mockserver.messages import READABLE, header, header_values, split_url, with_header, without
from mockserver.model import Header, RecordedRequest

Scope = Mapping[str, Any]


class Way(Protocol):
    """How requests become those that the upstream gets."""

    @property
    def upstream(self) -> str:
        """The upstream that all requests go to, or an empty string."""
        ...

    @property
    def rewriting(self) -> Rewriting | None:
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
class Reverse:
    """A proxy that stands before one upstream.

    Attributes:
        upstream: `https://host[:port][/prefix]`.
        own: `http://host:port`, as clients reach the proxy.
    """

    upstream: str
    own: str
    rewriting: Rewriting = field(init=False)
    _back: Rewriting = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewriting", Rewriting(self.upstream, self.own))
        object.__setattr__(self, "_back", Rewriting(self.own, self.upstream))

    def url(self, scope: Scope) -> str:
        """Where a request leads."""
        return self.upstream + _target(scope)

    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as the upstream is to get it; URLs of the proxy in it become its own."""
        url = split_url(self.upstream)
        headers = self._back.headers(_sent(scope))
        content = self._back.whole(body) if may_hold_urls(headers) else body
        return _built(scope, self.upstream + _target(scope), url.host + url.port, headers, content)


@dataclass(frozen=True)
class Forward:
    """A proxy that clients were told to use.

    Attributes:
        own: `host:port` of the proxy itself, where no request may lead.
    """

    own: frozenset[str] = frozenset()
    upstream: str = ""
    rewriting: None = None

    def url(self, scope: Scope) -> str:
        """Where a request leads."""
        return f"{scope['scheme']}://{header(_sent(scope), 'host')}{_target(scope)}"

    def request(self, scope: Scope, body: bytes) -> RecordedRequest:
        """The request as it came."""
        headers = _sent(scope)
        host = header(headers, "host")
        if not host:
            raise NoAnswerError(400, "the request names no host")
        if host.lower() in self.own:
            raise NoAnswerError(400, "the request leads to the proxy itself")
        return _built(scope, f"{scope['scheme']}://{host}{_target(scope)}", host, headers, body)


def upstream_of(text: str) -> str:
    """The upstream that a user names, without a slash at its end.

    Raises:
        MockServerError: It is no URL of HTTP, or has a query, a fragment or a user.

    >>> upstream_of("https://api.example.com/v1/")
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


def _target(scope: Scope) -> str:
    path: bytes = scope["raw_path"]
    query: bytes = scope["query_string"]
    return path.decode("latin-1") + (f"?{query.decode('latin-1')}" if query else "")


def _sent(scope: Scope) -> tuple[Header, ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    )


def _built(
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
