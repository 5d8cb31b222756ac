"""How long the commands take to start, against what they are made of."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, ratio
from tests.benchmarks.servers import free_port, wait_for

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"
ROUNDS = 7


def figures() -> Iterator[Figure]:
    bare_import = [sys.executable, "-c", "import typer, rich"]
    for name in ("mockserver", "harness"):
        command = [sys.executable, "-m", name, "--help"]
        measured = _paired(command, bare_import)
        yield Figure(f"{name} --help / import typer, rich", measured, 1.5)
    yield Figure("mockserver serve / bare Starlette, first answer", _serve_start(), 4)


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


def _until_answer(arguments: list[str], path: str) -> float:
    port = free_port()
    command = [sys.executable, *arguments, str(port)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return wait_for(port, path)
    finally:
        running.terminate()
        running.wait(10)
