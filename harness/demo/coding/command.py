"""The coding agent as a command: a task on stdin, one JSON object on stdout."""

import argparse
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.demo.coding.flaws import FLAWS, CodingFlaws, coding_flaws
from harness.demo.coding.toolbox import Toolbox
from harness.demo.coding.work import Outcome, work_on

TOOLS = ("list_files", "read_file", "search_files", "write_file", "edit_file", "run_command")


def main(arguments: list[str] | None = None) -> int:
    """Do the task that stands on stdin, in the current folder."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo.coding",
        description="Does a small coding task in the current folder, by rules. Reads the task from"
        f" stdin. Its tools: {', '.join(TOOLS)}.",
    )
    parser.add_argument("--flawed", choices=[*FLAWS], default="", help="be a worse agent")
    flaws = coding_flaws(parser.parse_args(arguments).flawed)
    tools = Toolbox(Path.cwd(), flaws)
    if flaws.never_ends:
        _never_end()
    outcome = work_on(sys.stdin.read(), tools)
    sys.stdout.write(json.dumps(as_json(outcome, tools)) + "\n")
    return _exit_code(outcome, flaws)


def as_json(outcome: Outcome, tools: Toolbox) -> dict[str, Any]:
    """What came of the task, as programs read it."""
    return {
        "text": outcome.text,
        "toolCalls": tools.uses,
        "rounds": len(tools.uses) + 1,
        "usage": {"inputTokens": 0, "outputTokens": 0, "costUsd": 0},
    }


def _exit_code(outcome: Outcome, flaws: CodingFlaws) -> int:
    return int(outcome.exit_code == 0) if flaws.wrong_exit else outcome.exit_code


def _never_end() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:  # one child after the other, so that there is always one to be left behind
        subprocess.run([sys.executable, "-c", "import time; time.sleep(3600)"], check=False)
