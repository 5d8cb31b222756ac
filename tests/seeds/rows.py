"""The table of comparisons, and copies of what is compared."""

import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes:
        what: What is compared.
        good: How many agree, those that differ for a named reason included.
        total: How many there are.
        notes: The named reasons with how often each, or what is wrong.
        skipped: Why it was not made, or an empty string.
    """

    what: str
    good: int
    total: int
    notes: tuple[str, ...] = ()
    skipped: str = ""

    @property
    def holds(self) -> bool:
        """Whether it may stand: nothing misses, or it was skipped."""
        return bool(self.skipped) or (self.total > 0 and self.good == self.total)


def table(rows: Iterable[Row]) -> int:
    """Print rows as they come; 1 where one of them misses."""
    missed = 0
    for row in rows:
        missed += not row.holds
        mark = "skip" if row.skipped else "ok" if row.holds else "MISS"
        said = row.skipped or f"{row.good} of {row.total}"
        sys.stdout.write(f"{mark:<5} {row.what:<58} {said}\n")
        for note in row.notes:
            sys.stdout.write(f"        {note}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{missed} missed\n")
    return 1 if missed else 0


def copied(references: Path, project: str, scratch: Path, *, whole: bool = False) -> Path:
    """A copy of a project's suites, without its history.

    Args:
        references: Where the projects are.
        project: Its owner and name.
        scratch: Where the copy is made.
        whole: Whether its programs are copied, too.

    Raises:
        FileNotFoundError: It is not there.
    """
    places = (project, project.replace("/", "+"), project.rpartition("/")[2])
    found = next((references / each for each in places if (references / each).is_dir()), None)
    if found is None:
        raise FileNotFoundError(f"no copy of {project} in {references}: git clone it there")
    copy = scratch / project.rpartition("/")[2]
    if whole:
        left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__")
        return Path(shutil.copytree(found, copy, ignore=left_out))
    wanted = ("evals", "eval")
    for name in wanted:
        if (found / name).is_dir():
            shutil.copytree(found / name, copy / name)
    copy.mkdir(exist_ok=True)
    return copy
