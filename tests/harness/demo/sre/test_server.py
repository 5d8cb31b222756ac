from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from harness.demo.google import Access
from harness.demo.sre import application


@pytest.fixture
def client(shop: Access) -> Iterator[TestClient]:
    server = shop.endpoint.partition("/s/")[0]  # the token alone names the session
    with TestClient(application({"GOOGLE_API_BASE_URL": server})) as client:
        client.headers["authorization"] = f"Bearer {shop.token}"
        yield client


def turn(session: str, text: str) -> dict[str, Any]:
    message = {"role": "user", "parts": [{"text": text}]}
    return {"appName": "sre", "userId": "u", "sessionId": session, "newMessage": message}


def test_adk_clients_open_a_session_and_run_turns(client: TestClient) -> None:
    assert client.get("/list-apps").json() == ["sre"]
    sessions = "/apps/sre/users/u/sessions"
    session = client.post(sessions, json={"state": {"PROJECT_ID": "shop-staging"}}).json()
    events = client.post("/run", json=turn(session["id"], "The project number?")).json()
    assert "415104041337" in events[-1]["content"]["parts"][0]["text"]
    stream = client.post("/run_sse", json=turn(session["id"], "Hello")).text
    assert stream.startswith("data: {")


def test_unknown_apps_and_sessions_are_not_found(client: TestClient) -> None:
    assert client.post("/apps/other/users/u/sessions").status_code == 404
    assert client.post("/run", json=turn("s-99", "Hello")).json() == {"detail": "Session not found"}
    assert client.post("/run", json=[]).status_code == 404


def test_old_sessions_are_forgotten(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.demo.sre.server._MOST_SESSIONS", 1)
    first, second = (client.post("/apps/sre/users/u/sessions").json()["id"] for _ in range(2))
    assert client.post("/run", json=turn(first, "Hello")).status_code == 404
    assert client.post("/run", json=turn(second, "Hello")).status_code == 200


def test_chat_completions_are_answered_whole_and_in_chunks(client: TestClient) -> None:
    body = {"messages": [{"role": "user", "content": "Which projects are there?"}]}
    whole = client.post("/v1/chat/completions", json=body).json()
    assert "shop-legacy" in whole["choices"][0]["message"]["content"]
    chunks = client.post("/v1/chat/completions", json=body | {"stream": True}).text
    assert chunks.endswith("data: [DONE]\n\n")
