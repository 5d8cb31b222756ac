"""Trials per second beside peers on the same trivial task: an answer that repeats its question.

Inspect AI and pydantic-evals are installed into an environment of their own, in the user's cache,
so that nothing of theirs is among our dependencies.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.measured import measured
from tests.benchmarks.stored_trials import write_suite

TRIALS = 10_000
CASES = 10
PEER_TRIALS = 1000
TARGET_S, TARGET_MB, TARGET_RATIO = 25, 300, 3

INSPECT = """
import time
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

samples = [Sample(input=f"Say {n}.", target=str(n)) for n in range(COUNT)]
task = Task(dataset=samples, solver=echo(), scorer=includes())
started = time.perf_counter()
(log,) = eval(task, model="mockllm/model", display="none", log_dir=FOLDER, log_format="eval")
assert log.status == "success", log.error
print(COUNT / (time.perf_counter() - started))
"""

PYDANTIC_EVALS = """
import time
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Contains

cases = [
    Case(name=str(n), inputs=f"Say {n}.", evaluators=(Contains(value=str(n)),))
    for n in range(COUNT)
]
dataset = Dataset(name="echo", cases=cases)

async def echo(text: str) -> str:
    return text

started = time.perf_counter()
dataset.evaluate_sync(echo, progress=False)
print(COUNT / (time.perf_counter() - started))
"""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", CASES)
        seconds, megabytes = _ours(suite, Path(folder) / "runs")
        yield Figure(f"{TRIALS:,} echo trials, durable", seconds, TARGET_S, "s")
        yield Figure("memory of the harness and its server", megabytes, TARGET_MB, "MB")
        python = _environment("inspect-ai", "pydantic-evals")
        inspect = _rate(python, INSPECT, Path(folder))
        ratio = TRIALS / seconds / inspect
        yield Figure(
            "trials per second, as a multiple of Inspect AI's",
            ratio,
            TARGET_RATIO,
            "x",
            at_least=True,
        )
        yield Figure("  trials per second, ours", TRIALS / seconds, 0, at_least=True)
        yield Figure("  trials per second, Inspect AI", inspect, 0, at_least=True)
        evals = _rate(python, PYDANTIC_EVALS, Path(folder))
        yield Figure("  trials per second, pydantic-evals (no records)", evals, 0, at_least=True)


def _ours(suite: Path, runs: Path) -> tuple[float, float]:
    """Seconds and megabytes of the real command, its start, server, reports and all."""
    command = [
        sys.executable, "-m", "harness", "run", str(suite), "--agent", "echo", "-j", "8",
        "-n", str(TRIALS // CASES), "--run-dir", str(runs),
    ]  # fmt: skip
    seconds, megabytes, code = measured(command)
    if code:
        raise RuntimeError(f"echo should pass every case; exit code {code}")
    return seconds, megabytes


def _environment(*packages: str) -> Path:
    """The Python of the peers' own environment; it is made once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "understudy" / "peers"
    python, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.is_file() or json.loads(ready.read_text(encoding="utf-8")) != list(packages):
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(install, check=True)
        ready.write_text(json.dumps(packages), encoding="utf-8")
    return python


def _rate(python: Path, script: str, folder: Path) -> float:
    text = script.replace("COUNT", str(PEER_TRIALS)).replace("FOLDER", repr(str(folder / "peer")))
    answer = subprocess.run(
        [str(python), "-c", text], cwd=folder, capture_output=True, text=True, check=True
    )
    return float(answer.stdout.split()[-1])
