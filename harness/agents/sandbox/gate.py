"""The way from an empty network to the mock server, kept by the harness outside of it."""

import asyncio
import contextlib
import json
import re
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from harness.agents.protocol import AgentUnreachableError
from harness.agents.sandbox import entry
from mockserver.asgi.addresses import is_loopback
from mockserver.asgi.splicing import SplicedConnections

_HERE = "127.0.0.1"
_PORT = re.compile(r"(?:\b127\.\d+\.\d+\.\d+|\blocalhost|\[::1\]):(\d{1,5})\b")
_MOST_SOCKETS = 64
_LONGEST = 64 * 1024


def reachable_ports(block: Mapping[str, str]) -> tuple[int, ...]:
    """The ports of this machine that the environment of a session names.

    Raises:
        AgentUnreachableError: Its server is on another machine, which no sandbox reaches.

    >>> reachable_ports({"A": "http://127.0.0.1:81/s/x", "P": "http://x:x@localhost:82"})
    (81, 82)
    """
    server = urlsplit(block.get("MOCK_SERVER_URL", "")).hostname
    if server is not None and not is_loopback(server):
        raise AgentUnreachableError(
            f"a sandbox reaches mock servers on this machine's loopback alone, not {server!r}"
        )
    found = {int(port) for value in block.values() for port in _PORT.findall(value)}
    return tuple(sorted(found))


@dataclass
class Gate:
    """What is outside of one sandbox.

    Attributes:
        folder: What the sandbox must see of this machine: the socket, and the program for it.
        ports: The ports that are led to this machine's.
        variables: Further ones of the agent, which it is handed inside.
        entered: Whether the program came up inside.
        failure: Why the agent could not be started there, or an empty string.
    """

    folder: Path
    ports: tuple[int, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    entered: bool = False
    failure: str = ""
    _connections: SplicedConnections = field(default_factory=SplicedConnections)

    @property
    def command(self) -> tuple[str, ...]:
        """What follows the interpreter, and precedes the agent's command."""
        ports = ",".join(map(str, self.ports))
        return ("-I", "-S", str(self.folder / _ENTRY), str(self.folder / _SOCKET), ports)

    async def admit(self, listening: socket.socket) -> None:
        """Let the program in that asks first, and nobody after it."""
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as opened:
            opened.push_async_callback(self._connections.close)
            inside, _ = await loop.sock_accept(listening)
            listening.close()
            opened.callback(inside.close)
            await _readable(inside)
            ports, descriptors, *_ = socket.recv_fds(inside, _LONGEST, _MOST_SOCKETS)
            for port, descriptor in zip(json.loads(ports or b"[]"), descriptors, strict=True):
                listener = socket.socket(fileno=descriptor)
                listener.setblocking(False)  # noqa: FBT003  (the socket's own signature)
                lead = partial(self._lead, port)
                opened.callback((await asyncio.start_server(lead, sock=listener)).close)
            await loop.sock_sendall(inside, json.dumps(dict(self.variables)).encode() + b"\n")
            self.entered = True
            self.failure = (await loop.sock_recv(inside, _LONGEST)).decode(errors="replace")
            await asyncio.Event().wait()  # until the sandbox has ended

    def _lead(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if port in self.ports:
            self._connections.lead(_HERE, port, (reader, writer))
        else:
            writer.close()


_SOCKET, _ENTRY = "gate", "entry.py"


@asynccontextmanager
async def open_gate(ports: tuple[int, ...]) -> AsyncIterator[Gate]:
    """Keep the gate of a sandbox while a block runs.

    Args:
        ports: What is led to the same ports of this machine.

    Yields:
        The gate.
    """
    with tempfile.TemporaryDirectory(prefix="harness-gate-") as name:
        gate = Gate(Path(name), ports)
        shutil.copyfile(entry.__file__, gate.folder / _ENTRY)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(str(gate.folder / _SOCKET))
            listening.listen(1)
            listening.setblocking(False)  # noqa: FBT003  (the socket's own signature)
            admitting = asyncio.create_task(gate.admit(listening))
            try:
                yield gate
            finally:
                admitting.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError, ValueError):
                    await admitting


async def _readable(waiting: socket.socket) -> None:
    """Wait until something can be read."""
    waiting.setblocking(False)  # noqa: FBT003  (the socket's own signature)
    loop, event = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(waiting, event.set)
    try:
        await event.wait()
    finally:
        loop.remove_reader(waiting)
