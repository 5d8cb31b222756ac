"""A suite of any format made into a native one: its cases in YAML, its fixtures copied."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from typing_extensions import override

from harness.cases.folder import SuiteFolder
from harness.cases.suite import Suite
from harness.cases.writing.native_case import written_case
from harness.errors import HarnessError, reason_of
from harness.model import Case, JsonObject

_WIDTH = 100


def convert(suite: Suite, out: Path) -> tuple[Path, ...]:
    """Write a suite down in the native format.

    Args:
        suite: A suite without errors.
        out: A folder that is not there, or empty.

    Returns:
        The files with cases, one for each case.

    Raises:
        HarnessError: The folder holds something, or cannot be written.
    """
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise HarnessError(f"{str(out)!r} is not empty", hint="name a new folder with --out")
        for source, place in _fixtures(suite):
            target = out / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return tuple(_written(case, out) for case in suite.cases)
    except OSError as error:
        raise HarnessError(f"cannot write {str(out)!r}: {reason_of(error)}") from None


def as_yaml(value: JsonObject) -> str:
    r"""Data as YAML for people: blocks, keys in their order, no anchors.

    >>> as_yaml({"id": "a", "input": "Why?"})
    'id: a\ninput: Why?\n'
    """
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return str(text)


class _Dumper(yaml.SafeDumper):
    """Writes equal parts each time, and texts of several lines as blocks."""

    @override
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _lines(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _lines)


def _written(case: Case, out: Path) -> Path:
    path = out / "cases" / f"{case.id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_yaml(written_case(case)), encoding="utf-8")
    return path


def _fixtures(suite: Suite) -> Iterator[tuple[Path, Path]]:
    """The files that the cases live in: where they are, and where they belong in the copy.

    Yields:
        Each file once, in the order of their names.
    """
    folder = SuiteFolder(suite.path)
    named = {*folder.overrides()} | {
        name.split("/")[0] for case in suite.cases for name in case.fixtures.overrides
    }
    roots = [folder.fixtures / name for name in ("base", *sorted(named))]
    roots.append(suite.path / "cassettes")
    files = {suite.path / name for case in suite.cases for name in case.fixtures.files}
    found = {path for root in roots for path in root.rglob("*") if path.is_file()} | files
    for path in sorted(found):
        yield path, path.relative_to(suite.path)
