"""Connections that go to the worker whose session they ask, with what was read of them.

The kernel gives a connection to any worker. One whose next request is of another worker's session
is sent to that worker through a Unix socket, which answers on it from then on. Between two requests
this may happen any number of times.
"""

import asyncio
import contextlib
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from mockserver.asgi.requests import session_in_baggage
from mockserver.asgi.server import HttpProtocol
from mockserver.http.descriptors import DescriptorWatch
from mockserver.http.placement import Adopt
from mockserver.sessions.session import DEFAULT_ID
from mockserver.shared.placement import slot_of
from mockserver.state import session_of

if TYPE_CHECKING:
    from uvicorn.config import Config
    from uvicorn.server import ServerState

_LONGEST_DOOR = 16
_LARGEST = 128 * 1024
"""Of a request that came with more at once, the connection stays where it is."""

_PATH = re.compile(rb"^[A-Z]+ /(?:s|_mock/sessions|_mock/console/sessions)/([A-Za-z0-9_.-]+)")
_HEADER = re.compile(rb"\r\nx-mock-session:[ \t]*([^\r\n]+?)[ \t]*\r\n", re.IGNORECASE)
_TOKEN = re.compile(rb"\r\nauthorization:[ \t]*bearer[ \t]+([^\r\n]+?)[ \t]*\r\n", re.IGNORECASE)
_BAGGAGE = re.compile(rb"\r\nbaggage:[ \t]*([^\r\n]+)\r\n", re.IGNORECASE)
_OF_SERVER = re.compile(rb"^[A-Z]+ (?:/_mock[/?]|\*)")


def session_in_head(data: bytes) -> str | None:
    r"""The session that a request names, or the default one; None for one of the server itself.

    Args:
        data: The beginning of a request. Where its head is longer, what is missing names nobody.

    >>> session_in_head(b"GET /s/s1/example.com/ HTTP/1.1\r\n")
    's1'
    >>> session_in_head(b"GET / HTTP/1.1\r\nX-Mock-Session: s2\r\n\r\n")
    's2'
    """
    found = _PATH.match(data)
    if found is None:
        if _OF_SERVER.match(data):
            return None
        found = _HEADER.search(data)
    if found is not None:
        return found[1].decode("latin-1")
    token = _TOKEN.search(data)
    session = session_of(token[1].decode("latin-1")) if token is not None else None
    if session is None and (baggage := _BAGGAGE.search(data)) is not None:
        session = session_in_baggage(baggage[1].decode("latin-1"))
    return session or DEFAULT_ID


class Handover:
    """The Unix sockets between the workers.

    Attributes:
        doors: What goes on with connections of other ports than that of the server, by its name.

    Args:
        folder: Where they are.
        number: The number of this worker.
        workers: How many there are.
    """

    def __init__(self, folder: Path, number: int, workers: int) -> None:
        self._folder = folder
        self._number = number
        self._workers = workers
        self._others: dict[int, socket.socket] = {}
        self._own: socket.socket | None = None
        self.doors: dict[str, Adopt] = {}

    def start(self, adopt: Adopt, tell_lost: Callable[[], None]) -> None:
        """Take connections of others.

        Args:
            adopt: Goes on with those of the server's own port.
            tell_lost: Called for one that is gone, since no descriptor was left for it.
        """
        path = self._path(self._number)
        path.unlink(missing_ok=True)
        own = self._own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        own.setblocking(False)  # noqa: FBT003
        own.bind(str(path))

        def receive() -> None:
            with contextlib.suppress(BlockingIOError):
                while True:
                    data, descriptors, flags, _ = socket.recv_fds(own, _LARGEST + _LONGEST_DOOR, 1)
                    if flags & socket.MSG_CTRUNC:
                        tell_lost()
                    door, _, early = data.partition(b"\0")
                    for descriptor in descriptors:
                        go_on = self.doors[door.decode()] if door else adopt
                        go_on(socket.socket(fileno=descriptor), early)

        asyncio.get_running_loop().add_reader(own, receive)

    def stop(self) -> None:
        """Take no more."""
        if self._own is not None:
            asyncio.get_running_loop().remove_reader(self._own)
            self._own.close()
        for other in self._others.values():
            other.close()

    def send(self, session_id: str, descriptor: int, data: bytes, door: str = "") -> bool:
        """Send a connection to the worker of a session; False where it stays here.

        Args:
            session_id: The session.
            descriptor: The connection.
            data: What was read of it.
            door: Who goes on with it there; an empty string for the server's own port.
        """
        slot = slot_of(session_id, self._workers)
        if slot == self._number or len(data) > _LARGEST:
            return False
        for _ in range(2):  # a worker that was started again has a new socket
            try:
                other = self._others.get(slot) or self._connect(slot)
                socket.send_fds(other, [door.encode(), b"\0", data], [descriptor])
            except BlockingIOError:
                return False  # it is busy: the request is answered here
            except OSError:
                self._forget(slot)
            else:
                return True
        return False

    def is_own(self, session_id: str) -> bool:
        """Whether a session is of this worker."""
        return slot_of(session_id, self._workers) == self._number

    def _connect(self, slot: int) -> socket.socket:
        other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._others[slot] = other
        other.setblocking(False)  # noqa: FBT003
        other.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * _LARGEST)
        other.connect(str(self._path(slot)))
        return other

    def _forget(self, slot: int) -> None:
        other = self._others.pop(slot, None)
        if other is not None:
            other.close()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.sock"


class PlacedProtocol(HttpProtocol):
    """HTTP/1.1 whose connection may go to another worker between two requests.

    Args:
        handover: Where connections are sent.
        descriptors: Whether one more can be taken.
        config: uvicorn's configuration.
        server_state: The state of the server.
        app_state: The state of the application.
        early: What another worker read of this connection.
    """

    def __init__(
        self,
        handover: Handover,
        descriptors: DescriptorWatch,
        config: "Config",
        server_state: "ServerState",
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        early: bytes = b"",
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._handover = handover
        self._descriptors = descriptors
        self._early = early

    @override
    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        early, self._early = self._early, b""
        if self._descriptors.refuse_excess(transport):
            return
        if early:
            super().data_received(early)  # it was sent here: it does not go on

    @override
    def data_received(self, data: bytes) -> None:
        if not (self._is_between_requests() and self._moves(data)):
            super().data_received(data)

    def _is_between_requests(self) -> bool:
        scope, cycle = self._scope, self._cycle
        if scope is None:
            return True
        if "raw_path" not in scope:  # its head has begun to come
            return False
        if cycle is None or self.pipeline:
            return False
        is_done = cycle.response_complete and not cycle.more_body
        return is_done and not self.transport.get_write_buffer_size()

    def _moves(self, data: bytes) -> bool:
        """Whether the connection went to the worker of the session that is asked now."""
        session_id = session_in_head(data)
        if session_id is None:
            return False
        own = cast("socket.socket | None", self.transport.get_extra_info("socket"))
        if own is None or not self._handover.send(session_id, own.fileno(), data):
            return False
        self.transport.abort()  # closes this descriptor; the connection lives on in the other
        return True
