"""`harness run`, struck at an operation on its files, mended, and finished with --resume."""

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

from harness.runner.executors import pool, processes
from harness.runner.executors import ray_cluster as ray_cluster_place
from tests.chaos.processes import (
    Ended,
    Forked,
    Program,
    children_of,
    harness,
    in_this_process,
)
from tests.chaos.servers import MockProcess
from tests.chaos.strikes import STRIKES, Strike, nothing
from tests.chaos.subjects import Found, Striker, Subject, lasting, unlike
from tests.clusters import Cluster, packages_of_ray, ray_cluster
from tests.patience import wait_until

CASES, TRIALS, WORKERS = 6, 3, 2
CONNECTIONS = 100
_STILL_S = 5.0
"""After which a worker that stands still is lost; runs in forks of this process know it, too."""
_LEASE = re.compile(r"its lease is over at ([^\s)]+)")

_REQUEST = (
    b"POST /api.library.example.com/v1/loans HTTP/1.1\r\nHost: x\r\nX-Api-Key: demo-key\r\n"
    b"Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"
)

AGENT = '''
"""Lends books; every third member is told of a loan that was never made."""

import json
import urllib.request


def lend(messages, environment):
    member = messages[-1]["content"].split()[-1].rstrip(".")
    if int(member[1:]) % 3:
        request = urllib.request.Request(
            environment["LIBRARY_URL"] + "/loans",
            json.dumps({"bookId": "BK2", "member": member}).encode(),
            {"X-Api-Key": "demo-key", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            loan = json.load(answer)["id"]
    else:
        loan = "L1"
    return f"Done, loan {loan}."
'''
API = {
    "api": "library",
    "hosts": ["api.library.example.com"],
    "base_path": "/v1",
    "env": {"LIBRARY_URL": "{{ url }}"},
    "auth": {"header": "X-Api-Key", "values": ["demo-key"]},
    "collections": {
        "books": {"readonly": True},
        "loans": {"ids": "L{{ seq }}", "created": "lentAt", "refs": {"bookId": "books.id"}},
    },
}
BASE = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "library": {"books": [{"id": "BK2", "title": "Salt Roads"}], "loans": []},
}


def write_suite(folder: Path) -> Path:
    """The suite of the agent above, and the agent."""
    for name in ("apis", "base"):
        (folder / "suite" / name).mkdir(parents=True)
    cases = [
        {
            "id": f"L-{number:03}",
            "title": "A loan",
            "input": f"Lend Salt Roads to member M{number}.",
            "expect": {
                "text": {"contains": ["L1"]},
                "server": {
                    "requests": [{"method": "library.loans.create", "max": 1}],
                    "state": {
                        "expect": [
                            {
                                "collection": "library.loans",
                                "where": {"member": f"M{number}"},
                                "has": {"bookId": "BK2"},
                                "count": 1,
                            }
                        ]
                    },
                },
            },
        }
        for number in range(1, CASES + 1)
    ]
    (folder / "suite" / "cases.yaml").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    (folder / "suite" / "apis" / "library.yaml").write_text(json.dumps(API), encoding="utf-8")
    (folder / "suite" / "base" / "library.json").write_text(json.dumps(BASE), encoding="utf-8")
    (folder / "lending.py").write_text(AGENT, encoding="utf-8")
    return folder / "suite"


def records_of(runs: Path) -> dict[str, bytes]:
    """The records of finished trials, by file; those of infrastructure errors are none."""
    found = {path: path.read_bytes() for path in runs.glob("*/trials/*/*.json")}
    return {
        path.relative_to(runs).as_posix(): content
        for path, content in found.items()
        if path.stem.isdigit() and json.loads(content)["outcome"] != "infra_error"
    }


def report_of(runs: Path) -> Any:
    """The lasting part of the only run's report."""
    (path,) = runs.glob("*/report.json")
    return lasting(json.loads(path.read_bytes()))


_AGENT = ("--agent", "python:lending:lend", "--no-isolate", "--trials", str(TRIALS))


