"""The service as its clients have it."""

import subprocess
import sys
from typing import Any

import httpx
import pytest

from harness.demo.review import FLAWS, application
from harness.demo.review.service import main

GOOD = {"content": "Trainees will know it.", "standards_set": "naval_v3"}


async def post(body: Any, *, flaw: str = "", token: str = "demo-token") -> httpx.Response:
    app = application(FLAWS[flaw]) if flaw else application()
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        headers = {"authorization": f"Bearer {token}"}
        if isinstance(body, bytes):
            return await client.post("/v1/review", content=body, headers=headers)
        return await client.post("/v1/review", json=body, headers=headers)


async def test_a_review_is_answered() -> None:
    answer = await post(GOOD)
    assert (answer.status_code, len(answer.json()["observations"])) == (200, 1)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (GOOD | {"content": ""}, 422, "EMPTY_CONTENT"),
        (GOOD | {"standards_set": "x"}, 422, "STANDARDS_NOT_FOUND"),
        ({}, 400, "INVALID_REQUEST"),
        (b"{", 400, "INVALID_REQUEST"),
        (b"\xff", 400, "INVALID_REQUEST"),
        (b" " * (1 << 20) + b"{}", 413, "CONTENT_TOO_LARGE"),
    ],
    ids=["empty", "standards", "fields", "json", "bytes", "large"],
)
async def test_what_cannot_be_reviewed_has_a_code(body: Any, status: int, code: str) -> None:
    answer = await post(body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_without_the_token_nothing_is_reviewed() -> None:
    assert (await post(GOOD, token="other")).status_code == 401


async def test_flaws_show_on_the_wire() -> None:
    wrong = await post(GOOD | {"content": ""}, flaw="wrong-status")
    assert (wrong.status_code, wrong.json()["observations"]) == (200, [])
    bad = await post(GOOD, flaw="bad-schema")
    assert bad.json()["observations"][0]["severity"] == "major"


async def test_health_needs_no_token() -> None:
    transport = httpx.ASGITransport(app=application())
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        health = await client.get("/health")
        other = await client.post("/v1/review", json=GOOD, headers={"authorization": "Basic x"})
    assert (health.json(), other.status_code) == ({"status": "ok"}, 401)


def test_host_port_token_and_flaw_are_options(monkeypatch: pytest.MonkeyPatch) -> None:
    served: dict[str, Any] = {}
    monkeypatch.setattr("uvicorn.run", lambda _, **options: served.update(options))
    main(["--port", "9021", "--flawed", "bad-schema", "--token", "t"])
    assert (served["host"], served["port"]) == ("127.0.0.1", 9021)


def test_it_is_started_as_a_module() -> None:
    command = [sys.executable, "-m", "harness.demo.review", "--help"]
    assert "POST /v1/review" in subprocess.run(command, capture_output=True, text=True).stdout
