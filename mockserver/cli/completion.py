"""What shells complete in command lines of `mockserver`: suites, cases, APIs, values."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mockserver.commands import Completions


def _suites(_given: Mapping[str, Any]) -> Iterable[str]:
    """Folders of `fixtures`, where suites usually are; a shell completes other paths by itself."""
    return (str(path) for path in sorted(Path("fixtures").iterdir()) if path.is_dir())


def _cases(given: Mapping[str, Any]) -> Iterable[str]:
    from mockserver.storage import Suite

    folder = given.get("fixtures") or given.get("suite")
    return Suite(Path(folder)).cases() if folder else ()


def _apis(_given: Mapping[str, Any]) -> Iterable[str]:
    from mockserver.apis import APIS

    return (api.name for api in APIS)


COMPLETIONS: Completions = {
    "fixtures": _suites,
    "suite": _suites,
    "case": _cases,
    "other": _cases,
    "api": _apis,
    "clock": lambda _given: ("shift", "real", "frozen"),
    "profile": lambda _given: ("lenient", "google", "strict"),
    "auth": lambda _given: ("off", "token", "scopes", "permissions"),
    "repeats": lambda _given: ("reads", "once", "last", "cycle"),
    "barriers": lambda _given: ("warn", "strict", "off"),
    "match": lambda _given: ("method", "host", "path", "query", "headers", "body"),
}
