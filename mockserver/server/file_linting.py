"""What can be told of the files of a suite before they are read as snapshots."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

from mockserver.errors import Problem
from mockserver.model import Json, JsonObject
from mockserver.redaction.credentials import CREDENTIALS
from mockserver.state import parse_clock_time
from mockserver.storage import Suite

_LARGEST = 4 * 1024 * 1024
"""Bytes; what is larger was written by a program, and is not looked into."""

_UNMISTAKABLE = frozenset(
    (
        *("private_key", "api_key", "google_access_token", "google_client_secret"),
        *("vendor_token", "putty_key", "paseto"),
    )
)
"""Rules whose patterns tell a secret by its form alone."""

_TEXTS = frozenset((".json", ".yaml", ".yml", ".md", ".txt", ".log", ".csv", ".pem", ".env"))
_MADE_UP = re.compile(r"(?i)example|redact|fake|dummy|invalid|placeholder|(.)\1{5}")


def double_keys(suite: Suite, overrides: tuple[str, ...]) -> Iterator[Problem]:
    """Objects of snapshot files in which a key stands twice: only the last would be served.

    Yields:
        An error for each file.
    """
    of_cases = (path for name in overrides for path in suite.override_files(name))
    for path in (*suite.base_files(), *of_cases):
        text = _text(path)
        if text is None:
            continue
        found: list[str] = []

        def noted(pairs: list[tuple[str, Json]], found: list[str] = found) -> JsonObject:
            value = dict(pairs)
            if len(value) < len(pairs):
                counts = Counter(key for key, _ in pairs)
                found += [key for key, count in counts.items() if count > 1]
            return value

        try:
            json.loads(text, object_pairs_hook=noted)
        except (ValueError, RecursionError):
            continue  # told where it is read
        if found:
            keys = ", ".join(map(repr, dict.fromkeys(found)))
            message = f"the same key twice in one object: {keys}"
            yield Problem(_inside(path, suite), message, "only the last would count: keep one")


def secrets(suite: Suite) -> Iterator[Problem]:
    """Texts that have the form of a key or a token, in the files of a suite.

    Yields:
        A warning for each line, without the secret.
    """
    folders = (suite.folder, suite.folder / "cases", suite.fixtures)
    inside = (path for folder in folders if folder.is_dir() for path in folder.iterdir())
    nested = suite.fixtures.glob("*/*")
    for path in dict.fromkeys((*sorted(inside), *sorted(nested))):
        text = _text(path) if path.suffix in _TEXTS and path.is_file() else None
        for line, kind in () if text is None else _secrets_in(text):
            yield Problem(
                f"{_inside(path, suite)}:{line}",
                f"this has the form of a secret ({kind.replace('_', ' ')})",
                "if it is one, withdraw it and write an invented value",
                "warning",
            )


def from_the_future(raw: JsonObject, now: datetime) -> Iterator[Problem]:
    """A snapshot that says that it was taken after now.

    Yields:
        A warning with its JSON pointer.
    """
    try:
        captured = parse_clock_time(str(raw.get("capturedAt")))
    except (ValueError, TypeError):
        return
    if captured > now:
        message = f"'capturedAt' is in the future: {raw['capturedAt']}"
        hint = "say when the snapshot was taken: the clock 'shift' moves all timestamps by it"
        yield Problem("/capturedAt", message, hint, "warning")


def misnamed_base(suite: Suite) -> Iterator[Problem]:
    """A folder that is nearly called `base`, where there is none of that name.

    Yields:
        A warning for it.
    """
    if suite.base_files():
        return
    for folder in sorted(suite.fixtures.iterdir()):
        name = folder.name.casefold()
        near = name.removesuffix("s") in {"base", "baseline", "bas"} or name.startswith("base")
        if near and folder.is_dir() and any(folder.glob("*.json")):
            message = "is read by nobody: there is no snapshot in a folder named base"
            yield Problem(_inside(folder, suite), message, "name it base", "warning")


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None


def _inside(path: Path, suite: Suite) -> str:
    return path.relative_to(suite.folder).as_posix()


def _secrets_in(text: str) -> Iterator[tuple[int, str]]:
    for kind, pattern in _patterns():
        for found in pattern.finditer(text):
            if not _MADE_UP.search(found.group()):
                yield text.count("\n", 0, found.start()) + 1, kind


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (rule.name, re.compile(rule.pattern))
        for rule in CREDENTIALS
        if rule.name in _UNMISTAKABLE and rule.pattern
    )
