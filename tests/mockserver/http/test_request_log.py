import asyncio
import io
import json
import re
from datetime import UTC, datetime
from typing import Any, Literal

import httpx
import pytest
import uvicorn

from mockserver.http.application import Application
from mockserver.http.request_log import RequestLog, json_line, text_line
from mockserver.model import Miss, SessionSpec
from mockserver.sessions.journal import Entry
from tests.mockserver.conftest import UNITS

AT = datetime(2026, 11, 20, 9, 30, 1, 42_000, UTC)


def entry(**changed: Any) -> Entry:
    made = Entry()
    made.seq, made.at = 1, AT
    given = {"method_id": "x.y.get", "path": "/v1/y", "host": "x.googleapis.com", **changed}
    for name, value in given.items():
        setattr(made, name, value)
    return made


SHOWN = "09:30:01.042 GET x.googleapis.com/v1/y x.y.get 200 state"


@pytest.mark.parametrize(
    ("changed", "session", "line"),
    [
        ({"duration_ms": 1.26}, "a", f"{SHOWN} a 1.3 ms"),
        ({}, "", f"{SHOWN} - 0.0 ms"),
        ({"fault": "case"}, "a", f"{SHOWN} a 0.0 ms fault=case"),
        (
            {"miss": Miss(blame="agent_error", reason="No such route.", nearest="/v1/z")},
            "a",
            f"{SHOWN} a 0.0 ms | agent_error: No such route.; nearest: /v1/z",
        ),
        (
            {"method_id": "", "path": "/\x1b[2J\n", "status": 404, "source": "none"},
            "a",
            r"09:30:01.042 GET x.googleapis.com/\x1b[2J\n - 404 none a 0.0 ms",
        ),
    ],
    ids=["plain", "no-session", "fault", "miss", "terminal"],
)
def test_a_line_shows_the_request_and_who_answered(
    changed: dict[str, Any], session: str, line: str
) -> None:
    assert text_line(AT, session, entry(**changed)) == f"{line}\n"


def test_an_object_has_the_names_of_the_journal() -> None:
    found = json.loads(json_line(AT, "a", entry(miss=Miss(blame="fixture_gap", reason="r"))))
    assert found["time"] == "2026-11-20T09:30:01.042+00:00"
    assert found["miss"]["reason"] == "r"
    assert found.keys() - {"time"} <= entry().as_json("a", "").keys()
    assert json_line(AT, "a", entry(path="/\ud800")).isprintable() is False  # ends with a newline


def log_of(
    app: Application, stream: Any, *paths: str, log_format: Literal["text", "json"] = "text"
) -> None:
    async def ask() -> None:
        log = RequestLog(stream, log_format, lambda: AT)
        await log.start(app, uvicorn.Server(uvicorn.Config(app)))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http:
            for path in paths:
                await http.get(path)
        await log.stop()

    asyncio.run(ask())


def test_a_server_writes_a_line_for_each_request_also_of_unknown_sessions(app: Application) -> None:
    app.sessions.open(SessionSpec(id="a"))
    stream = io.StringIO()
    log_of(app, stream, f"/s/a{UNITS}?type=all", "/s/a/nothing/here", f"/s/b{UNITS}")
    lines = [re.sub(r"[\d.]+ ms", "ms", line) for line in stream.getvalue().splitlines()]
    assert lines[0].endswith("directory.orgunits.list 401 state a ms") or " 200 state a" in lines[0]
    assert " 404 none a ms | " in lines[1]
    assert lines[2].endswith("directory.orgunits.list 404 none b ms")


def test_a_reader_that_is_gone_ends_the_log_and_not_the_server(app: Application) -> None:
    app.sessions.open(SessionSpec(id="a"))
    stream = io.StringIO()
    stream.close()
    log_of(app, stream, f"/s/a{UNITS}", f"/s/a{UNITS}", log_format="json")
    assert len(app.sessions.get("a").journal) == 2


def test_of_more_requests_than_may_wait_the_oldest_are_left_out() -> None:
    stream = io.StringIO()
    log = RequestLog(stream, "text", lambda: AT)
    for number in range(10_002):
        log.note("a", entry(path=f"/{number}"))
    log._ended = True
    log._write_all()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "understudy: 2 requests before these are not shown"
    assert lines[1].split()[2] == "x.googleapis.com/2"
