"""The harness as a user has it: a process, in a folder, with an environment of its own."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.warm import run

HARNESS = (sys.executable, "-m", "harness")


@dataclass(frozen=True)
class Finished:
    """What a command left: its exit code, both outputs, and the runs below its folder."""

    code: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def said(self) -> str:
        return self.stdout + self.stderr

    @property
    def run(self) -> Path:
        """The directory of its latest run."""
        return max((self.folder / "runs").glob("*/manifest.json")).parent

    @property
    def report(self) -> Any:
        return json.loads((self.run / "report.json").read_text(encoding="utf-8"))

    def trial(self, case: str, number: int = 1) -> Any:
        path = self.run / "trials" / case / f"{number}.json"
        return json.loads(path.read_text(encoding="utf-8"))


def clean_environment(**more: str) -> dict[str, str]:
    """Ours, without what would select cases or agents."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVAL_")}
    kept.pop("CHAT_URL", None)
    return {**kept, "COLUMNS": "200", **more}


def harness(folder: Path, *arguments: str, **environment: str) -> Finished:
    """Run a command to its end; a traceback is never an answer to a user."""
    finished = run("harness", *arguments, cwd=folder, env=clean_environment(**environment))
    assert "Traceback" not in finished.stdout + finished.stderr, finished.stderr
    return Finished(finished.returncode, finished.stdout, finished.stderr, folder)
