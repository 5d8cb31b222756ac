"""A pytest plugin that keeps the suites with declared APIs of tests, and what was asked of each.

`EQUALITY_HARVEST` names the folder: one folder for each suite, with `events.jsonl` beside `suite/`.
Run in another checkout by `tests.acceptance.equality`, which asks the same again.
"""

import functools
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from mockserver.http.application import Application
from mockserver.sessions.session import Sessions

FOLDER = Path(os.environ.get("EQUALITY_HARVEST", ""))
LIMIT = int(os.environ.get("EQUALITY_LIMIT", "0"))
OF_ONE_TEST = 12
"""Suites of one test function that are kept; examples of hypothesis beyond it are left out."""

_files: dict[int, Any] = {}
_kept: Counter[str] = Counter()


def pytest_runtest_logfinish() -> None:
    """End the tests once there are enough suites."""
    if LIMIT and _kept.total() >= LIMIT:
        pytest.exit("enough suites", returncode=0)


_begin, _call, _open = Application.__init__, Application.__call__, Sessions.open


@functools.wraps(_begin)
def _keep_suite(self: Application, settings: Any, **more: Any) -> None:
    _begin(self, settings, **more)
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("[")[0].partition(" ")[0]
    suite = settings.fixtures
    if suite is None or not (suite / "apis").is_dir() or _kept[test] == OF_ONE_TEST:
        return
    _kept[test] += 1
    folder = FOLDER / f"{test.rpartition('/')[2].replace('::', '.')}.{_kept[test]}"
    shutil.copytree(suite, folder / "suite")
    _files[id(self)] = _files[id(self.sessions)] = (self, folder / "events.jsonl")
    _note(self, {"trusted": settings.trusted})
    if settings.default is not None:
        _note(
            self,
            {
                "open": settings.default.model_dump(mode="json", exclude_defaults=True)
                | {"id": "default"}
            },
        )


def _note(of: Any, event: Any) -> None:
    if id(of) in _files:
        with _files[id(of)][1].open("ab") as file:
            file.write(orjson.dumps(event) + b"\n")


@functools.wraps(_open)
def _keep_session(self: Sessions, spec: Any, *rest: Any, **more: Any) -> Any:
    _note(self, {"open": spec.model_dump(mode="json", exclude_defaults=True)})
    return _open(self, spec, *rest, **more)


@functools.wraps(_call)
async def _keep_request(self: Application, scope: Any, receive: Any, send: Any) -> None:
    if id(self) not in _files or scope["type"] != "http":
        return await _call(self, scope, receive, send)
    parts: list[bytes] = []

    async def received() -> Any:
        message = await receive()
        parts.append(message.get("body", b""))
        return message

    try:
        return await _call(self, scope, received, send)
    finally:
        headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"]]
        query = scope["query_string"].decode("latin-1")
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        _note(self, {
            "verb": scope["method"],
            "path": path + (f"?{query}" if query else ""),
            "headers": [pair for pair in headers if pair[0] not in {"host", "content-length"}],
            "body": b"".join(parts).decode("latin-1"),
        })  # fmt: skip


def pytest_configure() -> None:
    """Keep what is asked from now on, where this module is loaded as a plugin."""
    Application.__init__ = _keep_suite  # type: ignore[method-assign]
    Application.__call__ = _keep_request  # type: ignore[method-assign]
    Sessions.open = _keep_session  # type: ignore[method-assign]
