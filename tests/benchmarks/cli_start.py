"""How long the commands take to start, against what they are made of.

Installers write the bytecode of what they install, so all of it is there before anything is timed.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
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
    with tempfile.TemporaryDirectory() as folder:
        starts = _Starts(Path(folder))
        bare_import = [sys.executable, "-c", "import typer, rich"]
        for name, arguments in COMMANDS.items():
            measured = starts.paired([sys.executable, *arguments], bare_import)
            yield Figure(f"{name} --help / import typer, rich", measured, 1.3)
        served, seconds = starts.first_answers()
        yield Figure("mockserver serve / bare Starlette, first answer", served, 2.5)
        yield Figure("time to first answer of a new server", seconds, 5, "s")
        verdict = starts.first_verdict()
        yield Figure("time to first verdict of a new run", verdict, 15, "s")


class _Starts:
    """Times programs whose bytecode is in a folder of its own."""

    def __init__(self, bytecode: Path) -> None:
        usual = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }
        self._environment: Mapping[str, str] = {**usual, "PYTHONPYCACHEPREFIX": str(bytecode)}

    def paired(self, command: list[str], reference: list[str]) -> float:
        ours, theirs = [], []
        for _ in range(ROUNDS + 1):
            ours.append(self._seconds(command))
            theirs.append(self._seconds(reference))
        return ratio(ours[1:], theirs[1:])  # the first ones wrote bytecode

    def first_answers(self) -> tuple[float, float]:
        """Our server's first answer as a multiple of a bare one's, and in seconds."""
        ours, theirs = [], []
        for _ in range(ROUNDS + 1):
            serve = ["-m", "mockserver", "serve", "--fixtures", str(SUITE), "--port"]
            ours.append(self._until_answer(serve, "/_mock/health"))
            bare = ["-m", "uvicorn", "tests.benchmarks.bare:app", "--log-level", "error", "--port"]
            theirs.append(self._until_answer(bare, "/"))
        return ratio(ours[1:], theirs[1:]), median(ours[1:])

    def first_verdict(self) -> float:
        """From the command to its end: a server, an agent and one case."""
        agent = f"command:{sys.executable} {TRAVEL / 'agent' / 'travel_agent.py'}"
        with tempfile.TemporaryDirectory() as runs:
            run = ["run", str(TRAVEL), "--agent", agent, "--intercept", "--ids", "TR-002"]
            command = [sys.executable, "-m", "harness", *run, "--run-dir", runs]
            return median([self._seconds(command) for _ in range(4)][1:])

    def _seconds(self, command: list[str]) -> float:
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=self._environment)
        return time.perf_counter() - started

    def _until_answer(self, arguments: list[str], path: str) -> float:
        port = free_port()
        command = [sys.executable, *arguments, str(port)]
        running = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._environment
        )
        try:
            return wait_for(port, path)
        finally:
            running.terminate()
            running.wait(10)
