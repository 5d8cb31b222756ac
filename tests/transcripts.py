"""Runs the `console` blocks of a document in one shell, and holds the output against them."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE_S

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One command with the output shown below it; a line `...` stands for any lines."""

    command: str
    shown: str

    def matches(self, output: str) -> bool:
        lines = [line for line in self.shown.splitlines() if line]
        pattern = "".join(
            r"(?:.*\n)*?" if line.strip() == "..." else _line(line) + r"\n" for line in lines
        )
        given = "".join(f"{line.rstrip()}\n" for line in output.splitlines() if line.strip())
        return re.fullmatch(pattern, given) is not None


def _line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.rstrip().split("..."))


def steps(document: str) -> list[Step]:
    """The commands of all `console` blocks, in order; a trailing backslash continues one."""
    found: list[Step] = []
    for block in _BLOCK.findall(document):
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append(Step(command=re.sub(r" {2,}", " ", command).strip(), shown=shown))
    return found


def run(script: list[Step], *, folder: Path, environment: dict[str, str]) -> list[str]:
    """Run all commands in one shell; the output of each, errors included."""
    mark = "-----step-----"
    lines = ["set +m", "exec 2>&1"]
    for step in script:
        lines += [step.command, f"echo; echo {mark}"]
    lines += ["kill $(jobs -p) 2>/dev/null", "wait"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    finished = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return finished.stdout.split(f"{mark}\n")[: len(script)]
