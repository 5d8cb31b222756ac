"""Many sessions over several processes, of which one is killed now and then: what is lost.

Each session is opened, written to in rounds, read and closed. Every answered write must be in its
session, once, and nothing of another session.

    python -m tests.acceptance.shared_sessions --sessions 50000 --kill-every 50000 --redis
"""

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from tests.mockserver.conftest import UNITS, write_suite
from tests.patience import PATIENCE_S
from tests.redis_servers import redis_server

_READY = re.compile(r"ready at http://127\.0\.0\.1:(\d+)")
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Plan:
    """What is done.

    Attributes:
        sessions: How many sessions are open at once.
        writes: How often each is written to.
        servers: How many servers there are, which clients ask in turn.
        workers: How many processes each has.
        kill_every: One of the processes is killed after each so many answers.
        clients: How many connections ask.
        close_every: Of so many sessions one is also looked into and closed at the end; the journals
            of all are read.
        seed: Which processes are killed.
    """

    sessions: int = 500
    writes: int = 4
    servers: int = 1
    workers: int = 3
    kill_every: int = 500
    clients: int = 24
    close_every: int = 1
    seed: int = 1


@dataclass
class Findings:
    """What came of it.

    Attributes:
        requests: Requests that were answered.
        retries: Requests that were sent again, as their process was killed.
        unavailable: Requests that were sent again, as the logs could not be reached.
        kills: Processes that were killed.
        lost: Answered writes that are not in their session, or not in its journal.
        doubled: Writes that are in the journal as done more than once.
        crossed: What was found in a session and is of another.
        refused: Answers that nobody expected, by status.
        seconds: How long it took.
        server_cpu_s: Processor time of all servers.
    """

    requests: int = 0
    retries: int = 0
    unavailable: int = 0
    kills: int = 0
    lost: int = 0
    doubled: int = 0
    crossed: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0
    server_cpu_s: float = 0.0

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.crossed or self.refused)


