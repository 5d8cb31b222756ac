import json
from datetime import UTC, datetime

import httpx
import pytest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from harness.server.request_log import LogFormat, RequestLog, write_to_stderr


def now() -> datetime:
    return datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([7.0, 7.25])
    monkeypatch.setattr("harness.server.request_log.perf_counter", lambda: next(ticks))


async def tea(scope: Scope, receive: Receive, send: Send) -> None:
    await Response(status_code=418)(scope, receive, send)


async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise OSError("gone")


async def logged(app: ASGIApp, log_format: LogFormat, path: str = "/runs?token=s3cret") -> str:
    lines: list[str] = []
    log = RequestLog(app, clock=now, write=lines.append, log_format=log_format)
    transport = httpx.ASGITransport(log, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://h") as client:
        await client.get(path)
    (line,) = lines
    return line


async def test_a_request_has_its_line_without_its_query() -> None:
    line = await logged(tea, "text")
    assert line == "09:00:00.000 GET /runs 418 250.0 ms"


async def test_a_request_is_an_object_for_programs() -> None:
    assert json.loads(await logged(tea, "json")) == {
        "time": "2026-11-23T09:00:00.000+00:00", "http_method": "GET", "path": "/runs",
        "status": 418, "duration_ms": 250.0,
    }  # fmt: skip


async def test_what_breaks_is_500_and_a_path_cannot_move_the_cursor() -> None:
    assert " /a\\x1b[2J 500 " in await logged(broken, "text", "/a%1b[2J")


async def test_what_is_no_request_has_no_line() -> None:
    lines: list[str] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        lines.append("started")

    log = RequestLog(app, clock=now, write=lines.append, log_format="text")
    await log({"type": "lifespan"}, None, None)  # type: ignore[arg-type]
    assert lines == ["started"]


def test_a_line_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    write_to_stderr("a")
    assert capsys.readouterr().err == "a\n"
