"""Trials per second beside Inspect AI, of which both keep records: an echo and one simple check.

Both are timed as whole processes with few and with many trials, in turn; what more trials took
more is theirs, and starts are nobody's. Inspect AI is installed into a folder outside of the
repository; without it this is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.stored_trials import write_suite
from tests.clients.packages import packages_of

INSPECT = "inspect_ai==0.3.285"
CASES, AT_ONCE = 10, 8
FEW, MANY = 100, 1100
ROUNDS = 3

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
        places = (Path(folder) / str(number) for number in range(1_000_000))

        def harness(trials: int) -> None:
            _run(
                "-m", "harness", "run", str(suite), "--agent", "echo", "-j", str(AT_ONCE),
                "-n", str(trials // CASES), "--run-dir", str(next(places)),
            )  # fmt: skip

        def inspect(trials: int) -> None:
            order = (str(CASES), str(trials // CASES), str(AT_ONCE), str(next(places)))
            _run("-c", PROGRAM, *order, packages=packages)

        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(_rate(harness))
            theirs.append(_rate(inspect))
    name = "trials per second / Inspect AI's, both with records"
    yield Figure(name, ratio(ours, theirs), 4, "x", at_least=True)
    yield Figure("  trials per second, ours", median(ours), 0, at_least=True)
    yield Figure("  trials per second, Inspect AI", median(theirs), 0, at_least=True)


def _rate(run: Callable[[int], None]) -> float:
    return (MANY - FEW) / (-_seconds(run, FEW) + _seconds(run, MANY))


def _seconds(run: Callable[[int], None], trials: int) -> float:
    started = time.perf_counter()
    run(trials)
    return time.perf_counter() - started


def _run(*arguments: str, packages: Path | None = None) -> None:
    own = {} if packages is None else {"PYTHONPATH": str(packages), "INSPECT_DISPLAY": "none"}
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-1000:]}")
