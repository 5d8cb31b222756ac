"""A new case to fill in, in the format of its suite; nothing is ever overwritten."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.cases.chrome.suite import recognises as has_registry
from harness.cases.formats import format_of, read_suite
from harness.cases.native import recognises as has_yaml
from harness.documents import Findings, read_json
from harness.errors import HarnessError, reason_of
from harness.model import JsonObject

PROMPT = "What does the user ask?"
MARKER = "what only a look into the fixtures can tell"

_ID = re.compile(r"[A-Z]{2,8}-\d{3}")
_NATIVE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LISTS = ("cases", "evals")
_LIST = re.compile(r'"(?:cases|evals)"\s*:\s*\[')

_MARKDOWN = """# {id}: {title}

## Summary

What goes wrong, in one sentence.

## Reproduction

1. What to set up

## Conversation

User: "{prompt}"

## Expected result

- What the agent finds

## Cleanup

- None
"""

_YAML = """id: {id}
title: {title}
category: {category}
tags: {tags}
input: "{prompt}"
fixtures: {{overrides: [{id}]}}
expect:
  text:
    evidence: ["{marker}"]
reference:
  - answer: "{marker}"
"""


@dataclass(frozen=True)
class NewCase:
    """A case that is not written yet.

    Attributes:
        id: Its id.
        title: One line.
        category: The failure domain.
        tags: Labels.
    """

    id: str
    title: str = "A case to be written"
    category: str = "system"
    tags: tuple[str, ...] = ()


def scaffold(suite: Path, case: NewCase) -> tuple[Path, ...]:
    """Write the files of a new case, with what is to be filled in.

    Args:
        suite: A suite with a registry, one of YAML files, or a new folder (which becomes one of
            YAML files).
        case: The case.

    Returns:
        The files that were written or changed.

    Raises:
        HarnessError: The id is malformed or taken, a file is there already, or the suite is of a
            format that has no such files.
    """
    try:
        if suite.is_dir() and has_registry(suite):
            return _in_registry(suite, case)
        if not suite.exists() or (suite.is_dir() and (has_yaml(suite) or _has_no_cases(suite))):
            return _in_yaml(suite, case)
    except OSError as error:
        raise HarnessError(f"cannot write into {str(suite)!r}: {reason_of(error)}") from None
    raise HarnessError(
        f"no case can be added to {str(suite)!r}",
        hint="a folder with a registry.json, one with YAML cases, or a new one",
    )


def _has_no_cases(suite: Path) -> bool:
    """Whether a folder is empty, or a world that no case is written for yet."""
    if not any(suite.iterdir()):
        return True
    world = any((suite / name).is_dir() for name in ("apis", "base"))
    return world and format_of(suite) is None


def _in_registry(suite: Path, case: NewCase) -> tuple[Path, ...]:
    if not _ID.fullmatch(case.id):
        raise HarnessError(f"id {case.id!r} is not of the form EC-###")
    _not_taken(suite, case)
    name = f"{case.id}-{_slug(case.title)}.md"
    fixtures = suite / "fixtures" if (suite / "fixtures" / "base").is_dir() else suite
    entry: JsonObject = {
        "id": case.id,
        "title": case.title,
        "category": case.category,
        "case_file": f"cases/{name}",
        "tags": list(case.tags),
        "required_evidence": [MARKER],
        "reference_response": MARKER,
    }
    registry = suite / "registry.json"
    text = _with_entry(registry, entry)
    markdown = _MARKDOWN.format(id=case.id, title=case.title, prompt=PROMPT)
    return (
        *_write_files(
            {
                suite / "cases" / name: markdown,
                fixtures / case.id / "overrides.json": "{}\n",
            }
        ),
        _replace_file(registry, text),
    )


def _in_yaml(suite: Path, case: NewCase) -> tuple[Path, ...]:
    if not _NATIVE_ID.fullmatch(case.id):
        raise HarnessError(f"id {case.id!r} has other letters than A-Z, a-z, 0-9, '_', '.', '-'")
    if suite.exists() and has_yaml(suite):
        _not_taken(suite, case)
    beside = suite.is_dir() and any(suite.glob("*.y*ml")) and not (suite / "cases").is_dir()
    folder = suite if beside else suite / "cases"
    text = _YAML.format(
        id=case.id,
        title=json.dumps(case.title, ensure_ascii=False),
        category=json.dumps(case.category, ensure_ascii=False),
        tags=json.dumps(list(case.tags), ensure_ascii=False),
        prompt=PROMPT,
        marker=MARKER,
    )
    return _write_files(
        {folder / f"{case.id}.yaml": text, suite / case.id / "overrides.json": "{}\n"}
    )


def _not_taken(suite: Path, case: NewCase) -> None:
    known = {each.id.casefold() for each in read_suite(suite).cases}
    if case.id.casefold() in known:
        raise HarnessError(f"{str(suite)!r} has a case {case.id} already")


def _with_entry(registry: Path, entry: JsonObject) -> str:
    """The text of a registry with one more entry; what is there stays as it is written.

    Raises:
        HarnessError: It is no registry.
    """
    findings = Findings()
    document = read_json(registry, findings)
    if document is None:
        problem = findings.problems[0]
        raise HarnessError(f"{problem.where}: {problem.message}")
    text, value = registry.read_text(encoding="utf-8"), document.value
    found = _LIST.search(text) if isinstance(value, dict) else None
    cases = value if found is None else next(value[key] for key in _LISTS if key in value)
    if not isinstance(cases, list) or not all(isinstance(each, dict) for each in cases):
        raise HarnessError(
            f"{registry}: expected a list of cases, or an object with a list 'cases'"
        )
    start = text.index("[") + 1 if found is None else found.end()
    end, last = _end_of_list(text, start)
    lines = json.dumps(entry, indent=2, ensure_ascii=False).replace("\n", "\n    ")
    comma = "," if last > start else ""
    return f"{text[:last]}{comma}\n    {lines}\n  {text[end:]}"


def _end_of_list(text: str, start: int) -> tuple[int, int]:
    """Where the closing bracket of a JSON list stands, and where its last item ends."""
    decoder, last, place = json.JSONDecoder(), start, _skip(text, start)
    while text[place] != "]":
        _, last = decoder.raw_decode(text, place)
        place = _skip(text, last)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return place, last


def _skip(text: str, place: int) -> int:
    while text[place].isspace():
        place += 1
    return place


def _write_files(files: Mapping[Path, str]) -> tuple[Path, ...]:
    for path in files:
        if path.exists():
            raise HarnessError(f"{str(path)!r} is there already; nothing was written")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    return tuple(files)


def _replace_file(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
    return path


def _slug(title: str) -> str:
    words = re.findall(r"[a-z0-9]+", title.casefold())
    return "-".join(words) or "new-case"
