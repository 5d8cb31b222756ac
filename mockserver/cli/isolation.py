"""A network of its own for a command, with the mock server as the only thing in it."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mockserver.cli.isolated import LOOKED_UP
from mockserver.cli.splicing import Streams, splice

_NAMESPACES = ("--user", "--map-current-user", "--keep-caps", "--net", "--mount")
_PATIENCE_S = 5


@dataclass(frozen=True)
class Isolation:
    """How a command is put into a network of its own.

    Attributes:
        prefix: What is put before the command.
        folder: Where its notes are.
    """

    prefix: tuple[str, ...]
    folder: Path

    def looked_up(self) -> tuple[str, ...]:
        """The names that the command wanted to reach without the proxy, in order."""
        notes = self.folder / LOOKED_UP
        if not notes.exists():
            return ()
        return tuple(dict.fromkeys(notes.read_text(encoding="utf-8").split()))


def obstacle(host: str) -> str:
    """Why no command can be isolated here, or an empty string when one can.

    Args:
        host: Where the server listens.
    """
    if not (host == "localhost" or host.startswith("127.")):
        return f"the server is not on this machine's loopback but at {host}"
    unshare = shutil.which("unshare")
    if unshare is None:
        return "there is no `unshare` command"
    trial = [unshare, *_NAMESPACES, "true"]
    try:
        done = subprocess.run(  # noqa: S603  (found on the path)
            trial, capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "`unshare` does not work"
    return "this system allows no namespaces of one's own" if done.returncode else ""


@asynccontextmanager
async def isolation(host: str, ports: Sequence[int]) -> AsyncIterator[Isolation]:
    """Lead ports of a server into a network that has nothing else.

    Yields:
        How a command is started there.
    """
    led: set[asyncio.Task[None]] = set()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mockserver-")))
        stack.push_async_callback(_let_go, led)
        for port in ports:
            accept = partial(_accept, led, (host, port))
            server = await asyncio.start_unix_server(accept, folder / f"{port}.sock")
            stack.callback(server.close)
        inside = (sys.executable, "-m", "mockserver.cli.isolated", str(folder))
        yield Isolation(("unshare", *_NAMESPACES, *inside), folder)


def _accept(
    led: set[asyncio.Task[None]],
    to: tuple[str, int],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    led.add(asyncio.create_task(_lead(to, (reader, writer))))


async def _lead(to: tuple[str, int], near: Streams) -> None:
    try:
        far = await asyncio.open_connection(*to)
    except OSError:
        near[1].close()
        return
    await splice(near, far)


async def _let_go(led: set[asyncio.Task[None]]) -> None:
    for task in led:
        task.cancel()
    await asyncio.gather(*led, return_exceptions=True)
