"""CPU of a trial over a cluster of Ray: on four workers against one, the agent an echo.

Alone, with a number of trials, it also kills two workers and compares the reports:
`python -m tests.benchmarks.spread_trials 10000`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.figures import Figure
from tests.clusters import Cluster, packages_of_ray, ray_cluster, tree_cpu_seconds

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"
CASES = 10
USUAL = 2400
STARTED = 1 / 3
"""The share of the trials after which all workers run."""

WORKERS = 4
_LOOK_S = 0.1
"""How often processes are looked at: what they use after the last look is not counted."""


def figures(trials: int = USUAL) -> Iterator[Figure]:
    packages = packages_of_ray()
    if isinstance(packages, str):
        sys.stderr.write(f"skipped: {packages}\n")
        return
    with tempfile.TemporaryDirectory() as folder, ray_cluster(packages, WORKERS) as cluster:
        shutil.copytree(SUITE, Path(folder) / "suite")
        one, spread = (_each_ms(cluster, Path(folder), workers, trials) for workers in (1, WORKERS))
    sys.stderr.write(f"CPU a trial: {one:.1f} ms on one worker, {spread:.1f} ms on {WORKERS}\n")
    yield Figure("CPU per trial, one Ray worker / four", one / spread, 0.85, at_least=True)


def _each_ms(cluster: Cluster, folder: Path, workers: int, trials: int) -> float:
    """CPU of a trial once all workers run: the run's, theirs and their mock servers'; milliseconds.

    What starting a worker takes is no cost of a trial. So CPU and trials are counted from the look
    at which a share of the trials is finished to the end of the run; polls, heartbeats, records
    and the report are among it.
    """
    running = start(cluster, folder, f"cpu-{workers}", workers, trials)
    began: _Look | None = None
    last: dict[str, float] = {}
    while (ended := os.wait4(running.pid, os.WNOHANG))[0] == 0:
        seconds = cluster.cpu_seconds()
        last |= seconds
        if began is None:
            own = sum(each for _, each in tree_cpu_seconds(running.pid))
            done = sum(1 for _ in (folder / f"cpu-{workers}").glob("*/trials/*/*.json"))
            if done >= trials * STARTED:
                began = _Look(done, own, seconds)
        time.sleep(_LOOK_S)
    _, status, usage = ended
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 1 or began is None:
        raise RuntimeError(f"echo should fail every case; exit code {running.returncode}")
    spent = usage.ru_utime + usage.ru_stime - began.own
    spent += sum(each - began.workers.get(name, 0) for name, each in last.items())
    return spent / (trials - began.done) * 1000


class _Look(NamedTuple):
    """How far a run is.

    Attributes:
        done: How many trials are finished.
        own: CPU of the run itself, in seconds.
        workers: CPU of each process of the cluster, in seconds.
    """

    done: int
    own: float
    workers: dict[str, float]


def start(
    cluster: Cluster, folder: Path, runs: str, workers: int, trials: int
) -> "subprocess.Popen[bytes]":
    """Start a run over workers of the cluster; over none without any."""
    spread = ("--on", f"ray:{cluster.address}", "--workers", str(workers)) if workers else ()
    command = [
        sys.executable, "-m", "harness", "run", "suite", "--agent", "echo", "--replay",
        "--limit", str(CASES), "-n", str(trials // CASES), "--run-dir", runs, *spread,
    ]  # fmt: skip
    return subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | cluster.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def survive(trials: int) -> None:
    """Print whether a run whose workers are killed gives the report of one without workers."""
    packages = packages_of_ray()
    if isinstance(packages, str):
        raise SystemExit(packages)
    with tempfile.TemporaryDirectory() as name, ray_cluster(packages, WORKERS) as cluster:
        folder = Path(name)
        shutil.copytree(SUITE, folder / "suite")
        start(cluster, folder, "home", 0, trials).wait()
        running, killed = start(cluster, folder, "spread", WORKERS, trials), 0
        while running.poll() is None:
            time.sleep(0.5)
            done = sum(1 for _ in (folder / "spread").glob("*/trials/*/*.json"))
            workers = cluster.workers()
            if killed < 2 and workers and done > trials * (killed + 1) // 4:
                os.kill(workers[0], signal.SIGKILL)
                killed += 1
        home, spread = (_report(folder / each) for each in ("home", "spread"))
        records = sum(1 for _ in (folder / "spread").glob("*/trials/*/*.json"))
        same = "the same" if home == spread else "DIFFERENT"
        sys.stdout.write(f"{records} of {trials} records, {killed} workers killed: {same} report\n")


def _report(runs: Path) -> Any:
    (path,) = runs.glob("*/report.json")
    return _lasting(json.loads(path.read_text(encoding="utf-8")))


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        if "p95" in value:
            return "latencies"
        passing = {"at", "folder", "runId", "startedAt"}
        return {
            name: _lasting(item)
            for name, item in value.items()
            if not name.endswith("Ms") and name not in passing
        }
    return [_lasting(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else USUAL
    for figure in figures(number):
        sys.stdout.write(f"{figure}\n")
        sys.stdout.flush()
    survive(number)
