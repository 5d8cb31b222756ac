"""Which requests a page in a browser may have sent, and whether a server answers them; pure.

A page can make a browser send requests to a server on this machine. What it cannot do without the
server's consent is to name the server by the name of another one, to hide its own origin, or to
send JSON. Both servers of this project hold their requests to the rules here.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from ipaddress import ip_address
from typing import NamedTuple

from mockserver.asgi.requests import Receive, Scope, Send

_DEFAULT_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_-])?)(?::([0-9]{1,5}))?")
_JSON = re.compile(rb"application/(?:[a-z0-9.!#$&^_-]+\+)?json")
_ONCE = frozenset({b"host", b"origin", b"content-type", b"authorization", b"sec-fetch-site"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_EVERYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104  (compared, not bound)
_PRIVATE_SUFFIXES = (".internal", ".local", ".localhost", ".test")

ASGIApplication = Callable[[Scope, Receive, Send], Awaitable[None]]

_OTHER_PAGE = "this server does not answer pages of other origins"


class Origin(NamedTuple):
    """A scheme, a host in lower case and a port.

    Attributes:
        scheme: `http` or `https`.
        host: A name or an address; IPv6 without brackets.
        port: The port, also where it is the scheme's own.
    """

    scheme: str
    host: str
    port: int


class Refusal(NamedTuple):
    """Why a request is not answered.

    Attributes:
        status: The HTTP status.
        message: What is wrong with it.
        hint: What to do about it.
    """

    status: int
    message: str
    hint: str = ""


class OwnOrigins:
    """The origins under which a server answers.

    Args:
        host: The address that the server listens on.
        port: The port that it listens on.
        names: Further names: `name` on the same port, `name:port`, or `https://name` for a server
            behind a proxy that ends TLS. No header is believed about that.

    Raises:
        ValueError: A name is none.
    """

    def __init__(self, host: str, port: int, names: Iterable[str] = ()) -> None:
        self._port = port
        self._everywhere = host in _EVERYWHERE
        self._local = frozenset({"localhost", host.lower()}) - _EVERYWHERE
        self._named = frozenset(named_origin(name, port) for name in names)

    def refusal(self, verb: str, headers: Iterable[tuple[bytes, bytes]]) -> Refusal | None:
        """Why a request to an interface of this server's own is refused; None where it is not.

        Args:
            verb: The HTTP method.
            headers: As sent, names in lower case.
        """
        found: dict[bytes, bytes] = {}
        for name, value in headers:
            if name in found and name in _ONCE:
                return Refusal(400, f"the request has the header {name.decode()!r} twice")
            found[name] = value
        host = found.get(b"host", b"").decode("latin-1")
        own = self._origins_of(host)
        if not own:
            hint = "start it with --allow-host NAME, or NAME:PORT, where this name is its own"
            return Refusal(403, f"this server does not answer to the host {host!r}", hint)
        if b"origin" in found and _origin(found[b"origin"]) not in own:
            return Refusal(403, _OTHER_PAGE)
        if _is_cross_site(found) and not _is_navigation(verb, found):
            return Refusal(403, _OTHER_PAGE)
        return None if verb in _READING else _content_refusal(found)

    def is_foreign_page(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a browser says that a page of another origin sent a request.

        >>> OwnOrigins("127.0.0.1", 8765).is_foreign_page({b"origin": b"null"})
        True
        """
        if b"origin" in headers:
            sent = _origin(headers[b"origin"])
            return sent not in self._origins_of(headers.get(b"host", b"").decode("latin-1"))
        return _is_cross_site(headers)

    def is_rebound(self, host: str) -> bool:
        """Whether a `Host` has this server's port and a public name that is not the server's.

        Such a request is meant for this server, under a name that someone else's DNS leads here.

        >>> own = OwnOrigins("127.0.0.1", 8765)
        >>> own.is_rebound("rebound.example.net:8765"), own.is_rebound("admin.googleapis.com")
        (True, False)
        """
        name, port = _authority(host)
        if (port or _DEFAULT_PORTS["http"]) != self._port or "." not in name:
            return False
        if name.endswith(_PRIVATE_SUFFIXES) or _is_address(name):
            return False
        return not self._origins_of(host)

    def _origins_of(self, host: str) -> frozenset[Origin]:
        """The own origins that a `Host` may stand for."""
        name, port = _authority(host)
        named = (Origin(each, name, port or own) for each, own in _DEFAULT_PORTS.items())
        return frozenset(filter(self._is_own, named)) if name else frozenset()

    def _is_own(self, origin: Origin) -> bool:
        if origin in self._named:
            return True
        if origin.scheme != "http" or origin.port != self._port:
            return False
        if origin.host in self._local:
            return True
        # the host of an address is where the connection goes: no name of it can be led elsewhere
        return _is_address(origin.host) and (
            self._everywhere or ip_address(origin.host).is_loopback
        )


