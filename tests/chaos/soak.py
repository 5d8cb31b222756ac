"""`python -m tests.chaos.soak`: three workers for an hour, whose Redis is killed each minute.

Clients lend books all the while, each in one session after the other, whose history is checked.
Descriptors, memory and tasks of each worker are printed as they go, and must not grow.
"""

import argparse
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic, sleep

import httpx

from tests.chaos.loans import CALLER, Client, contradictions
from tests.chaos.processes import children_of
from tests.chaos.runs import write_suite
from tests.chaos.servers import MockProcess
from tests.redis_servers import RedisServer

WORKERS, REQUESTS = 3, 20
_SAMPLE_S = 15.0
_MIB = 1 << 20
GROWTH = {"descriptors": 10.0, "memory, MiB": 8.0, "tasks": 10.0}
"""By how much the last quarter's median may be above that of the second: nothing that goes on."""


@dataclass(frozen=True)
class Sample:
    """What a worker has at a moment.

    Attributes:
        worker: Its process.
        figures: By the names of `GROWTH`.
    """

    worker: int
    figures: Mapping[str, float]


def sample(server: MockProcess) -> list[Sample]:
    """What each worker that answers has now."""
    assert server.process is not None
    tasks: dict[int, int] = {}
    workers = children_of(server.process.pid)
    for _ in range(20 * len(workers)):
        if len(tasks) == len(workers):
            break
        with suppress(httpx.HTTPError, KeyError):
            url, token = f"{server.url}/_mock/health?tasks", f"Bearer {server.token}"
            found = CALLER.ask("GET", url, {"Authorization": token}).json()
            tasks[found["pid"]] = len(found["tasks"])
    return [
        Sample(
            worker,
            {
                "descriptors": len([*Path(f"/proc/{worker}/fd").iterdir()]),
                "memory, MiB": _resident(worker) / _MIB,
                "tasks": tasks[worker],
            },
        )
        for worker in workers
        if worker in tasks
    ]


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096


class Soak:
    """The clients, and what they found.

    Args:
        server: Whom they ask.
        pause: Seconds between the requests of one.
        ends: Set once they are to end.
    """

    def __init__(self, server: MockProcess, pause: float, ends: threading.Event) -> None:
        self._server, self._pause, self._ends = server, pause, ends
        self.sessions, self.requests, self.worst_s = 0, 0, 0.0
        self.unanswered = 0
        self.found: list[str] = []

    def work(self, number: int) -> None:
        """Lend books in one session after the other."""
        random, count = Random(number), 0
        while not self._ends.is_set():
            count += 1
            client = Client(self._server.url, f"soak-{number}-{count}", f"c{number}")
            if not self._control("POST", "", {"id": client.session}):
                sleep(self._pause)
                continue
            for _ in range(REQUESTS):
                client.work(random, 1, lambda: None)
                self._ends.wait(self._pause)
            while not client.look():
                pass
            self.found += contradictions((client,))
            self.sessions += 1
            self.requests += len(client.took)
            self.unanswered += sum(not each.is_answered for each in client.history)
            self.worst_s = max(self.worst_s, *(each for each, _ in client.took))
            while not self._control("DELETE", f"/{client.session}"):
                sleep(self._pause)

    def _control(self, method: str, path: str, body: object = None) -> bool:
        """Whether it was done, maybe before."""
        url = f"{self._server.url}/_mock/sessions{path}"
        headers = {"Authorization": f"Bearer {self._server.token}"}
        with suppress(httpx.HTTPError):
            return CALLER.ask(method, url, headers, json=body).status_code in (
                201,
                200,
                409,
                404,
                410,
            )
        return False


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """By how much each figure grew from the second quarter to the last; the most of any worker."""
    by_worker: dict[int, list[Mapping[str, float]]] = defaultdict(list)
    for each in samples:
        by_worker[each.worker].append(each.figures)
    grown = dict.fromkeys(GROWTH, 0.0)
    for figures in by_worker.values():
        quarter = len(figures) // 4
        for name in GROWTH:
            before, after = (
                median(each[name] for each in part or figures)
                for part in (figures[quarter : 2 * quarter], figures[-quarter:])
            )
            grown[name] = max(grown[name], after - before)
    return grown


def main() -> int:
    """Soak a server; 1 where something grew, an answer was wrong, or one was late."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two kills")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two requests")
    asked = parser.parse_args()
    program = shutil.which("redis-server")
    if program is None:
        parser.error("no redis-server: install the package redis-server")
    folder = Path(tempfile.mkdtemp(prefix="understudy-soak-"))
    redis, ends = RedisServer(program, folder, "--appendfsync", "always"), threading.Event()
    redis.start()
    samples: list[Sample] = []
    kills = 0
    try:
        options = ("--workers", str(WORKERS), "--redis", redis.url)
        with (
            MockProcess(write_suite(folder), *options) as server,
            ThreadPoolExecutor(asked.clients) as pool,
        ):
            soak = Soak(server, asked.pause, ends)
            clients = [pool.submit(soak.work, number) for number in range(asked.clients)]
            began = monotonic()
            while (passed := monotonic() - began) < asked.minutes * 60:
                if passed > (kills + 1) * asked.every:
                    redis.stop()
                    redis.start()
                    kills += 1
                now = sample(server)
                samples += now
                told = "; ".join(
                    ", ".join(f"{value:.0f} {name}" for name, value in each.figures.items())
                    for each in now
                )
                sys.stderr.write(f"{passed:.0f} s, {kills} kills: {told}\n")
                sleep(_SAMPLE_S)
            ends.set()
            for each in clients:
                each.result()
    finally:
        ends.set()
        redis.stop()
        shutil.rmtree(folder, ignore_errors=True)
    grown = growth(samples)
    for line in soak.found:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(
        f"{asked.minutes:g} minutes, {kills} kills, {soak.sessions} sessions, {soak.requests}"
        f" requests, {soak.unanswered} not answered, the longest {soak.worst_s:.1f} s;"
        f" grown by {', '.join(f'{value:.1f} {name}' for name, value in grown.items())}\n"
    )
    return int(bool(soak.found) or any(grown[name] > most for name, most in GROWTH.items()))


if __name__ == "__main__":
    sys.exit(main())
