"""The application: which session a request belongs to, and requests that reach none."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.asgi import requests
from mockserver.http.application import Application
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, UNITS

Client = httpx.AsyncClient


async def units(client: Client, path: str = UNITS, **headers: str) -> int:
    answer = await client.get(f"{path}?type=all", headers=headers)
    assert answer.status_code == 200, answer.text
    return len(answer.json().get("organizationUnits", []))


async def opened(client: Client, name: str = "a") -> Any:
    answer = await client.post("/_mock/sessions", json={"id": name, "case": "EC-001"})
    return answer.json()


async def test_a_session_is_named_by_path_header_or_token(client: Client) -> None:
    token = (await opened(client))["token"]

    assert await units(client) == 2
    assert await units(client, f"/s/a{UNITS}") == 0
    assert await units(client, **{"x-mock-session": "a"}) == 0
    assert await units(client, authorization=f"Bearer {token}") == 0


async def test_what_one_session_writes_no_other_sees(client: Client) -> None:
    for name in ("a", "b"):
        await client.post("/_mock/sessions", json={"id": name})
    await client.delete(f"/s/a{UNITS}/Eng/Sub%20Team")
    assert [await units(client, f"/s/{name}{UNITS}") for name in ("a", "b")] == [1, 2]
    assert await units(client) == 2


@pytest.mark.parametrize(
    ("path", "headers"),
    [(f"/s/nope{UNITS}", {}), (f"/s/{UNITS}", {}), (UNITS, {"x-mock-session": ""}),
     (UNITS, {"x-mock-session": "nope"}), (UNITS, {"authorization": "Bearer ya29.mock~nope~0"})],
    ids=["path", "empty path", "empty header", "header", "token"],
)  # fmt: skip
async def test_a_session_that_is_not_there_is_never_another(
    client: Client, path: str, headers: dict[str, str]
) -> None:
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 404
    assert answer.json()["error"]["errors"][0]["reason"] == "sessionNotFound"


async def test_a_token_of_another_session_than_the_named_one_is_refused(client: Client) -> None:
    token = (await opened(client))["token"]
    answer = await client.get(
        UNITS, headers={"authorization": f"Bearer {token}", "x-mock-session": "default"}
    )
    assert answer.status_code == 400


async def test_a_closed_session_is_410(client: Client, app: Application) -> None:
    await opened(client)
    await client.delete("/_mock/sessions/a")
    assert (await client.get(f"/s/a{UNITS}")).status_code == 410
    late = app.sessions.find("a")
    assert late is not None
    assert len(late.journal) == 1


async def test_what_a_head_means_is_kept_and_never_more_than_that(
    client: Client, app: Application
) -> None:
    async def statuses() -> list[int]:
        return [(await client.get(f"/s/a{UNITS}")).status_code for _ in range(2)]

    async def mounted(*given: Any) -> None:
        await given[-1]({"type": "http.response.start", "status": 299, "headers": []})
        await given[-1]({"type": "http.response.body", "body": b""})

    assert await statuses() == [404, 404]
    await opened(client)
    assert await statuses() == [200, 200]
    app.mount(UNITS.encode(), mounted)
    assert await statuses() == [299, 299]
    app.unmount(UNITS.encode())
    assert await statuses() == [200, 200]
    await client.delete("/_mock/sessions/a")
    assert await statuses() == [410, 410]


async def test_without_a_default_session_a_request_must_name_one(suite: Path) -> None:
    app = Application(Settings(fixtures=suite), real=lambda: NOW)
    transport = httpx.ASGITransport(app)
    async with Client(transport=transport, base_url="http://127.0.0.1:8765") as client:
        answer = await client.get(UNITS)
        assert answer.status_code == 404
        assert "there is no default one" in answer.json()["error"]["message"]


async def test_a_body_over_the_limit_is_413(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "MAX_BODY_BYTES", 100)
    answer = await client.post(UNITS, content=b"x" * 101)
    assert answer.status_code == 413
    assert answer.headers["connection"] == "close"


def deleting(path: str) -> dict[str, Any]:
    return {
        "type": "http", "method": "DELETE", "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"content-length", b"2")],
    }  # fmt: skip


async def test_a_session_that_is_closed_while_a_body_is_sent_is_410(app: Application) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        app.sessions.close("default")
        return {"type": "http.request", "body": b"{}"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(deleting(f"{UNITS}/Eng/Sub%20Team"), receive, send)
    assert sent[0]["status"] == 410


async def test_a_caller_that_leaves_while_it_sends_changes_nothing(app: Application) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(deleting(f"{UNITS}/Eng/Sub%20Team"), receive, send)

    assert sent == []
    assert app.sessions.get("default").world.diff() == {}


async def test_head_answers_like_get_without_the_body(client: Client) -> None:
    full = await client.get(UNITS, headers={"accept-encoding": "identity"})
    head = await client.head(UNITS, headers={"accept-encoding": "identity"})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(full.content))


async def test_only_http_is_spoken(app: Application) -> None:
    async def nothing(*_: Any) -> Any:
        raise AssertionError

    with pytest.raises(NotImplementedError, match="no lifespan"):
        await app({"type": "lifespan"}, nothing, nothing)