class OriginGuard:
    """Lets a request through to an application, or refuses it before its body is read.

    A page in a browser on this machine can reach a loopback server, under a name of its own too:
    the rules of this module hold, with a token and without one.

    Args:
        app: What it guards.
        own: The origins under which it answers.
        refuse: Makes the answer to a refused request.
    """

    def __init__(
        self, app: ASGIApplication, own: OwnOrigins, refuse: Callable[[Refusal], ASGIApplication]
    ) -> None:
        self._app = app
        self._own = own
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application, or with the refusal."""
        refusal = None
        if scope["type"] == "http":
            refusal = self._own.refusal(scope["method"], scope["headers"])
        answer = self._app if refusal is None else self._refuse(refusal)
        await answer(scope, receive, send)


def named_origin(name: str, port: int) -> Origin:
    """The origin that a further name of a server stands for.

    Args:
        name: `name`, `name:port`, or with `http://` or `https://` before it.
        port: Of the server; where a scheme is given, the port is else the scheme's own.

    Raises:
        ValueError: It is none.

    >>> named_origin("mock", 8765), named_origin("https://mock.example.com", 8765)
    (Origin(scheme='http', host='mock', port=8765),\
 Origin(scheme='https', host='mock.example.com', port=443))
    """
    scheme, mark, rest = name.lower().rpartition("://")
    host, said = _authority(rest)
    if not host or (mark and scheme not in _DEFAULT_PORTS):
        raise ValueError(f"{name!r} is no host; NAME, NAME:PORT or https://NAME is expected")
    return Origin(scheme or "http", host, said or (_DEFAULT_PORTS[scheme] if mark else port))


def _origin(header: bytes) -> Origin | None:
    """The origin that a browser sent; None for `null` and nonsense."""
    scheme, mark, rest = header.decode("latin-1").lower().partition("://")
    host, port = _authority(rest)
    if not mark or not host or scheme not in _DEFAULT_PORTS:
        return None
    return Origin(scheme, host, port or _DEFAULT_PORTS[scheme])


def _authority(text: str) -> tuple[str, int | None]:
    """Host and port; an empty host where it is no authority."""
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None:
        return "", None
    host, port = found[1], found[2]
    if host.startswith("[") and not _is_address(host[1:-1]):
        return "", None
    return host.strip("[]"), int(port) if port else None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_cross_site(headers: Mapping[bytes, bytes]) -> bool:
    return headers.get(b"sec-fetch-site") in {b"cross-site", b"same-site"}


def _is_navigation(verb: str, headers: Mapping[bytes, bytes]) -> bool:
    """Whether a link was followed: it changes nothing, and the page it is on reads nothing."""
    mode, place = headers.get(b"sec-fetch-mode"), headers.get(b"sec-fetch-dest")
    return verb == "GET" and mode == b"navigate" and place == b"document"


def _content_refusal(headers: Mapping[bytes, bytes]) -> Refusal | None:
    """Why what is sent is refused: a form, or text, any page may send without asking."""
    sent = headers.get(b"content-type")
    if sent is None:
        length = headers.get(b"content-length", b"0")
        if length.strip(b"0") == b"" and b"transfer-encoding" not in headers:
            return None
    elif _JSON.fullmatch(sent.partition(b";")[0].strip().lower()):
        return None
    what = "without a type" if sent is None else f"of the type {sent.decode('latin-1')!r}"
    hint = "send Content-Type: application/json; with curl, --json instead of -d"
    return Refusal(415, f"this server takes no bodies {what}", hint)
