"""Runs a command in a network of its own, in which nothing but the mock server can be reached.

It is started inside new user, network and mount namespaces, whose loopback has nothing on it. For
each port of the server that is to be reached, a socket file of the same number leads out of there.
Names that the command looks up are answered with "no such name" and noted.

    python -m mockserver.cli.isolated_network FOLDER COMMAND...
"""

import asyncio
import contextlib
import fcntl
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import cast

from typing_extensions import override

from mockserver.asgi.splicing import Streams, splice

LOOKED_UP = "looked-up"
"""The file in the folder that names which were looked up, one a line."""

SOCKETS = "*.sock"
_LOOPBACK = "127.0.0.1"
_DNS = 53
_SIOCSIFFLAGS, _UP = 0x8914, 0x1
_NO_SUCH_NAME = b"\x81\x83"
_HEADER = 12
_NOT_STARTED = 127


class NameServer(asyncio.DatagramProtocol):
    """Knows no name, and notes each that it is asked for.

    Args:
        notes: Where they are noted.
    """

    def __init__(self, notes: Path) -> None:
        self._notes = notes
        self._seen: set[str] = set()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    @override
    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name = queried_name(data)
        if name not in self._seen:
            self._seen.add(name)
            with self._notes.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")
        self._transport.sendto(no_such_name(data), addr)


def queried_name(query: bytes) -> str:
    r"""The name that a DNS query is about; an empty string when it cannot be read.

    >>> queried_name(bytes(12) + b"\3api\7example\0\0\1\0\1")
    'api.example'
    """
    labels, at = [], _HEADER
    while at < len(query) and query[at]:
        end = at + 1 + query[at]
        labels.append(query[at + 1 : end].decode("latin-1"))
        at = end
    return ".".join(labels)


def no_such_name(query: bytes) -> bytes:
    """The answer NXDOMAIN to a DNS query."""
    return query[:2] + _NO_SUCH_NAME + query[4:6] + bytes(6) + query[_HEADER:]


async def run(folder: Path, command: Sequence[str]) -> int:
    """Run the command; its exit status."""
    _loopback_up()
    async with AsyncExitStack() as stack:
        for path in _sockets(folder):
            led = await asyncio.start_server(partial(_connect, path), _LOOPBACK, int(path.stem))
            await stack.enter_async_context(led)
        await _answer_names(folder)
        return await _run_command(command)


def _sockets(folder: Path) -> tuple[Path, ...]:
    return tuple(folder.glob(SOCKETS))


async def _run_command(command: Sequence[str]) -> int:
    try:
        process = await asyncio.create_subprocess_exec(*command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return _NOT_STARTED
    status = await process.wait()
    return 128 - status if status < 0 else status


async def _answer_names(folder: Path) -> None:
    config = folder / "resolv.conf"
    config.write_text(f"nameserver {_LOOPBACK}\noptions attempts:1 timeout:2\n", encoding="ascii")
    mount = ["mount", "--bind", str(config), "/etc/resolv.conf"]
    # where it cannot be, names are not resolved either; they are only not noted
    subprocess.run(mount, check=False, stderr=subprocess.DEVNULL)  # noqa: ASYNC221, S603
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        await loop.create_datagram_endpoint(
            lambda: NameServer(folder / LOOKED_UP), local_addr=(_LOOPBACK, _DNS)
        )


async def _connect(path: Path, *near: *Streams) -> None:
    # the command has ended and the loop with it: asyncio would tell of that with a traceback
    with contextlib.suppress(asyncio.CancelledError):
        await splice(near, await asyncio.open_unix_connection(path))


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _UP))


def main() -> None:
    """Run the command that the arguments name, behind the folder of the sockets."""
    sys.exit(asyncio.run(run(Path(sys.argv[1]), sys.argv[2:])))