class Runs:
    """Runs of one suite beside one mock server.

    Attributes:
        server: The mock server, which a strike may kill.
    """

    def __init__(self, folder: Path, server: MockProcess) -> None:
        self.server = server
        self.suite = folder / "suite"
        in_this_process(self.new(folder / "warm"))
        self.whole = self.run(folder / "whole")
        assert self.whole.code == 1, self.whole.messages
        self.report = report_of(folder / "whole" / "runs")

    def command(self, runs: Path, *options: str) -> Program:
        """`harness run`, with its own end for mistakes."""
        where = ("--mock", self.server.url, "--mock-token", self.server.token)
        return harness("run", *options, *where, "--concurrency", "2", "--run-dir", str(runs))

    def new(self, runs: Path) -> Program:
        """A run of the suite."""
        return self.command(runs, str(self.suite), *_AGENT)

    def begin(self, folder: Path, strike: Strike = nothing, at: int = -1) -> Forked:
        """Run the suite in a fork, struck at an operation."""
        runs = folder / "runs"
        folder.mkdir(exist_ok=True)
        return Forked(self.new(runs), folder, runs, strike, at)

    def begin_on_workers(self, folder: Path, on: str = f"processes:{WORKERS}") -> Forked:
        """Run the suite in a fork, on workers that have servers of their own."""
        runs, spread = folder / "runs", ("--on", on, "-j", "1")
        folder.mkdir(exist_ok=True)
        program = harness("run", str(self.suite), *_AGENT, *spread, "--run-dir", str(runs))

        def beside_the_agent() -> int:
            os.chdir(self.suite.parent)  # what is there goes to the machines of a cluster
            return program()

        return Forked(beside_the_agent, folder, runs)

    def run(self, folder: Path, strike: Strike = nothing, at: int = -1) -> Ended:
        return self.begin(folder, strike, at).wait()

    def finish(self, folder: Path) -> Ended:
        """Finish a run that was struck, as its message says."""
        runs = folder / "runs"
        begun = [path.parent for path in runs.glob("*/manifest.json")]
        again = self.command(runs, "--resume", str(begun[0])) if begun else self.new(runs)
        ended = Forked(again, folder, runs).wait()
        held = _LEASE.search(ended.messages)  # that of the struck run, whose end reached no store
        if held is None:
            return ended
        sleep(max(0.0, (datetime.fromisoformat(held[1]) - datetime.now(UTC)).total_seconds()))
        return Forked(again, folder, runs).wait()

    def compare(self, folder: Path, what: str, struck: Ended, *, calm: bool = False) -> Found:
        """Finish a struck run, and hold it against the undisturbed one.

        Args:
            folder: The struck run's.
            what: The moment, in words.
            struck: How it ended.
            calm: Whether the strike may not change the end of the run.
        """
        runs = folder / "runs"
        kept = records_of(runs)
        differences = []
        if struck.traceback:
            differences.append(f"a traceback: {struck.traceback}")
        if struck.code == 124 or (calm and struck.code != self.whole.code):
            differences.append(f"ended with {struck.code}: {struck.messages[-600:]}")
        finished = self.finish(folder)
        if finished.code != self.whole.code:
            differences.append(f"exit code {finished.code}: {finished.messages[-600:]}")
        afterwards = records_of(runs)
        losses = [f"{name} is lost" for name in kept if afterwards.get(name) != kept[name]]
        if len(afterwards) != CASES * TRIALS:
            differences.append(f"{len(afterwards)} records")
        for run in (path.parent for path in runs.glob("*/manifest.json")):
            differences += [f"{path} is left" for path in run.rglob(".*.tmp")]
        try:
            differences += unlike(self.report, report_of(runs))
        except ValueError as error:
            differences.append(f"no report: {error}")
        return Found(what, tuple(losses), tuple(differences))


def _at_a_file(runs: Runs, name: str, strike: Strike) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        at = random.randrange(runs.whole.operations)
        struck = runs.run(folder, strike, at)
        what = f"run, {name}, operation {at} of {runs.whole.operations}"
        return runs.compare(folder, what, struck, calm=name in ("clock jumps", "slow disk"))

    return once


def _until_finished(process: Forked, runs: Path, trials: int) -> None:
    """Wait until so many trials are finished, or all is."""

    def there() -> bool:
        return any(runs.glob("*/manifest.json")) and len(records_of(runs)) >= trials

    wait_until(lambda: there() or not process.runs(), "so many trials")


def _server_killed(runs: Runs) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        trial = random.randrange(CASES * TRIALS)
        process = runs.begin(folder)
        _until_finished(process, folder / "runs", trial)
        runs.server.kill()
        struck = process.wait()
        runs.server.start()
        return runs.compare(folder, f"run, mock server killed after {trial} trials", struck)

    return once


