"""The way of a warm request through the house, as the page on architecture lists it."""

import asyncio
import gc
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, UNITS
from tests.mockserver.http.connections import Connection

ROOT = Path(__file__).parents[3]
PACKAGE = f"{ROOT}/mockserver/"
STEP = re.compile(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \|", re.MULTILINE)
HANDLER = re.compile(r"apis/|state/tenant")
MOST_MODULES, MOST_FUNCTIONS = 18, 38


def passed(connection: Connection, requests: Sequence[bytes]) -> list[tuple[str, str]]:
    """The functions of this house that the last request passes, each once, with their modules."""
    seen: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            seen[code.co_qualname, code.co_filename.removeprefix(PACKAGE)] = None

    *before, last = requests
    for request in before:
        connection.protocol.data_received(request)
    sys.setprofile(note)
    try:
        connection.protocol.data_received(last)
    finally:
        sys.setprofile(None)
    return list(seen)


async def test_a_warm_get_passes_the_functions_that_the_page_lists(app: Application) -> None:
    session = app.sessions.open(SessionSpec(id="a"))
    head = f"GET {UNITS}?type=all HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {session.token}"
    connection = Connection(app)
    asked = [f"{head}\r\nX-Request-Id: {number}\r\n\r\n".encode() for number in range(4)]
    found = passed(connection, asked)
    assert connection.fast_answers == len(asked)

    assert len(found) <= MOST_FUNCTIONS
    assert len({module for _, module in found}) <= MOST_MODULES
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, section = page.partition("### A request, function by function")
    listed = STEP.findall(section.partition("\n### ")[0])
    handler = [step for step in found if HANDLER.match(step[1])]
    of_handler = {
        ("World.table", "state/world.py"),
        ("Store.derived", "collections/store.py"),
        ("Store.remembered", "collections/store.py"),
        *handler,
    }
    assert [step for step in found if step not in of_handler] == listed


PLACE = "projects/shop/locations/global/applications"
SNAPSHOT_OF_THREE = {
    "apphubApplications": [{"name": f"{PLACE}/{name}", "displayName": name} for name in "abc"],
    "resources": {
        "secretmanager:v1": {"secrets": [{"name": f"projects/shop/secrets/{n}"} for n in "abc"]}
    },
    "travel": {"bookings": [{"id": f"B{number}", "status": "open"} for number in range(3)]},
}
TRAVEL = """\
api: travel
hosts: [api.travel.example.com]
collections:
  bookings: {ids: "B{{ seq }}", filters: {status: status}, sort: sort, paging: token, etag: true}
"""
TRIPS: dict[str, list[tuple[str, str, str, str]]] = {
    "E": [
        ("GET", f"apphub.googleapis.com/v1/{PLACE}", "orderBy=name&filter=displayName=a", ""),
        ("POST", f"apphub.googleapis.com/v1/{PLACE}", "applicationId=d",
         '{"displayName": "d", "scope": {"type": "GLOBAL"}}'),
    ],
    "G": [
        ("GET", "secretmanager.googleapis.com/v1/projects/shop/secrets", "filter=name:a", ""),
        ("POST", "secretmanager.googleapis.com/v1/projects/shop/secrets", "secretId=d", "{}"),
    ],
    "D": [
        ("GET", "api.travel.example.com/bookings", "status=open&sort=-id", ""),
        ("POST", "api.travel.example.com/bookings", "", '{"status": "open"}'),
    ],
}  # fmt: skip
ROW = re.compile(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \| ([EGD, ]+) \|", re.MULTILINE)


@pytest.fixture
def three(tmp_path: Path) -> Application:
    for folder, name, text in (
        ("base", "all.json", json.dumps(SNAPSHOT_OF_THREE)), ("apis", "travel.yaml", TRAVEL)
    ):  # fmt: skip
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
    return Application(Settings(fixtures=tmp_path), real=lambda: NOW)


def test_a_list_and_a_write_pass_the_functions_that_the_page_lists(three: Application) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, section = page.partition("#### A list and a write, function by function")
    rows = ROW.findall(section.partition("\n### ")[0])
    session = three.sessions.open(SessionSpec(id="a"))
    for dialect, requests in TRIPS.items():
        found: list[tuple[str, str]] = []
        for verb, path, query, body in requests:
            found += _passed_once(three, session.token, verb, f"/s/a/{path}", query, body.encode())
        listed = [(name, module) for name, module, dialects in rows if dialect in dialects]
        assert len(listed) > 10
        assert [step for step in listed if step not in found] == []
        places = [found.index(step) for step in listed]
        assert places == sorted(places), dialect


def _passed_once(
    app: Application, token: str, verb: str, path: str, query: str, body: bytes
) -> list[tuple[str, str]]:
    seen: dict[tuple[str, str], None] = {}
    sent: list[Any] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            seen[code.co_qualname, code.co_filename.removeprefix(PACKAGE)] = None

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"host", b"127.0.0.1:8765"), (b"authorization", f"Bearer {token}".encode()),
        (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)),
    ]  # fmt: skip
    scope = {
        "type": "http", "method": verb, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": headers,
    }  # fmt: skip

    async def ask() -> None:
        sys.setprofile(note)
        try:
            await app(scope, receive, send)
        finally:
            sys.setprofile(None)

    asyncio.run(ask())
    assert sent[0]["status"] in {200, 201}, sent
    return list(seen)


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
        gc.freeze()
        gc.disable()
        try:
            await app({**scope}, receive, send)
            return gc.collect()
        finally:
            gc.enable()

    async def ask_often() -> int:
        return min([await ask() for _ in range(5)])  # threads of earlier tests leave theirs, too

    gc.freeze()  # nothing that earlier tests left is looked through
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
