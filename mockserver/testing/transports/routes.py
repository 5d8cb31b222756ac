"""Where patched clients go: the route that is active for a thread, and the sockets that it opens.

Only the standard library is imported here: agents in processes of their own load it before
anything else.
"""

import contextlib
import errno
import socket
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from enum import Enum
from fnmatch import fnmatchcase
from threading import RLock
from typing import Protocol
from urllib.parse import unquote, urlsplit

from typing_extensions import override

_LOOPBACK = frozenset({"localhost", "ip6-localhost", "::1", "0.0.0.0"})  # noqa: S104  (compared)
_ANSWER_S = 30.0
_LONGEST_HEAD = 64 * 1024


class UnservedHostError(ConnectionRefusedError):
    """Nothing answers for a host, and nothing leaves this machine.

    Attributes:
        reason: One sentence that names what would serve it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(errno.ECONNREFUSED, reason)
        self.reason = reason


class Route(Protocol):
    """Where connections of clients lead in the place of the network."""

    def leads(self, host: str) -> bool:
        """Whether connections to a host take this route; others go their own way."""
        ...

    def open(self, host: str, port: int, *, secure: bool, timeout: float | None) -> socket.socket:
        """A connected socket for plain HTTP to a host, also where the client means HTTPS.

        Args:
            host: The host that the client asks for.
            port: Its port.
            secure: Whether it means HTTPS.
            timeout: Seconds that this may take; None: as long as it takes.

        Raises:
            UnservedHostError: Nothing answers for the host.
            OSError: The other end cannot be reached.
        """
        ...


class RouteSocket(socket.socket):
    """A socket that knows its route.

    Attributes:
        route: What opened it.
    """

    route: Route | None = None

    @classmethod
    def by(
        cls, route: Route, host: str, port: int, *, secure: bool, timeout: float | None
    ) -> "RouteSocket":
        """Open a socket by a route, see `Route.open`.

        Raises:
            UnservedHostError: Nothing answers for the host.
            OSError: The other end cannot be reached.
        """
        opened = route.open(host, port, secure=secure, timeout=timeout)
        found = cls(opened.family, opened.type, opened.proto, fileno=opened.detach())
        found.settimeout(timeout)
        found.route = route
        return found

    def __del__(self) -> None:
        self.close()  # a pool that outlives its route is dropped as a whole


class _Network(Enum):
    """In the place of a route: what asks live hosts on behalf of the mock itself."""

    LIVE = "live"


_lock = RLock()
_routes: list[Route] = []
_own: ContextVar[Route | _Network | None] = ContextVar("route", default=None)


def active_route() -> Route | None:
    """The route of this thread or task, else the one that was begun last; None without any."""
    own = _own.get()
    if own is _Network.LIVE:
        return None
    if own in _routes:
        return own
    with _lock:
        return _routes[-1] if _routes else None


def is_active(route: Route) -> bool:
    """Whether a route was begun and has not ended."""
    return route in _routes


def route_to(host: str) -> Route | None:
    """The active route, where connections to a host take it."""
    route = active_route()
    return route if route is not None and route.leads(host) else None


def go_directly() -> None:
    """Let this thread or task, and what it starts, ask the network itself."""
    _own.set(_Network.LIVE)


@contextlib.contextmanager
def begin_route(route: Route) -> Iterator[bool]:
    """Make a route the active one, of this thread or task and of those without one of their own.

    Yields:
        Whether it is the only one.
    """
    before = _own.get()
    with _lock:
        first = not _routes
        _routes.append(route)
    _own.set(route)
    try:
        yield first
    finally:
        with _lock:
            del _routes[len(_routes) - 1 - _routes[::-1].index(route)]
        # the end may come in another context, where the route was never set
        if _own.get() is route:
            _own.set(before)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own.

    >>> is_loopback("LOCALHOST"), is_loopback("127.0.0.53"), is_loopback("example.com")
    (True, True, False)
    """
    name = host.lower().strip("[]").rstrip(".")
    return name in _LOOPBACK or (name.startswith("127.") and name.replace(".", "").isdigit())


class ProxyRoute:
    """Leads to a session of a running mock server, through its proxy.

    Args:
        proxy: `http://<session>:x@host:port`.
        direct: Globs of hosts that go their own way, beside those of this machine.
    """

    def __init__(self, proxy: str, direct: Sequence[str] = ()) -> None:
        parts = urlsplit(proxy)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 80)
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        self._user = b64encode(user.encode()).decode()
        self._direct = tuple(each.lower() for each in direct)

    def leads(self, host: str) -> bool:
        """Whether connections to a host take this route."""
        name = host.lower()
        return not is_loopback(host) and not any(fnmatchcase(name, each) for each in self._direct)

    def open(self, host: str, port: int, *, secure: bool, timeout: float | None) -> socket.socket:
        """A connection through the proxy, without TLS.

        Raises:
            UnservedHostError: The proxy refuses the host; its reason.
            OSError: The proxy does not answer.
        """
        found = socket.create_connection(self._address, timeout or _ANSWER_S)
        named = f"[{host}]" if ":" in host else host
        # over port 80 the proxy answers plain HTTP itself
        head = (
            f"CONNECT {named}:80 HTTP/1.1\r\nHost: {named}:80\r\n"
            f"Proxy-Authorization: Basic {self._user}\r\n\r\n"
        )
        try:
            found.sendall(head.encode("latin-1", "replace"))
            status, reason = _read_status(found)
        except OSError:
            found.close()
            raise
        if status != 200:
            found.close()
            raise UnservedHostError(reason)
        return found

    @override
    def __repr__(self) -> str:
        return f"ProxyRoute({self._address[0]}:{self._address[1]})"


def _read_status(connection: socket.socket) -> tuple[int, str]:
    """Status and reason of an answer to CONNECT; nothing of what follows its head is read."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte or len(head) > _LONGEST_HEAD:
            raise ConnectionResetError(errno.ECONNRESET, "the mock server's proxy hung up")
        head += byte
    line = head.split(b"\r\n", 1)[0].decode("latin-1")
    _, status, reason = (*line.split(" ", 2), "", "")[:3]
    return int(status) if status.isdigit() else 502, reason.partition(": ")[2] or reason
