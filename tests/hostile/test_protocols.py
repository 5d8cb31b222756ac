"""Hostile requests get the same answers, and the same journal, over both protocols."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import HttpProtocolName, Settings
from tests.hostile.inputs import HOSTILE, Hostile
from tests.hostile.test_requests_fuzz import FIXTURES, SEED, Requests, names_in
from tests.mockserver.conftest import NOW, write_suite
from tests.mockserver.http.connections import Connection

COUNT = int(os.environ.get("FUZZ_REQUESTS", "150"))
LARGE = 64 * 1024


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("hostile") / "suite")


def application(suite: Path, protocol: HttpProtocolName) -> Application:
    numbers = iter(range(10**9))
    return Application(
        Settings(fixtures=suite, default=SessionSpec(), http_protocol=protocol),
        real=lambda: NOW,
        secret=lambda: f"{next(numbers):032}",
    )


def sent(request: Hostile, content: bytes) -> bytes:
    """A request as bytes; what no request line can hold is escaped."""
    target = request.path.encode("latin-1", "replace")
    target = b"".join(b"%%%02X" % each if each <= 32 or each > 126 else bytes([each])
                      for each in target)  # fmt: skip
    head = [b"%b %b HTTP/1.1" % (request.verb.encode(), target), b"Host: 127.0.0.1:8765"]
    head.append(b"Content-Type: " + request.kind.encode())
    head += [f"{name}: {value}".encode("latin-1") for name, value in request.headers]
    if content:
        head.append(b"Content-Length: %d" % len(content))
    return b"\r\n".join(head) + b"\r\n\r\n" + content


async def answers(application: Application, requests: list[bytes]) -> list[bytes]:
    """Each request sent three times, on a connection of its own where it closes that."""
    found = []
    connection = Connection(application)
    for request in requests:
        for _ in range(3):
            if connection.transport.closed:
                connection = Connection(application)
            found.append(await connection.send(request))
    await connection.end()
    return found


def journal(application: Application) -> Any:
    """What all sessions have seen, but for how long it took."""
    entries = [
        {**entry, "duration_ms": 0}
        for session in application.sessions.all()
        for entry in session.journal.as_json(session.id, bodies=False)["entries"]
    ]
    return json.loads(json.dumps(entries, default=str))


def compare(applications: list[Application], requests: list[bytes]) -> None:
    """Hold the answers and journals of two servers against each other."""
    fast, usual = (asyncio.run(answers(each, requests)) for each in applications)
    assert [one for one in zip(fast, usual, strict=True) if one[0] != one[1]] == []
    first, second = (journal(each) for each in applications)
    assert first == second


def table() -> list[bytes]:
    """The hostile requests that both protocols may answer; a longer body never is at once."""
    made = ((each, each.content()) for each in HOSTILE if not each.path.startswith("/_mock"))
    return [sent(each, content) for each, content in made if len(content) <= LARGE]


@pytest.mark.parametrize(
    "step", [pytest.param(60, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)]
)
def test_the_hostile_table_is_answered_alike(step: int, suite: Path) -> None:
    twins = [application(suite, protocol) for protocol in ("fast", "uvicorn")]
    compare(twins, table()[::step])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chrome-enterprise", "sre"])
def test_random_requests_are_answered_alike(name: str) -> None:
    twins = [application(FIXTURES / name, protocol) for protocol in ("fast", "uvicorn")]
    requests = Requests(SEED, names_in(application(FIXTURES / name, "fast")))
    made = [requests.next("default") for _ in range(COUNT)]
    compare(twins, [sent(each, each.content()) for each in made])
