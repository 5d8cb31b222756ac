"""Telemetry of SDKs is answered and counted, and is no request of the agent."""

from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import SessionReport, SessionSpec

Client = httpx.AsyncClient
INGEST = "http://api.openai.com/v1/traces/ingest"
JSON = {"content-type": "application/json", "x-mock-session": "a"}


@pytest.fixture(autouse=True)
def session(app: Application) -> None:
    app.sessions.open(SessionSpec(id="a"))


def report(app: Application) -> SessionReport:
    found = app.sessions.find("a")
    assert found is not None
    return SessionReport.model_validate(found.report())


@pytest.mark.parametrize(
    ("verb", "headers", "body", "content"),
    [
        ("POST", JSON, b'{"data": []}', b"{}"),
        ("POST", JSON | {"content-type": "application/x-protobuf"}, b"\n\0", b""),
        ("GET", JSON, b"", b"{}"),
        ("HEAD", JSON, b"", b""),
    ],
)
async def test_it_is_answered_and_counted(
    client: Client, app: Application, verb: str, headers: Any, body: bytes, content: bytes
) -> None:
    for _ in range(2):
        done = await client.request(verb, INGEST, content=body, headers=headers)
        assert (done.status_code, done.content) == (200, content)
    told = report(app)
    assert told.telemetry == {"api.openai.com": 2}
    assert told.journal.entries == ()


@pytest.mark.slow
async def test_what_a_suite_serves_itself_goes_first(client: Client, app: Application) -> None:
    found = app.sessions.find("a")
    assert found is not None
    found.add_stub({"method": "POST", "url": INGEST.replace("http:", "https:"), "body": "mine"})
    done = await client.post(INGEST, content=b"{}", headers=JSON)
    assert done.text == "mine"
    assert report(app).telemetry == {}


async def test_other_paths_of_the_host_are_no_telemetry(client: Client, app: Application) -> None:
    done = await client.get("http://api.openai.com/v1/other", headers=JSON)
    assert done.status_code == 403
    assert "api.openai.com is not emulated" in done.json()["error"]["message"]
    assert report(app).telemetry == {}
    [entry] = report(app).journal.entries
    assert (entry.http_method, entry.path) == ("CONNECT", "api.openai.com:443")
    assert entry.miss is not None
    assert entry.miss.blame == "not_emulated"


@pytest.mark.parametrize(
    ("host", "answers"),
    [("api.openai.com", "models/*.yaml"), ("cloud.langfuse.com", "`http` stub")],
)
async def test_a_host_that_is_wanted_says_what_would_answer_there(
    client: Client, app: Application, host: str, answers: str
) -> None:
    app.is_wanted = lambda name: name == host
    done = await client.get(f"http://{host}/v1/other", headers=JSON)
    told = done.json()["error"]["message"]
    assert (done.status_code, told.startswith(f"--emulate leads {host} here")) == (403, True)
    assert answers in told
    assert "is not emulated" not in told
    assert ("models/" in told) is (host == "api.openai.com")


async def test_too_much_of_it_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.asgi.requests.MAX_BODY_BYTES", 8)
    done = await client.post(INGEST, content=b"x" * 9, headers=JSON)
    assert done.status_code == 413
