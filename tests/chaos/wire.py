"""A relay between a server and its Redis, which can be slow, silent, or break in the middle."""

import socket
import threading
from contextlib import suppress
from itertools import count
from time import sleep

_CHUNK = 65536
_SLOW_S, _CUT_EVERY = 2.0, 10


class Wire:
    """Connections to a port of this machine, through a port of its own.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._delay, self._is_cutting, self._flows = 0.0, False, threading.Event()
        self._chunks = count(1)
        self._open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        """The URL of the Redis that it leads to."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Take connections from now on."""
        self.recover()
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Take no more."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def slow_down(self) -> None:
        """Hold each chunk for a while."""
        self._delay = _SLOW_S

    def fall_silent(self) -> None:
        """Let nothing pass, as a network that is partitioned."""
        self._flows.clear()

    def cut(self) -> None:
        """Halve every tenth chunk, and close its connection."""
        self._is_cutting = True

    def lead_to(self, target: int) -> None:
        """Lead to another port from now on, and break what leads to the one before."""
        self._target = target
        for each in tuple(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def recover(self) -> None:
        """Let everything pass at once."""
        self._delay, self._is_cutting = 0.0, False
        self._flows.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        self._open.add(source)
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                sleep(self._delay)
                self._flows.wait()
                if self._is_cutting and next(self._chunks) % _CUT_EVERY == 0:
                    sink.sendall(chunk[: len(chunk) // 2])
                    break
                sink.sendall(chunk)
        self._open.discard(source)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
