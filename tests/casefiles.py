"""Writes suites of cases into a folder, for tests of what reads them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.cases import Suite, read_suite

ENTRY: dict[str, Any] = {
    "id": "EC-001",
    "title": "Enrollment fails",
    "category": "enrollment",
    "required_evidence": ["handshake"],
}

CASE_FILE = """# EC-001: Enrollment fails

## Summary

A device cannot enroll.

## Conversation

User: "Why does enrollment fail?"

## Cleanup

- None.
"""


def chrome_suite(
    folder: Path,
    entries: Sequence[Mapping[str, Any]] = (ENTRY,),
    *,
    files: Mapping[str, str] | None = None,
) -> Path:
    """A suite in the registry format; every entry gets a case file unless `files` has one."""
    put(folder / "registry.json", json.dumps({"cases": list(entries)}))
    for entry in entries:
        name = f"cases/{entry.get('id')}-some-name.md"
        text = CASE_FILE.replace("EC-001", str(entry.get("id")))
        put(folder / name, text)
    for name, text in (files or {}).items():
        put(folder / name, text)
    return folder


def entry(**fields: Any) -> dict[str, Any]:
    """An entry of a registry."""
    return {**ENTRY, **fields}


def put(path: Path, text: str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def yaml_suite(folder: Path, text: str, name: str = "case.yaml") -> Suite:
    """A native suite of one file, read."""
    put(folder / name, text)
    return read_suite(folder)


def errors(suite: Suite, folder: Path) -> list[str]:
    """The errors of a suite, without the folder."""
    return [str(item).replace(f"{folder}/", "") for item in suite.errors]


def warnings(suite: Suite, folder: Path) -> list[str]:
    """The warnings of a suite, without the folder."""
    return [str(item).replace(f"{folder}/", "") for item in suite.warnings]
