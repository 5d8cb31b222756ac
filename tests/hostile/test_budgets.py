"""No request holds the event loop, whatever it holds; others are answered beside it.

What is counted is the CPU time of the process between two turns of the event loop, so a busy
machine changes nothing; a slow one is measured by a reference in the same run.
"""

import asyncio
import gc
import time
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from mockserver.http.application import Application
from mockserver.http.server import COLLECT_AFTER
from mockserver.model import JsonObject, SessionSpec
from mockserver.settings import Settings
from tests.hostile.inputs import HOSTILE, Hostile
from tests.mockserver.conftest import NOW, write_suite

pytestmark = pytest.mark.slow

ATTEMPTS = 4
"""What holds the server up does so each time; a busy machine that takes the watcher's turns away, a
collection of garbage, or memory that is touched for the first time does not."""

TURN_S = 0.1
"""What one turn of the event loop may take, on a machine as fast as the reference."""

ANSWER_S = 0.25
"""What may be done until another client has its answer."""

WHOLE_S = 10.0
"""What a request may take altogether."""

REFERENCE_S = 0.05
"""What the reference takes on such a machine."""

Scope = MutableMapping[str, Any]


def slowness() -> float:
    """How much slower than the reference this machine is at this moment; at least 1."""
    started = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number
    return max(1.0, (time.process_time() - started) / REFERENCE_S)


def excess(found: Mapping[str, tuple[float, float]]) -> str:
    """What went over its limit in CPU seconds; empty when nothing did.

    Only what is over the limits of a fast machine is held against those of this one.
    """
    if all(took < most for took, most in found.values()):
        return ""
    slow = slowness()
    return "; ".join(
        f"{name}: {took:.3f} of {most * slow:.3f} s"
        for name, (took, most) in found.items()
        if took >= most * slow
    )


def desk_of(count: int) -> JsonObject:
    """Mails, files, events and contacts that say much the same."""
    texts = [f"a plan for word{number % 9} and rare{number}" for number in range(count)]
    at = {"dateTime": "2026-03-03T09:00:00Z"}
    return {
        "gmail:v1": {
            "messages": [
                {"id": f"m{number}", "labelIds": ["INBOX"], "internalDate": "1772355600000",
                 "payload": {"mimeType": "text/plain",
                             "headers": [{"name": "Subject", "value": text}]}}
                for number, text in enumerate(texts)
            ]
        },
        "drive:v3": {
            "files": [{"id": f"f{number}", "name": text, "description": text}
                      for number, text in enumerate(texts)]
        },
        "calendar:v3": {
            "calendars/primary/events": [
                {"id": f"e{number}", "summary": text, "start": at, "end": at}
                for number, text in enumerate(texts)
            ]
        },
        "people:v1": {
            "people": [{"resourceName": f"people/c{number}", "names": [{"givenName": text}]}
                       for number, text in enumerate(texts)]
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Application:
    units = [
        {"orgUnitId": f"id:u{number}", "orgUnitPath": f"/u{number}", "name": f"u{number}"}
        for number in range(300)
    ]
    logs = [
        {"logName": "projects/p/logs/x", "insertId": f"{number}", "textPayload": f"text {number}",
         "timestamp": "2026-03-01T00:00:00Z"}
        for number in range(3000)
    ]  # fmt: skip
    root = {"orgUnitId": "id:03ph8a2z1", "orgUnitPath": "/", "name": "example.com"}
    folder = tmp_path_factory.mktemp("hostile") / "suite"
    suite = write_suite(folder, orgUnits=[root, *units], logEntries=logs, resources=desk_of(1000))
    return Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)


@pytest.fixture(scope="module", autouse=True)
def collector() -> Iterator[None]:
    """The garbage collector as the server sets it: what is loaded by now is not looked at again.

    Neither is it by later tests: they would look through all modules and tests.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    yield
    gc.set_threshold(*before)


async def ask(application: Application, request: Hostile, content: bytes) -> tuple[int, bytes]:
    """The status and body of an answer; no client's work is done on the loop."""
    path, _, query = request.path.partition("?")
    headers = [(b"host", b"127.0.0.1:8765"), (b"content-type", request.kind.encode())]
    headers += [(name.encode(), value.encode("latin-1")) for name, value in request.headers]
    if content:
        headers.append((b"content-length", b"%d" % len(content)))
    scope: Scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": request.verb, "path": path, "raw_path": path.encode("latin-1", "replace"),
        "query_string": query.encode("latin-1", "replace"), "headers": headers, "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765), "state": {},
    }  # fmt: skip
    sent: list[Scope] = []

    async def receive() -> Scope:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Scope) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


