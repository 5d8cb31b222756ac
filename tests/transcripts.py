"""Runs the `console` blocks of a document in one shell, and holds the output against them."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests import warm
from tests.patience import PATIENCE_S

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"(?:#|//|<!--) ([\w./-]+\.\w+)(?: -->)?\n(.*)", re.DOTALL)

_STEP_S = 10

_LIBRARIES = ("httpx", "mcp", "mcp.server", "openai", "pydantic_ai", "requests", "urllib.request")
"""What programs of pages import."""


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


def page_steps(page: str) -> list[Step]:
    """A whole page as commands: a block that opens with a file's name is written, in its place.

    Other blocks that are no `console` are left out.
    """
    script: list[Step] = []
    for kind, text in _FENCED.findall(page):
        if kind == "console":
            script += steps(f"```console\n{text}```")
        elif file := _FILE.fullmatch(text):
            name, content = file.groups()
            folder = f"mkdir -p {name.rpartition('/')[0]} && " if "/" in name else ""
            script.append(Step(f"{folder}cat > {name} <<'PAGE'\n{content}PAGE", ""))
    return script


def page_files(page: str) -> dict[str, str]:
    """The files that a page shows: their names, and what is in them."""
    found = (_FILE.fullmatch(text) for kind, text in _FENCED.findall(page) if kind != "console")
    return {file[1]: file[2] for file in found if file}


def differences(script: list[Step], outputs: list[str]) -> str:
    """What was printed otherwise than shown, or an empty text."""
    assert len(outputs) == len(script)
    return "\n".join(
        f"$ {step.command}\n--- shown\n{step.shown}--- printed\n{output}"
        for step, output in zip(script, outputs, strict=True)
        if not step.matches(output)
    )


def run(
    script: list[Step], *, folder: Path, environment: dict[str, str], programs: Path | None = None
) -> list[str]:
    """Run all commands in one shell; the output of each, errors included.

    Args:
        script: The commands.
        folder: Where they are run.
        environment: Added to that of the test.
        programs: The folder that is looked in first for programs; by default ours are forks of a
            process that has imported them, `python` is one that has imported what pages do, and
            others are those of this Python.
    """
    mark = "-----step-----"
    lines = ["set +m", "exec 2>&1"]
    for step in script:
        lines += [step.command, f"echo; echo {mark}"]
    lines += ["kill $(jobs -p) 2>/dev/null", "wait"]
    first = [programs] if programs else [warm.programs(), Path(sys.executable).parent]
    if not programs and any("python " in step.command for step in script):
        first.insert(0, warm.interpreter("", *_LIBRARIES).parent)
    path = os.pathsep.join([*map(str, first), os.environ["PATH"]])
    finished = subprocess.run(
        ["bash", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S + _STEP_S * len(script),
        check=False,
    )
    return finished.stdout.split(f"{mark}\n")[: len(script)]
