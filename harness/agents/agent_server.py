"""The server of an agent: started for a run, awaited until it listens, stopped with its group."""

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import BinaryIO
from urllib.parse import urlsplit

from harness.agents.processes import MARK, kill_marked, new_mark, signal_group
from harness.errors import HarnessError, InfrastructureError, reason_of

_PAUSE_S = 0.02
_LOOK_S = 5.0
_TAIL = 2000


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How an agent's server is started.

    Attributes:
        command: The command line, split as a shell would; no shell.
        url: The agent's URL: the server is up when its port accepts connections.
        env: Its whole environment.
        log: Where its output goes.
        wait_s: Seconds it may take to come up.
        grace_s: Seconds it may take to end after SIGTERM.
    """

    command: str
    url: str
    env: Mapping[str, str] = field(default_factory=dict)
    log: Path = Path(os.devnull)
    wait_s: float = 60
    grace_s: float = 3


@asynccontextmanager
async def agent_server(start: ServerCommand) -> AsyncIterator[None]:
    """Run the server in a process group of its own for as long as the block lasts.

    Yields:
        Nothing; the server accepts connections.

    Raises:
        HarnessError: The command cannot be split, the URL has no port, or the log cannot be
            written.
        InfrastructureError: Something else listens there already, or it did not come up; the
            message holds the end of its output.
    """
    host, port = _address(start.url)
    if await _listens(host, port):
        raise InfrastructureError(
            f"something listens at {start.url} already",
            hint="stop it, or use it as it is with EVAL_MANAGE_SERVER=0",
        )
    mark = new_mark()
    process = await _start_process(start, mark)
    try:
        await _until_listening(process, start, host, port)
        yield
    finally:
        await _stop_process(process, start.grace_s)
        kill_marked(mark)


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    try:
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        port = None
    if not parts.hostname or port is None:
        raise HarnessError(f"{url!r} names no host and port to wait for")
    return parts.hostname, port


async def _start_process(start: ServerCommand, mark: str) -> asyncio.subprocess.Process:
    try:
        arguments = shlex.split(start.command)
    except ValueError as error:
        raise HarnessError(f"cannot split the server's command: {error}") from None
    if not arguments:
        raise HarnessError("the server's command is empty")
    with _open_log(start.log) as log:
        try:
            return await asyncio.create_subprocess_exec(
                *arguments,
                env={**start.env, MARK: mark},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            raise InfrastructureError(f"cannot start {arguments[0]!r}: {error.strerror}") from None


def _open_log(log: Path) -> BinaryIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("wb")
    except OSError as error:
        raise HarnessError(f"cannot write {str(log)!r}: {reason_of(error)}") from None


async def _until_listening(
    process: asyncio.subprocess.Process, start: ServerCommand, host: str, port: int
) -> None:
    deadline = monotonic() + start.wait_s
    while not await _listens(host, port):
        if process.returncode is not None:
            raise InfrastructureError(
                f"the agent's server ended with {process.returncode}{_tail(start.log)}"
            )
        if monotonic() > deadline:
            raise InfrastructureError(
                f"the agent's server did not listen at {start.url} within {start.wait_s:g} s"
                f"{_tail(start.log)}"
            )
        await asyncio.sleep(_PAUSE_S)


async def _listens(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_LOOK_S):
            _, writer = await asyncio.open_connection(host, port)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
    except OSError:
        return False
    return True


def _tail(log: Path) -> str:
    text = log.read_bytes()[-_TAIL:].decode("utf-8", "replace").strip() if log.is_file() else ""
    return f":\n{text}" if text else ""


async def _stop_process(process: asyncio.subprocess.Process, grace_s: float) -> None:
    signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), grace_s)
    signal_group(process.pid, signal.SIGKILL)
    await process.wait()
