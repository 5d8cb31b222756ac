"""`understudy env --check`: what a command reached, and what would have escaped the mock server.

A network of its own, in which nothing but the mock server can be reached, isolates the command.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

from mockserver.asgi.splicing import SplicedConnections
from mockserver.children import child_command
from mockserver.cli.isolated_network import LOOKED_UP
from mockserver.client import MockServer
from mockserver.errors import MockServerError
from mockserver.model import JournalEntry, JsonObject, SessionInfo

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


def isolation_problem(host: str) -> str:
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
    led = SplicedConnections()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mockserver-")))
        stack.push_async_callback(led.close)
        for port in ports:
            accept = partial(_accept, led, host, port)
            server = await asyncio.start_unix_server(accept, folder / f"{port}.sock")
            stack.callback(server.close)
        inside = child_command("mockserver.cli.isolated_network:main", str(folder))
        yield Isolation(("unshare", *_NAMESPACES, *inside), folder)


def _accept(
    led: SplicedConnections,
    host: str,
    port: int,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    led.lead(host, port, (reader, writer))


_CONNECT = "CONNECT"
OWN_VARIABLE = "MOCKSERVER_TOKEN"
"""The variable of the control token, which is for no command that is watched."""

_ESCAPED = 1


@dataclass(frozen=True)
class ConnectionReport:
    """What came of a command's connections.

    Attributes:
        reached: How often each method of each host was asked: (host, method id or verb and path).
        refused: How often each connection was refused: (host and port, reason).
        tunnelled: How often each host and port was let through.
        looked_up: Names that were looked up without the proxy.
        unseen: Why connections past the proxy could not be seen; empty where they could.
        made_up: How many of the answers of each method were made up: no data stand behind them.
    """

    reached: Counter[tuple[str, str]]
    refused: Counter[tuple[str, str]]
    tunnelled: Counter[str]
    looked_up: tuple[str, ...] = ()
    unseen: str = ""
    made_up: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def escaped(self) -> bool:
        """Whether some call would have left the machine."""
        return bool(self.refused or self.looked_up)


def sort_connections(
    entries: Iterable[JournalEntry], looked_up: Sequence[str] = (), unseen: str = ""
) -> ConnectionReport:
    """Sort a journal into what was reached, refused and let through.

    A connection that broke off is not counted where its host was reached otherwise: a program that
    ends leaves some of those behind.
    """
    found = ConnectionReport(Counter(), Counter(), Counter(), tuple(looked_up), unseen)
    several = tuple(entries)
    reached = {entry.host for entry in several if entry.http_method != _CONNECT}
    for entry in several:
        if entry.http_method != _CONNECT:
            if entry.parent is None:
                asked = entry.method_id or f"{entry.http_method} {entry.path}"
                called = entry.host or "(this server)", asked
                found.reached[called] += 1
                found.made_up[called] += entry.source == "synthesis"
        elif entry.miss is not None:
            broke_off = entry.miss.blame == "infrastructure" and entry.host in reached
            found.refused[entry.path, entry.miss.reason] += not broke_off
        else:
            found.tunnelled[entry.path] += 1
    return replace(found, refused=+found.refused, made_up=+found.made_up)


def report_lines(found: ConnectionReport, status: int) -> Iterator[str]:
    """The report, line by line.

    Yields:
        Lines without their ends.
    """
    yield f"the command ended with {status}"
    lines = []
    for (host, asked), n in sorted(found.reached.items()):
        made_up = found.made_up[host, asked]
        lines.append(f"{host}  {asked}  {n}x" + (f"  {made_up} made up" if made_up else ""))
    yield from _section("reached", lines)
    if found.made_up:
        yield (
            f"{found.made_up.total()} of {found.reached.total()} answers were made up from an API's"
            " document; without them: understudy serve --no-made-up"
        )
    yield from _section("let through", [f"{to}  {n}x" for to, n in found.tunnelled.items()])
    yield from _section(
        "escaped, and refused",
        [f"{to}  {n}x  {reason}" for (to, reason), n in found.refused.items()],
    )
    yield from _section("escaped past the proxy, and led nowhere", found.looked_up)
    if not found.reached:
        yield "nothing was reached: does the command use these APIs at all?"
    if found.unseen:
        yield f"connections past the proxy are not seen here: {found.unseen}"


def report_json(found: ConnectionReport, status: int) -> JsonObject:
    """The report as JSON."""
    return {
        "status": status,
        "escaped": found.escaped,
        "reached": [
            {
                "host": host,
                "method": method,
                "count": count,
                "made_up": found.made_up[host, method],
            }
            for (host, method), count in sorted(found.reached.items())
        ],
        "let_through": [{"to": to, "count": count} for to, count in found.tunnelled.items()],
        "refused": [
            {"to": to, "reason": reason, "count": count}
            for (to, reason), count in found.refused.items()
        ],
        "looked_up": [*found.looked_up],
        "unseen": found.unseen,
    }


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)


def merge_environment(environ: Mapping[str, str], block: Mapping[str, str]) -> dict[str, str]:
    """An environment with a block over it: Node's options are kept, the control token is not."""
    own = environ.get("NODE_OPTIONS", "")
    added = block.get("NODE_OPTIONS", "")
    kept = {"NODE_OPTIONS": f"{added} {own}"} if added and own and added not in own else {}
    inherited = {name: value for name, value in environ.items() if name != OWN_VARIABLE}
    return {**inherited, **block, **kept}


async def check(
    server: MockServer,
    info: SessionInfo,
    command: Sequence[str],
    *,
    output: TextIO | None = None,
    given: str | None = None,
) -> tuple[ConnectionReport, int]:
    """Run a command under a session's block, with the server as its only way out where possible.

    Args:
        server: The server.
        info: The session.
        command: The command with its arguments.
        output: Where its standard output goes; to that of this process by default.
        given: What it reads from its standard input; that of this process when None.

    Returns:
        What was seen, and the command's exit status.

    Raises:
        MockServerError: The server has no proxy, or the command cannot be started.
    """
    if "HTTPS_PROXY" not in info.env:
        raise MockServerError(
            "the server has no proxy to watch", hint="start it without --no-proxy"
        )
    before = max((one.seq for one in (await server.journal(info.id)).entries), default=0)
    url, proxy = urlsplit(server.url), urlsplit(info.env["HTTPS_PROXY"])
    host = url.hostname or ""
    unseen = isolation_problem(host)
    looked_up: tuple[str, ...] = ()
    async with AsyncExitStack() as stack:
        prefix: tuple[str, ...] = ()
        inside = None
        if not unseen:
            ports = [port for port in (url.port, proxy.port) if port]
            inside = await stack.enter_async_context(isolation(host, ports))
            prefix = inside.prefix
        environ = merge_environment(os.environ, info.env)
        status = await _run([*prefix, *command], environ, output, given)
        if inside is not None:
            looked_up = inside.looked_up()
    entries = (await server.journal(info.id)).entries
    return sort_connections([one for one in entries if one.seq > before], looked_up, unseen), status


async def _run(
    command: Sequence[str], environ: Mapping[str, str], output: TextIO | None, given: str | None
) -> int:
    stdin = None if given is None else asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=environ, stdin=stdin, stdout=output
        )
    except OSError as error:
        raise MockServerError(f"cannot run {command[0]}: {error.strerror or error}") from error
    if given is not None:
        await process.communicate(given.encode())
    status = await process.wait()
    return 128 - status if status < 0 else status


def exit_code(found: ConnectionReport, status: int) -> int:
    """The command's own status; 1 when it ended well but something escaped."""
    return status or (_ESCAPED if found.escaped else 0)
