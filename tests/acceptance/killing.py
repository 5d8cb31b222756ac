"""A run that is killed at some moment and resumed, many times, in forks of one warm process.

Usage: python killing.py FOLDER MOCK_URL TIMES SEED; writes a JSON object a kill to stdout.
"""

import contextlib
import io
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from harness.cli.run import execute
from harness.cli.run_options import RunOptions

TRIALS = 6
TOKEN = os.environ.get("MOCKSERVER_TOKEN", "")


def options(folder: Path, mock: str, runs: Path) -> RunOptions:
    return RunOptions(
        suite=folder / "suite",
        mock=mock,
        mock_token=TOKEN,
        agent="echo",
        trials=TRIALS,
        concurrency=3,
        run_dir=runs,
    )


def forked(asked: RunOptions, given: frozenset[str] = frozenset()) -> int:
    """Run in a fork; its process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    with contextlib.suppress(BaseException), Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        code = execute(asked, given)
    os._exit(code)


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def report(runs: Path) -> dict[str, Any]:
    (run,) = [path.parent for path in runs.glob("*/manifest.json")]
    leftovers = [str(path) for path in run.rglob(".*") if path.is_file()]
    found = json.loads((run / "report.json").read_text(encoding="utf-8"))
    return {"report": found, "records": len(list(run.glob("trials/*/*.json"))), "left": leftovers}


def main() -> None:
    folder, mock, times, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    moments = random.Random(seed)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        execute(options(folder, mock, folder / "warm"))  # imports what is imported late
    started = time.monotonic()
    whole = ended(forked(options(folder, mock, folder / "whole")))
    took = time.monotonic() - started
    sys.stdout.write(json.dumps({"code": whole, **report(folder / "whole")}) + "\n")
    for number in range(times):
        runs = folder / f"killed-{number}"
        pid = forked(options(folder, mock, runs))
        time.sleep(moments.uniform(0, took))
        os.kill(pid, signal.SIGKILL)
        killed = ended(pid)
        begun = [path.parent for path in runs.glob("*/manifest.json")]
        done = len(list(runs.glob("*/trials/*/*.json")))
        resumed = (
            RunOptions(
                resume=str(begun[0]), mock=mock, mock_token=TOKEN, run_dir=runs, concurrency=3
            )
            if begun
            else options(folder, mock, runs)
        )
        code = ended(forked(resumed))
        line = {"code": code, "killed": killed, "done": done, **report(runs)}
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
