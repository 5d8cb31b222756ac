import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from harness.demo.google import Access
from harness.demo.server import application, main
from tests.patience import PATIENCE_S, wait_until
from tests.ports import free_port

Enter = Callable[..., Access]
QUESTION = "Which Safe Browsing level has SRE?"


@contextmanager
def serving(environment: dict[str, str], *options: str) -> Iterator[httpx.Client]:
    port = free_port()
    command = [sys.executable, "-m", "harness.demo.server", "--port", str(port), *options]
    with subprocess.Popen(command, env={**os.environ, **environment}) as process:
        url = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as client:
            wait_until(lambda: is_up(client))
            yield client
        process.terminate()


def is_up(client: httpx.Client) -> bool:
    try:
        answer = client.get("/api/health")
    except httpx.ConnectError:
        return False
    assert answer.json() == {"status": "ok"}
    return True


@pytest.fixture(scope="module")
def chat(server: str) -> Iterator[httpx.Client]:
    with serving({"GOOGLE_API_BASE_URL": server}) as client:
        yield client


def said(client: httpx.Client, access: Access, *texts: str) -> list[dict[str, Any]]:
    messages = [{"role": "user", "parts": [{"type": "text", "text": text}]} for text in texts]
    answer = client.post(
        "/api/chat",
        json={"id": "c1", "messages": messages},
        headers={"authorization": f"Bearer {access.token}"},
    )
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = answer.text.strip().split("\n\n")
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


def diagnosis(parts: list[dict[str, Any]]) -> str:
    metadata = next(p for p in parts if p["type"] == "message-metadata")["messageMetadata"]
    return str(metadata["diagnosis"])


def test_the_answer_is_a_ui_message_stream(chat: httpx.Client, enter: Enter) -> None:
    parts = said(chat, enter(), QUESTION)
    names = [part["toolName"] for part in parts if part["type"] == "tool-input-available"]
    assert names == ["listOrgUnits", "getChromeConnectorConfiguration"]
    assert "inherited from /Engineering" in diagnosis(parts)


def test_google_is_asked_with_the_token_of_whoever_asks(chat: httpx.Client, enter: Enter) -> None:
    empty = enter(overrides=[{"dlpRules": [], "identityPolicies": []}])
    question = "How many DLP rules are there?"
    assert "0 DLP rules" in diagnosis(said(chat, empty, question))
    assert "5 DLP rules" in diagnosis(said(chat, enter(), question))


def test_many_conversations_are_held_at_once(chat: httpx.Client, enter: Enter) -> None:
    worlds = [enter() for _ in range(8)]
    wish = "Draft turning incognito off for Contractors."
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda world: diagnosis(said(chat, world, wish, "Apply it.")), worlds))
    assert all("was changed" in text for text in told)


@pytest.mark.parametrize("body", ["{", "{}", '{"messages": []}'])
def test_a_body_without_a_question_is_refused(chat: httpx.Client, body: str) -> None:
    answer = chat.post("/api/chat", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_without_a_token_its_own_is_used_and_flaws_are_chosen_by_name(enter: Enter) -> None:
    access = enter()
    environment = {
        "GOOGLE_API_BASE_URL": access.endpoint,
        "GOOGLE_OAUTH_ACCESS_TOKEN": access.token,
    }
    with serving(environment, "--flawed", "invents-id") as client:
        answer = client.post("/api/chat", json={"prompt": QUESTION})
    assert "03ph00000000000" in answer.text


async def test_the_application_needs_no_process_of_its_own(enter: Enter) -> None:
    access = enter()
    app = application({"GOOGLE_API_BASE_URL": access.endpoint})
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://chat") as client:
        headers = {"authorization": f"Bearer {access.token}"}
        answer = await client.post("/api/chat", json={"prompt": QUESTION}, headers=headers)
        refused = await client.post("/api/chat", content="{")
        health = await client.get("/api/health")
    assert "inherited from /Engineering" in answer.text
    assert (refused.status_code, health.json()) == (400, {"status": "ok"})


def test_host_port_and_flaw_are_options(monkeypatch: pytest.MonkeyPatch) -> None:
    served: dict[str, Any] = {}
    monkeypatch.setattr("uvicorn.run", lambda _, **options: served.update(options))
    main(["--port", "3101", "--flawed", "all"])
    assert (served["host"], served["port"]) == ("127.0.0.1", 3101)
