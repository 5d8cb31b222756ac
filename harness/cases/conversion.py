"""A suite of any format made into a native one: its cases in YAML, its fixtures copied."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness.cases.fixtures import SuiteFolder
from harness.cases.scenario import implied_end, implied_expectations, request_text
from harness.cases.suite import Suite
from harness.checks.expect_block import without_defaults, written_block
from harness.errors import HarnessError, reason_of
from harness.model import Case, Expectation, Json, JsonObject

_ELSEWHERE = frozenset({"id", "turns", "request", "expect", "source", "fixtures", "reference"})
"""Fields that are not written under their own names and as they are."""


def written_case(case: Case) -> JsonObject:
    """A case as data for a native file; read again it is the same case, but for its source."""
    expect = _without(case.expect, (*implied_expectations(case.mode), *implied_end(case.user)))
    turns, left = _turns(case, expect)
    block, more = written_block([item for item in expect if item.turn is None], None)
    plain = _plain(case)
    written: JsonObject = {"id": case.id}
    written |= {name: plain.pop(name) for name in ("title", "category", "tags") if name in plain}
    written |= {"mode": case.mode} if case.mode != "deterministic" else {}
    written |= _written_input(case, turns)
    fixtures = _fixtures(case)
    written |= {"tools": fixtures.pop("tools")} if "tools" in fixtures else {}
    written |= {"fixtures": fixtures}
    written |= {"expect": block} if block else {}
    written |= (
        {"checks": [without_defaults(item) for item in (*more, *left)]} if more or left else {}
    )
    return written | plain | _reference(case)


def _plain(case: Case) -> JsonObject:
    whole = case.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    plain = {name: value for name, value in whole.items() if name not in {*_ELSEWHERE, "mode"}}
    if case.policy is not None:
        plain["policy"] = case.policy.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain


def _without(
    expect: Sequence[Expectation], implied: Sequence[Expectation]
) -> tuple[Expectation, ...]:
    left = list(expect)
    for item in implied:  # the reader adds it again
        if item in left:
            left.remove(item)
    return tuple(left)


def _turns(case: Case, expect: Sequence[Expectation]) -> tuple[list[Json], tuple[Expectation, ...]]:
    turns: list[Json] = []
    left = [item for item in expect if item.turn is not None and item.turn > len(case.turns)]
    for number, turn in enumerate(case.turns, start=1):
        block, more = written_block([item for item in expect if item.turn == number], number)
        left += more
        turns.append({"user": turn.user, "expect": block} if block else turn.user)
    return turns, tuple(left)


def _written_input(case: Case, turns: list[Json]) -> JsonObject:
    if case.request is None:
        return {"input": turns[0] if len(turns) == 1 else turns}
    words = [] if turns == [request_text(case.request)] else turns
    return {"input": words, "request": case.request} if words else {"request": case.request}


def _fixtures(case: Case) -> JsonObject:
    whole = case.fixtures.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for fault in whole.get("faults", []):
        fault.pop("origin", None)
    return {"overrides": [], **whole}


def _reference(case: Case) -> JsonObject:
    turns = list(_reference_turns(case))
    return {"reference": turns} if turns else {}


def _reference_turns(case: Case) -> Iterator[JsonObject]:
    for turn in case.reference:
        yield turn.model_dump(mode="json", by_alias=True, exclude_defaults=True)


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
            raise HarnessError(f"{str(out)!r} is not empty", hint="name a new folder with --output")
        for source, place in _fixture_files(suite):
            target = out / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return tuple(_write_case(case, out) for case in suite.cases)
    except OSError as error:
        raise HarnessError(f"cannot write {str(out)!r}: {reason_of(error)}") from None


def as_yaml(value: JsonObject) -> str:
    r"""Data as YAML for people: blocks, keys in their order, no anchors.

    >>> as_yaml({"id": "a", "input": "Why?"})
    'id: a\ninput: Why?\n'
    """
    text = _dump(value, _Dumper)
    if _ESCAPED in text and len(text) <= _LONG and not any(each in text for each in _BREAKS):
        return _dump(value, _SlowDumper)
    return text


def _dump(value: JsonObject, dumper: type[yaml.CSafeDumper | yaml.SafeDumper]) -> str:
    return str(yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=_WIDTH))


class _Blocks:
    """Writes equal parts each time, and texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class _Dumper(_Blocks, yaml.CSafeDumper):
    """Takes a hundredth of the other's time, and escapes emoji, with all else of such a text."""


class _SlowDumper(_Blocks, yaml.SafeDumper):
    """Writes emoji as they are; U+0085 and its kind it writes such that they are read otherwise."""


_ESCAPED, _BREAKS = "\\U", ("\\N", "\\L", "\\P")
_LONG = 100_000
"""Characters beyond which nobody reads all of a text, and the slow way would be felt."""


def _lines(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


for _each in (_Dumper, _SlowDumper):
    _each.add_representer(str, _lines)


def _write_case(case: Case, out: Path) -> Path:
    path = out / "cases" / f"{case.id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_yaml(written_case(case)), encoding="utf-8")
    return path


def _fixture_files(suite: Suite) -> Iterator[tuple[Path, Path]]:
    """The files that the cases live in: where they are, and where they belong in the copy.

    Yields:
        Each file once, in the order of their names.
    """
    folder = SuiteFolder(suite.path)
    named = {*folder.overrides()} | {
        name.split("/")[0] for case in suite.cases for name in case.fixtures.overrides
    }
    roots = [folder.fixtures / name for name in ("base", *sorted(named))]
    roots += [suite.path / "cassettes", suite.path / "apis"]
    files = {suite.path / name for case in suite.cases for name in case.fixtures.files}
    found = {path for root in roots for path in root.rglob("*") if path.is_file()} | files
    for path in sorted(found):
        yield path, path.relative_to(suite.path)
