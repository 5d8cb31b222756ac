"""Network backends of httpcore and httpcore2 over sockets that somebody else opens."""

import selectors
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Literal

Opener = Callable[[str, int, float | None], socket.socket]
"""Opens a socket to host and port, within seconds."""

_Doing = Literal["Read", "Write"]


@contextmanager
def _errors(core: ModuleType, doing: _Doing) -> Iterator[None]:
    """Errors of a socket, as the pools of `core` know them."""
    try:
        yield
    except TimeoutError as error:
        raise getattr(core, f"{doing}Timeout")(str(error)) from error
    except OSError as error:
        raise getattr(core, f"{doing}Error")(str(error)) from error


def _refusal(core: ModuleType, error: OSError) -> Exception:
    return core.ConnectError(getattr(error, "reason", str(error)))  # type: ignore[no-any-return]


def _extra_info(connection: socket.socket, info: str) -> object:
    if info == "socket":
        return connection
    return _is_readable(connection) if info == "is_readable" else None


def _is_readable(connection: socket.socket) -> bool:
    """Whether something came, or the other end hung up."""
    if connection.fileno() < 0:
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))


class SocketStream:
    """One connection, as `httpcore.NetworkStream` has it; TLS is left out.

    Args:
        core: `httpcore`, or a library that is made like it.
        connection: The connection.
    """

    def __init__(self, core: ModuleType, connection: socket.socket) -> None:
        self._core = core
        self._socket = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came; empty at the end."""
        with _errors(self._core, "Read"):
            self._socket.settimeout(timeout)
            return self._socket.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        with _errors(self._core, "Write"):
            self._socket.settimeout(timeout)
            self._socket.sendall(buffer)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def start_tls(self, *_: object, **__: object) -> "SocketStream":
        """The same connection."""
        return self

    def get_extra_info(self, info: str) -> object:
        """What the pool asks of a connection."""
        return _extra_info(self._socket, info)


class SocketBackend:
    """Connections of an opener, as `httpcore.NetworkBackend` has them.

    Args:
        core: `httpcore`, or a library that is made like it.
        opener: Opens the sockets.
    """

    def __init__(self, core: ModuleType, opener: Opener) -> None:
        self._core = core
        self._opener = opener

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **_: object
    ) -> SocketStream:
        """Connect."""
        try:
            return SocketStream(self._core, self._opener(host, port, timeout))
        except OSError as error:
            raise _refusal(self._core, error) from error


class AsyncSocketStream:
    """One connection under asyncio or trio, as `httpcore.AsyncNetworkStream` has it.

    Args:
        core: `httpcore`, or a library that is made like it.
        connection: The connection.
    """

    def __init__(self, core: ModuleType, connection: socket.socket) -> None:
        connection.settimeout(0)
        self._core = core
        self._socket = connection

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """What came; empty at the end."""
        import anyio

        with _errors(self._core, "Read"), anyio.fail_after(timeout):
            while True:
                try:
                    return self._socket.recv(max_bytes)
                except BlockingIOError:
                    await anyio.wait_readable(self._socket)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Send all of it."""
        import anyio

        left = memoryview(buffer)
        with _errors(self._core, "Write"), anyio.fail_after(timeout):
            while left:
                try:
                    left = left[self._socket.send(left) :]
                except BlockingIOError:
                    await anyio.wait_writable(self._socket)

    async def aclose(self) -> None:
        """Hang up."""
        self._socket.close()

    async def start_tls(self, *_: object, **__: object) -> "AsyncSocketStream":
        """The same connection."""
        return self

    def get_extra_info(self, info: str) -> object:
        """What the pool asks of a connection."""
        return _extra_info(self._socket, info)


class AsyncSocketBackend:
    """Connections of an opener, as `httpcore.AsyncNetworkBackend` has them.

    Args:
        core: `httpcore`, or a library that is made like it.
        opener: Opens the sockets, in a thread.
    """

    def __init__(self, core: ModuleType, opener: Opener) -> None:
        self._core = core
        self._opener = opener

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        **_: Any,
    ) -> AsyncSocketStream:
        """Connect."""
        from anyio.to_thread import run_sync

        try:
            opened = await run_sync(self._opener, host, port, timeout)
        except OSError as error:
            raise _refusal(self._core, error) from error
        return AsyncSocketStream(self._core, opened)
