"""Finds the format of a suite and reads it. To add a format: write its module, add its line.

Formats of plug-ins (`understudy.cases`) are asked about what none of ours recognises.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.cases.chrome import CHROME
from harness.cases.coding import CODING
from harness.cases.native import NATIVE
from harness.cases.promptfoo import PROMPTFOO
from harness.cases.review import REVIEW
from harness.cases.sre import SRE
from harness.cases.suite import CaseFormat, Suite
from harness.cases.variables import Value, with_variables
from harness.errors import HarnessError, InvalidCasesError
from mockserver.model import did_you_mean
from mockserver.plugins import Table, TableValues, guarded, of_kind

_OWN: tuple[CaseFormat, ...] = (CHROME, REVIEW, SRE, PROMPTFOO, CODING, NATIVE)


def _accept(name: str, provided: Any) -> CaseFormat:
    """The format of a plug-in."""
    found = of_kind(provided, CaseFormat, "harness.cases.CaseFormat")
    if found.name != name:
        raise ValueError(f"the format is called {found.name!r}, and the entry point {name!r}")
    recognises = guarded(found.recognises, name, TABLE.group)
    return CaseFormat(name, recognises, guarded(found.read, name, TABLE.group), found.holds)


TABLE: Table[CaseFormat] = Table("understudy.cases", {each.name: each for each in _OWN}, _accept)
FORMATS: Sequence[CaseFormat] = TableValues(TABLE)
"""In the order in which they are asked."""


def format_of(path: Path) -> CaseFormat | None:
    """The first format that recognises a path, or None."""
    return next((kind for kind in FORMATS if kind.recognises(path)), None)


def read_suite(path: Path, variables: Mapping[str, Value] | None = None) -> Suite:
    """Read a suite with all its problems.

    Args:
        path: A folder or a file.
        variables: Values for the placeholders of its cases, before those that the suite says.

    Raises:
        HarnessError: There is no such path, or no format recognises it.
    """
    if not path.exists():
        beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
        raise HarnessError(f"no suite at {str(path)!r}", hint=did_you_mean(path.name, beside))
    kind = format_of(path)
    if kind is None:
        *most, last = (each.holds for each in FORMATS)
        hint = f"a suite has {', '.join(most)}, or {last}; see `understudy schema cases`"
        raise HarnessError(f"no cases in {str(path)!r}", hint=hint)
    return with_variables(replace(kind.read(path), format=kind.name), variables or {})


def load_suite(path: Path, variables: Mapping[str, Value] | None = None) -> Suite:
    """Read a suite that is to be run.

    Args:
        path: A folder or a file.
        variables: Values for the placeholders of its cases, before those that the suite says.

    Raises:
        HarnessError: There is no suite.
        InvalidCasesError: Something in it is invalid; every place at once.
    """
    suite = read_suite(path, variables)
    if suite.errors:
        raise InvalidCasesError(suite.errors)
    return suite


def find_suites(folder: Path) -> tuple[Path, ...]:
    """The suites in a folder: itself, or the folders right below it, sorted.

    Raises:
        HarnessError: There is no such folder.
    """
    if not folder.is_dir():
        hint = "name a folder of suites, or copy one: understudy demo travel --copy fixtures"
        raise HarnessError(f"no folder {str(folder)!r}", hint=hint)
    if format_of(folder) is not None:
        return (folder,)
    return tuple(path for path in sorted(folder.iterdir()) if path.is_dir() and format_of(path))