class Client:
    """One kept connection to some servers; it is opened again where it breaks."""

    def __init__(self, ports: list[int], first: int, findings: Findings) -> None:
        self._ports = ports
        self._next = first
        self._findings = findings
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask until somebody answers; status and body."""
        content = b"" if body is None else json.dumps(body).encode()
        head = ""
        if content:
            head = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        until = monotonic() + PATIENCE_S
        while True:
            try:
                status, answer = await self._exchange(f"{verb} {path}", head, content)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                self._findings.retries += 1
                assert monotonic() < until, "nobody answers"
                await asyncio.sleep(0.05)
                continue
            if status == 503:
                self._findings.unavailable += 1
                assert monotonic() < until, answer
                await asyncio.sleep(0.2)
                continue
            self._findings.requests += 1
            return status, json.loads(answer) if answer else None

    async def _exchange(self, line: str, head: str, content: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._next += 1
            self._port = self._ports[self._next % len(self._ports)]
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        reader, writer = self._streams
        host = f"Host: 127.0.0.1:{self._port}\r\n"
        writer.write(f"{line} HTTP/1.1\r\n{host}{head}\r\n".encode() + content)
        received = await reader.readuntil(b"\r\n\r\n")
        found = _LENGTH.search(received)
        answer = await reader.readexactly(int(found[1])) if found else b""
        return int(received[9:12]), answer

    def next_server(self) -> None:
        """Ask another server from now on."""
        if len(self._ports) > 1:
            self.close()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


class Trial:
    """The requests of all sessions."""

    def __init__(self, plan: Plan, ports: list[int]) -> None:
        self.plan = plan
        self.findings = Findings()
        self._ports = ports

    async def run(self) -> None:
        phases: list[Callable[[Client, int], Awaitable[None]]] = [self._open]
        phases += [self._writer(number) for number in range(self.plan.writes)]
        phases += [self._check]
        for phase in phases:
            await asyncio.gather(*(self._go(phase, n) for n in range(self.plan.clients)))

    async def _go(self, phase: Callable[[Client, int], Awaitable[None]], first: int) -> None:
        client = Client(self._ports, first, self.findings)
        for number in range(first, self.plan.sessions, self.plan.clients):
            await phase(client, number)
            client.next_server()
        client.close()

    async def _open(self, client: Client, number: int) -> None:
        status, _ = await client.ask("POST", "/_mock/sessions", {"id": f"s{number}"})
        if status not in {201, 409}:  # opened by one that died before it said so
            self.findings.refused[status] += 1

    def _writer(self, write: int) -> Callable[[Client, int], Awaitable[None]]:
        async def add(client: Client, number: int) -> None:
            name = f"s{number}-w{write}"
            body = {"name": name, "parentOrgUnitPath": "/"}
            status, answer = await client.ask("POST", f"/s/s{number}{UNITS}", body)
            if status == 200:
                self.findings.crossed += answer["name"] != name
            elif status != 409:
                self.findings.refused[status] += 1

        return add

    async def _check(self, client: Client, number: int) -> None:
        session, control = f"s{number}", f"/_mock/sessions/s{number}"
        expected = {f"{session}-w{write}" for write in range(self.plan.writes)}
        status, journal = await client.ask("GET", f"{control}/journal?bodies=0")
        if status != 200:
            self.findings.refused[status] += 1
            return
        done = Counter(each["body"]["name"] for each in journal["entries"] if each["status"] == 200)
        self.findings.doubled += sum(times - 1 for times in done.values())
        self._compare(expected, set(done))
        if number % self.plan.close_every:
            return
        _, diff = await client.ask("GET", f"{control}/diff")
        rows = (row for each in diff.values() for row in each.get("added", {}).values())
        self._compare(expected, {row["name"] for row in rows})
        status, _ = await client.ask("DELETE", control)
        if status not in {200, 410}:  # closed by one that died before it said so
            self.findings.refused[status] += 1

    def _compare(self, expected: set[str], found: set[str]) -> None:
        self.findings.lost += len(expected - found)
        self.findings.crossed += len(found - expected)


async def kill_now_and_then(
    plan: Plan, ports: list[int], pids: list[int], findings: Findings
) -> None:
    """Kill a process at random after each so many answers, without an end.

    A process takes longer to start on a busy machine, and the supervisor waits longer each time;
    with kills by the clock no request might ever be answered.
    """
    chance = Random(plan.seed)
    watchers = [Client([port], 0, Findings()) for port in ports]
    while True:
        due = plan.kill_every * (findings.kills + 1)
        while findings.requests < due:  # noqa: ASYNC110  (answers tell nobody)
            await asyncio.sleep(0.01)
        number = chance.randrange(len(pids))
        await watchers[number].ask("GET", "/_mock/health")
        watchers[number].close()
        if workers := children(pids[number]):
            with suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
                findings.kills += 1


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    with suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(child) for child in text.split()]
    return []


@contextmanager
def serving(plan: Plan, options: list[str]) -> Iterator[tuple[list[int], list[int]]]:
    """The servers: their ports and processes."""
    with ExitStack() as stack:
        ports, pids = [], []
        for _ in range(plan.servers):
            arguments = ["serve", "--port", "0", "--quiet", "--workers", str(plan.workers)]
            arguments += ["--max-sessions", str(plan.sessions + 10), *options]
            server = subprocess.Popen(
                (sys.executable, "-m", "mockserver", *arguments), stdout=subprocess.PIPE, text=True
            )
            stack.callback(server.wait)
            stack.callback(server.terminate)
            assert server.stdout is not None
            stack.callback(server.stdout.close)
            found = _READY.search(server.stdout.readline())
            assert found is not None
            ports.append(int(found[1]))
            pids.append(server.pid)
        yield ports, pids


def carry_out(plan: Plan, *, redis: str = "", prefix: str = "understudy") -> Findings:
    """Carry out a plan against servers of its own.

    Args:
        plan: What is done.
        redis: The URL of a Redis; an empty string for files.
        prefix: What its keys begin with.
    """

    async def run(ports: list[int], pids: list[int]) -> Findings:
        trial = Trial(plan, ports)
        killing = asyncio.create_task(kill_now_and_then(plan, ports, pids, trial.findings))
        started = monotonic()
        await trial.run()
        trial.findings.seconds = monotonic() - started
        killing.cancel()
        return trial.findings

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite")
        options = ["--fixtures", str(suite)]
        if redis:
            options += ["--redis", redis, "--redis-prefix", prefix]
        with serving(plan, options) as (ports, pids):
            findings = asyncio.run(run(ports, pids))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    findings.server_cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return findings


def main() -> None:
    """Carry out a plan of the command line; status 1 where anything is lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in vars(Plan()).items():
        parser.add_argument(f"--{name.replace('_', '-')}",
                            dest=name, type=type(default), default=default)  # fmt: skip
    parser.add_argument("--redis", action="store_true", help="keep the sessions in a Redis")
    given = vars(parser.parse_args())
    with ExitStack() as stack:
        url = stack.enter_context(redis_server()).url if given.pop("redis") else ""
        plan = Plan(**given)
        findings = carry_out(plan, redis=url)
    sys.stdout.write(f"{plan}\n{findings}\n")
    sys.exit(not findings.is_clean)


if __name__ == "__main__":
    main()