def _no_descriptors_at_the_server(runs: Runs) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        trial = random.randrange(CASES * TRIALS)
        process = runs.begin(folder)
        _until_finished(process, folder / "runs", trial)
        with runs.server.without_descriptors():
            struck = process.wait()
        return runs.compare(folder, f"run, mock server without descriptors after {trial}", struck)

    return once


def _half_open(runs: Runs) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        with ExitStack() as stack:
            for _ in range(CONNECTIONS):
                sent = _REQUEST[: random.randrange(len(_REQUEST))]
                stack.enter_context(runs.server.connection(sent))
            struck = runs.run(folder)
        what = f"run, {CONNECTIONS} half-open connections"
        return runs.compare(folder, what, struck, calm=True)

    return once


def _interrupted(runs: Runs, number: signal.Signals) -> Striker:
    def once(folder: Path, random: Random) -> Found:
        trial = random.randrange(CASES * TRIALS)
        process = runs.begin(folder)
        _until_finished(process, folder / "runs", trial)
        process.send(number)
        what = f"run, {number.name} after {trial} trials"
        return runs.compare(folder, what, process.wait())

    return once


Workers = tuple[str, Callable[[int], Sequence[int]]]
"""What `--on` is given, and the pids of the workers of a run by its own."""


def _worker_struck(
    runs: Runs,
    what: str,
    number: signal.Signals,
    *,
    comes_back: bool = False,
    find: Callable[[], Workers] = lambda: (f"processes:{WORKERS}", children_of),
) -> Striker:
    """A worker of a run gets a signal; one that stands still may go on when it is replaced."""

    def once(folder: Path, random: Random) -> Found:
        on, workers_of = find()
        trial = random.randrange(1, CASES * TRIALS)
        process = runs.begin_on_workers(folder, on)
        _until_finished(process, folder / "runs", trial)
        workers = workers_of(process.pid)
        if workers:
            worker = random.choice(workers)
            os.kill(worker, number)
            if comes_back:
                still_s = random.uniform(_STILL_S / 2, 2 * _STILL_S)
                threading.Timer(still_s, _go_on, (worker,)).start()
        struck = process.wait()
        return runs.compare(folder, f"run, {what} after {trial} trials", struck, calm=True)

    return once


class _Ray:
    """A cluster of Ray, started for the first strike at one of its workers."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._cluster: Cluster | None = None

    def find(self) -> Workers:
        """Its address, and its workers.

        Raises:
            OSError: Ray's packages cannot be installed.
        """
        if self._cluster is None:
            packages = packages_of_ray()
            if isinstance(packages, str):
                raise OSError(packages)
            self._cluster = self._stack.enter_context(ray_cluster(packages, WORKERS))
            os.environ.update(self._cluster.environment)
            sys.path.append(str(packages))
        cluster = self._cluster
        return f"ray:{cluster.address}", lambda _: cluster.workers()


def _go_on(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


@contextmanager
def opened(folder: Path) -> Iterator[Mapping[str, Striker]]:
    """Runs beside a server of their own."""
    pool.PING_EVERY_S, pool.ALIVE_WITHIN_S = 0.5, _STILL_S
    processes._STOP_WITHIN_S = ray_cluster_place._STOP_WITHIN_S = _STILL_S
    with ExitStack() as stack:
        server = stack.enter_context(MockProcess(write_suite(folder)))
        sys.path.insert(0, str(folder))
        runs = Runs(folder, server)
        strikes = {name: _at_a_file(runs, name, strike) for name, strike in STRIKES.items()}
        strikes["mock server kill -9"] = _server_killed(runs)
        strikes["mock server, no descriptors"] = _no_descriptors_at_the_server(runs)
        strikes["half-open connections"] = _half_open(runs)
        strikes["worker kill -9"] = _worker_struck(runs, "worker killed", signal.SIGKILL)
        strikes["worker stands still"] = _worker_struck(runs, "worker stands still", signal.SIGSTOP)
        strikes["worker comes back"] = _worker_struck(
            runs, "worker stands still and comes back", signal.SIGSTOP, comes_back=True
        )
        strikes["Ray worker comes back"] = _worker_struck(
            runs, "Ray's worker stands still and comes back", signal.SIGSTOP,
            comes_back=True, find=_Ray(stack).find,
        )  # fmt: skip
        strikes["Ctrl-C"] = _interrupted(runs, signal.SIGINT)
        yield strikes


SUBJECT = Subject("harness run", opened)
