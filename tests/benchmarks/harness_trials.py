"""The harness's own CPU for one trial: sessions, records and checks included, the agent an echo."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import mock_server

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"
FEW, MANY = 10, 1000
CASES = 10


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder, mock_server(SUITE) as (port, _):
        few = _cpu_seconds(port, Path(folder) / "few", trials=FEW)
        many = _cpu_seconds(port, Path(folder) / "many", trials=MANY)
    each = (many - few) / (MANY - FEW)
    yield Figure("harness CPU per trial, echo, 1,000 trials", each * 1000, 5, "ms")


def _cpu_seconds(port: int, runs: Path, *, trials: int) -> float:
    command = [
        sys.executable, "-m", "harness", "run", str(SUITE), "--agent", "echo",
        "--limit", str(CASES), "-n", str(trials // CASES), "-j", "4",
        "--mock", f"http://127.0.0.1:{port}", "--run-dir", str(runs),
    ]  # fmt: skip
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 1:
        raise RuntimeError(f"echo should fail every case; exit code {running.returncode}")
    return usage.ru_utime + usage.ru_stime
