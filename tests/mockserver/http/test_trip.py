"""The way of a warm request through the house, as the page on architecture lists it."""

import asyncio
import gc
import re
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from tests.mockserver.conftest import UNITS

ROOT = Path(__file__).parents[3]
PACKAGE = f"{ROOT}/mockserver/"
STEP = re.compile(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \|", re.MULTILINE)
HANDLER = re.compile(r"apis/|state/tenant")
MOST_MODULES, MOST_FUNCTIONS = 12, 28


def passed(app: Application, scope: dict[str, Any]) -> list[tuple[str, str]]:
    """The functions of this house that a request passes, each once, with their modules."""
    seen: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            seen[code.co_qualname, code.co_filename.removeprefix(PACKAGE)] = None

    async def receive() -> Any:
        raise AssertionError("the request has no body")

    async def send(_: Any) -> None:
        pass

    async def ask() -> None:
        for _ in range(3):
            await app({**scope}, receive, send)
        sys.setprofile(note)
        try:
            await app({**scope}, receive, send)
        finally:
            sys.setprofile(None)

    asyncio.run(ask())
    return list(seen)


def test_a_warm_get_passes_the_functions_that_the_page_lists(app: Application) -> None:
    session = app.sessions.open(SessionSpec(id="a"))
    headers = [(b"host", b"127.0.0.1:8765"), (b"authorization", f"Bearer {session.token}".encode())]
    scope = {
        "type": "http", "method": "GET", "raw_path": UNITS.encode(), "query_string": b"type=all",
        "headers": headers,
    }  # fmt: skip
    found = passed(app, scope)

    assert len(found) <= MOST_FUNCTIONS
    assert len({module for _, module in found}) <= MOST_MODULES
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, section = page.partition("### A request, function by function")
    listed = STEP.findall(section.partition("\n### ")[0])
    handler = [step for step in found if HANDLER.match(step[1])]
    of_handler = {
        ("World.table", "state/world.py"),
        ("Store.derived", "collections/store.py"),
        *handler,
    }
    assert [step for step in found if step not in of_handler] == listed


@pytest.mark.parametrize("query", [b"type=all", b"type=all&fields=kind", b"type=of-no-kind"])
def test_an_answered_call_leaves_nothing_for_the_garbage_collector(
    app: Application, query: bytes
) -> None:
    session = app.sessions.open(SessionSpec(id="a"))
    headers = [(b"authorization", f"Bearer {session.token}".encode())]
    scope = {
        "type": "http", "method": "GET", "raw_path": UNITS.encode(), "query_string": query,
        "headers": headers,
    }  # fmt: skip

    async def receive() -> Any:
        raise AssertionError("the request has no body")

    async def send(_: Any) -> None:
        pass

    async def ask() -> int:
        await app({**scope}, receive, send)
        gc.collect()
        gc.freeze()  # what earlier tests left is looked through once
        gc.disable()
        try:
            await app({**scope}, receive, send)
            return gc.collect()
        finally:
            gc.enable()

    async def ask_often() -> int:
        return min([await ask() for _ in range(5)])  # threads of earlier tests leave theirs, too

    assert asyncio.run(ask_often()) == 0


def test_a_server_without_cassettes_loads_nothing_that_reads_or_redacts_them() -> None:
    program = "import sys, mockserver.http.application; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"mockserver.cassettes.replay", "mockserver.redaction.redactor"}
    heavy |= {f"mockserver.messages.{name}" for name in ("content_coding", "headers", "urls")}
    assert not heavy.intersection(loaded)


def test_the_fronts_of_a_server_load_no_grpc_before_its_listener_starts() -> None:
    program = (
        "import sys, mockserver.fronts.grpc, mockserver.fronts.interception; print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"grpc", "google.protobuf", "mockserver.cassettes"}.intersection(loaded)
