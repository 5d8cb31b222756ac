"""Adds a module and a line of a table to a copy of a package, and runs a program against it."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Addition:
    """What the documents say that one writes to add something.

    Attributes:
        module: The new module, `harness/checks/courtesy.py`.
        source: What it holds.
        table: The module of the table.
        imported: The import that the table's module needs.
        after: The text of the table's module behind which the line goes.
        line: The line of the table.
    """

    module: str
    source: str
    table: str
    imported: str
    after: str
    line: str


def run_with(addition: Addition, folder: Path, program: str) -> str:
    """What a program prints that runs in a folder, against a copy of the package with the addition.

    Raises:
        AssertionError: It failed.
    """
    package = addition.module.partition("/")[0]
    shutil.copytree(ROOT / package, folder / package)  # with what is compiled already
    (folder / addition.module).write_text(addition.source, encoding="utf-8")
    table = folder / addition.table
    text = table.read_text(encoding="utf-8")
    docstring, marker, rest = text.partition("\nfrom ")
    assert text.count(addition.after) == 1, f"{addition.table}: {addition.after!r}"
    rest = rest.replace(addition.after, addition.after + addition.line)
    table.write_text(f"{docstring}\n{addition.imported}{marker}{rest}", encoding="utf-8")
    path = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]\n"
    # the copy is not the project: what is covered of it says nothing
    own = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", path + program],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env=own,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
