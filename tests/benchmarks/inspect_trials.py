"""Trials per second beside Inspect AI, of which both keep records: an echo and one simple check.

Both are timed as whole processes with few and with many trials, in turn; what more trials took
more is theirs, and starts are nobody's. The CPU that they took (of ours, the server's too) is shown
beside: it holds where other programs share the cores. Inspect AI is installed into a folder
outside of the repository; without it this is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.stored_trials import write_suite
from tests.clients.packages import packages_of

INSPECT = "inspect_ai==0.3.285"
CASES, AT_ONCE = 10, 8
FEW, MANY = 50, 450
ROUNDS = 3


class Cost(NamedTuple):
    """Seconds that something took: on the clock, and of the CPU."""

    wall: float
    cpu: float


PROGRAM = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, TaskState, solver

@solver
def echo():
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = state.input_text
        return state
    return solve

cases, epochs, at_once, folder = *map(int, sys.argv[1:4]), sys.argv[4]
samples = [Sample(input=f"Say {n}.", target=str(n)) for n in range(cases)]
task = Task(dataset=samples, solver=echo(), scorer=includes(), epochs=epochs)
(log,) = eval(
    task, model="mockllm/model", display="none", log_dir=folder, log_format="eval",
    max_samples=at_once,
)
assert log.status == "success", log.error
assert len(log.samples or ()) in {0, cases * epochs}
"""


def figures() -> Iterator[Figure]:
    packages = packages_of("inspect-1", INSPECT)
    if isinstance(packages, str):
        sys.stdout.write(f"inspect_trials: left out: {packages}\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", CASES)
        places = (Path(folder) / str(number) for number in count())

        def harness(trials: int) -> Cost:
            return _run(
                "-m", "harness", "run", str(suite), "--agent", "echo", "-j", str(AT_ONCE),
                "-n", str(trials // CASES), "--run-dir", str(next(places)),
            )  # fmt: skip

        def inspect(trials: int) -> Cost:
            order = (str(CASES), str(trials // CASES), str(AT_ONCE), str(next(places)))
            return _run("-c", PROGRAM, *order, packages=packages)

        pairs = [(_rates(harness), _rates(inspect)) for _ in range(ROUNDS)]
    ours, theirs = zip(*pairs, strict=True)
    name = "trials per second / Inspect AI's, both with records"
    yield Figure(name, _ratio(ours, theirs, "wall"), 4, "x", at_least=True)
    yield Figure(
        "  the same of the CPU's seconds", _ratio(ours, theirs, "cpu"), 4, "x", at_least=True
    )
    yield Figure("  trials per second, ours", median(each.wall for each in ours), 0, at_least=True)
    told = median(each.wall for each in theirs)
    yield Figure("  trials per second, Inspect AI", told, 0, at_least=True)


def _ratio(ours: Sequence[Cost], theirs: Sequence[Cost], name: str) -> float:
    return ratio(*([getattr(each, name) for each in side] for side in (ours, theirs)))


def _rates(run: Callable[[int], Cost]) -> Cost:
    """Trials per second: on the clock, and of the CPU."""
    few, many = run(FEW), run(MANY)
    return Cost(*((MANY - FEW) / (more - less) for less, more in zip(few, many, strict=True)))


def _run(*arguments: str, packages: Path | None = None) -> Cost:
    own = {} if packages is None else {"PYTHONPATH": str(packages), "INSPECT_DISPLAY": "none"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        started = time.perf_counter()
        running = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, **own},
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        _, status, usage = os.wait4(running.pid, 0)
        taken = time.perf_counter() - started
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            said.seek(0)
            raise RuntimeError(f"exit code {running.returncode}: {said.read()[-1000:]}")
    return Cost(taken, usage.ru_utime + usage.ru_stime)
