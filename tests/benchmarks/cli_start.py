"""How long the commands take to start, against what they are made of."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import free_port, wait_for

FIXTURES = Path(__file__).parents[2] / "fixtures"
SUITE = FIXTURES / "chrome-enterprise"
TRAVEL = FIXTURES / "travel"
COMMANDS = {
    "understudy": ["-c", "from harness.cli.understudy import main; main(['--help'])"],
    "mockserver": ["-m", "mockserver", "--help"],
    "harness": ["-m", "harness", "--help"],
}
ROUNDS = 7


def figures() -> Iterator[Figure]:
    bare_import = [sys.executable, "-c", "import typer, rich"]
    for name, arguments in COMMANDS.items():
        measured = _paired([sys.executable, *arguments], bare_import)
        yield Figure(f"{name} --help / import typer, rich", measured, 1.5)
    yield Figure("mockserver serve / bare Starlette, first answer", _serve_start(), 2.5)
    yield Figure("time to first answer of a new server", _first_answer(), 5, "s")
    yield Figure("time to first verdict of a new run", _first_verdict(), 15, "s")


def _paired(command: list[str], reference: list[str]) -> float:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds(command))
        theirs.append(_seconds(reference))
    return ratio(ours, theirs)


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _serve_start() -> float:
    ours, theirs = [], []
    for _ in range(ROUNDS):
        serve = ["-m", "mockserver", "serve", "--fixtures", str(SUITE), "--port"]
        ours.append(_until_answer(serve, "/_mock/health"))
        bare = ["-m", "uvicorn", "tests.benchmarks.bare:app", "--log-level", "error", "--port"]
        theirs.append(_until_answer(bare, "/"))
    return ratio(ours, theirs)


def _first_answer() -> float:
    serve = ["-m", "mockserver", "serve", "--fixtures", str(SUITE), "--port"]
    return median(_until_answer(serve, "/_mock/health") for _ in range(ROUNDS))


def _first_verdict() -> float:
    """From the command to its end: a server, an agent and one case."""
    agent = f"command:{sys.executable} {TRAVEL / 'agent' / 'travel_agent.py'}"
    with tempfile.TemporaryDirectory() as runs:
        run = ["run", str(TRAVEL), "--agent", agent, "--intercept", "--ids", "TR-002"]
        command = [sys.executable, "-m", "harness", *run, "--run-dir", runs]
        return median(_seconds(command) for _ in range(3))


def _until_answer(arguments: list[str], path: str) -> float:
    port = free_port()
    command = [sys.executable, *arguments, str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return wait_for(port, path)
    finally:
        running.terminate()
        running.wait(10)