async def _rounds() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


HEALTH = Hostile("health", "GET", "/_mock/health")


class Loop:
    """Looks at the event loop while something goes on.

    Attributes:
        longest_turn: The most CPU time between two turns.
        longest_answer: The most until another client was answered.
    """

    def __init__(self, application: Application) -> None:
        self._application = application
        self.longest_turn = self.longest_answer = 0.0

    async def watch(self) -> None:
        last = time.process_time()
        while True:
            await asyncio.sleep(0)
            now = time.process_time()
            self.longest_turn = max(self.longest_turn, now - last)
            last = now

    async def visit(self) -> None:
        while True:
            started = time.process_time()
            status, _ = await ask(self._application, HEALTH, b"")
            assert status == 200
            self.longest_answer = max(self.longest_answer, time.process_time() - started)
            await _rounds()


@pytest.mark.parametrize("request_", HOSTILE, ids=lambda one: one.name)
async def test_a_hostile_request_is_answered_and_stops_nobody(
    application: Application, request_: Hostile
) -> None:
    content = request_.content()
    over, status, body = "", 0, b""
    for _ in range(ATTEMPTS):
        gc.collect()  # or the tests before this one are paid for here
        gc.freeze()  # what they left for good is not looked through again
        loop = Loop(application)
        beside = [asyncio.create_task(loop.watch()), asyncio.create_task(loop.visit())]
        await _rounds()
        started = time.process_time()
        status, body = await ask(application, request_, content)
        took = time.process_time() - started
        await asyncio.sleep(0)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        over = excess(
            {
                "a turn": (loop.longest_turn, TURN_S),
                "an answer": (loop.longest_answer, ANSWER_S),
                "the whole": (took, WHOLE_S),
            }
        )
        if not over:
            break
    assert status in request_.statuses, body[:500]
    assert len(body) < 1_000_000 or status == 200
    assert not over
    if status == 201:
        pytest.fail("a session was opened")


LARGE = 60_000
"""Resources of a large suite."""


@pytest.fixture(scope="module")
def large_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = [
        {"logName": "projects/p/logs/x", "insertId": f"{number}", "textPayload": f"text {number}",
         "timestamp": "2026-03-01T00:00:00Z"}
        for number in range(LARGE)
    ]  # fmt: skip
    return write_suite(tmp_path_factory.mktemp("large") / "suite", logEntries=logs)


async def test_what_is_asked_of_a_large_session_stops_nobody(large_suite: Path) -> None:
    """Opening it for the first time, all that is told of it, and closing it."""
    over = ""
    for _ in range(ATTEMPTS):
        application = Application(Settings(fixtures=large_suite), real=lambda: NOW)
        turns = await _turns_of_a_session(application)
        over = excess({name: (turn, TURN_S) for name, turn in turns.items()})
        if not over:
            break
    assert not over


async def _turns_of_a_session(application: Application) -> dict[str, float]:
    """Request to the longest turn of the event loop while it was answered."""
    one = "/_mock/sessions/a"
    asked = [
        Hostile("open", "POST", "/_mock/sessions", lambda: b'{"id":"a"}', statuses=(201,)),
        Hostile("open another", "POST", "/_mock/sessions", lambda: b'{"id":"b"}', statuses=(201,)),
        Hostile("state", "GET", f"{one}/state"),
        Hostile("merged", "GET", f"{one}/merged"),
        Hostile("diff", "GET", f"{one}/diff"),
        Hostile("journal", "GET", f"{one}/journal"),
        Hostile("close", "DELETE", f"{one}?collections=logEntries"),
    ]
    turns = {}
    for request in asked:
        if request.name == "diff":
            _write_all(application)
        loop = Loop(application)
        beside = [asyncio.create_task(loop.watch()), asyncio.create_task(loop.visit())]
        await _rounds()
        status, body = await ask(application, request, request.content())
        await asyncio.sleep(0)
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        assert status in {200, 201}, body[:500]
        turns[request.name] = loop.longest_turn
    return turns


def _write_all(application: Application) -> None:
    session = application.sessions.get("a")
    for key, row in tuple(session.world.table("logEntries").rows().items()):
        session.world.put("logEntries", key, {**row, "textPayload": "changed"})
