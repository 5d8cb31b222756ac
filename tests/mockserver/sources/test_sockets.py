"""WebSockets of stubs, for a real client."""

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mockserver.errors import MockServerError
from mockserver.http import fast_protocol
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, write_suite
from tests.mockserver.sources.sockets import Served, served_sockets

CHAT = {
    "id": "chat", "url": "/chat", "template": True, "match": {"query": {"model": "m"}},
    "socket": [
        {"send": {"type": "ready", "session": "{{ session.id }}"}},
        {"receive": {"type": "ask", "text": {"regex": ".*weather.*"}}},
        {"send": {"type": "said", "to": "{{ message.id }}", "n": "{{ messages|length }}"}},
        {"send": "done", "delay_ms": 1},
        {"receive": "bye"},
    ],
}  # fmt: skip
STUBS = [
    CHAT,
    {"url": "/ends", "socket": [{"send": "{{ as it is }}"}, {"close": 4001}]},
    {"url": "/fails", "template": True, "socket": [{"receive": {}}, {"send": "{{ 1 // 0 }}"}]},
    {"url": "/bytes", "socket": [{"receive": "aGk="}, {"receive": {"any": True}}]},
    {"url": "/page", "body": {"plain": True}},
]
ASK = json.dumps({"type": "ask", "text": "How is the weather?", "id": 7})


def served(folder: Path, **spec: Any) -> AbstractAsyncContextManager[Served]:
    return served_sockets(write_suite(folder / "suite", http=STUBS), **spec)


async def closing(socket: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as closed:
        await socket.recv()
    received = closed.value.rcvd
    assert received is not None
    return received.code, received.reason


@pytest.mark.slow
async def test_a_conversation_goes_by_its_steps(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        server.application.sessions.open(SessionSpec(id="s1"))
        for path, session in (("/chat?model=m", "default"), ("/s/s1/chat?model=m", "s1")):
            async with server.connect(path, subprotocols=["realtime"]) as socket:
                assert socket.subprotocol == "realtime"
                assert json.loads(await socket.recv()) == {"type": "ready", "session": session}
                await socket.send(ASK)
                assert json.loads(await socket.recv()) == {"type": "said", "to": 7, "n": 1}
                assert await socket.recv() == "done"
                await socket.send("bye")
                assert await closing(socket) == (1000, "")
        opened, asked, bye = server.journal
        assert (opened["method_id"], opened["status"], opened["source"]) == ("chat", 101, "stub")
        for entry in (asked, bye):
            assert (entry["http_method"], entry["parent"]) == ("MESSAGE", opened["seq"])
        assert asked["body"] == json.loads(ASK)


async def test_a_session_that_is_closed_closes_its_sockets(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        server.application.sessions.open(SessionSpec(id="s1"))
        async with server.connect("/s/s1/chat?model=m") as socket:
            await socket.recv()
            server.application.sessions.close("s1")
            await socket.send(ASK)
            assert await closing(socket) == (1001, "the session s1 is closed")


async def test_a_message_that_does_not_fit_closes_it(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.connect("/chat?model=m") as socket:
            await socket.recv()
            await socket.send(json.dumps({"type": "tell", "text": "weather"}))
            code, reason = await closing(socket)
        assert (code, reason) == (1008, "chat/socket/1: type: wanted 'ask', got 'tell'")
        *_, entry = server.journal
        assert (entry["status"], entry["miss"]["differs"]) == (
            404, ("type: wanted 'ask', got 'tell'",)
        )  # fmt: skip


async def test_bytes_are_held_against_base64(tmp_path: Path) -> None:
    async with served(tmp_path) as server, server.connect("/bytes") as socket:
        await socket.send(b"hi")
        await socket.send("whatever")
        assert await closing(socket) == (1000, "")


async def test_a_stub_may_close_and_a_template_may_fail(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.connect("/ends") as socket:
            assert await socket.recv() == "{{ as it is }}"
            assert await closing(socket) == (4001, "")
        async with server.connect("/fails") as socket:
            await socket.send("{}")
            code, reason = await closing(socket)
        assert (code, reason.split(":")[0]) == (1011, "http[2]/socket/1")
        *_, entry = server.journal
        assert (entry["status"], entry["miss"]["blame"]) == (500, "fixture_gap")


async def test_a_client_may_leave_and_a_session_may_end(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        async with server.connect("/chat?model=m") as socket:
            await socket.recv()
        server.application.sessions.open(SessionSpec(id="s1"))
        async with server.connect("/s/s1/chat?model=m") as socket:
            await socket.recv()
            await socket.send(ASK)
            await socket.recv()
            await socket.recv()
            server.application.sessions.close("s1")
        async with server.connect("/ends") as socket:
            assert await socket.recv() == "{{ as it is }}"


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/chat?model=other", {}, 404),
        ("/page", {}, 200),
        ("/s/unknown/chat", {}, 404),
        ("/chat?model=m", {"Origin": "https://evil.example"}, 403),
    ],
)
async def test_what_is_no_websocket_is_refused_as_over_http(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    path: str,
    headers: dict[str, str],
    status: int,
) -> None:
    async with served(tmp_path) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect(path, additional_headers=headers):
                pass
        assert refused.value.response.status_code == status
    assert not caplog.messages  # it was answered: nothing is wrong


async def test_a_fault_meets_the_request_that_opens_it(tmp_path: Path) -> None:
    fault = {"method": "chat", "status": 503, "times": 1}
    async with served(tmp_path, faults=[fault]) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect("/chat?model=m"):
                pass
        assert refused.value.response.status_code == 503
        async with server.connect("/chat?model=m") as socket:
            assert await socket.recv()


async def test_a_plain_request_is_told_to_upgrade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as server:
        url = f"http://127.0.0.1:{server.port}/chat?model=m"
        async with httpx.AsyncClient(trust_env=False) as client:
            for _ in range(2):
                answer = await client.get(url)
                assert (answer.status_code, answer.headers["upgrade"]) == (426, "websocket")
        monkeypatch.setattr(fast_protocol, "has_websockets", lambda: False)
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect("/chat?model=m"):
                pass
        assert b"understudy[websocket]" in refused.value.response.body


@pytest.mark.parametrize(
    ("stub", "problem"),
    [
        ({"socket": [{}]}, "one of receive, send and close"),
        ({"socket": [{"send": "a", "close": 1000}]}, "one of receive, send and close"),
        ({"socket": [{"receive": {"a": {"regex": "("}}}]}, "not an RE2 expression"),
        ({"socket": [{"send": "{{ 1 +"}], "template": True}, "not a template"),
        ({"socket": [{"send": "a"}], "method": "POST"}, "is opened by GET and has no method POST"),
        ({"socket": [{"send": "a"}], "body": "b"}, "is opened by GET and has no body"),
    ],
)
def test_what_cannot_be_served_is_told(tmp_path: Path, stub: dict[str, Any], problem: str) -> None:
    suite = write_suite(tmp_path, http=[{"url": "/a", **stub}])
    with pytest.raises(MockServerError, match=problem):
        Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)


REALTIME = [
    {"send": {"type": "session.created", "event_id": "e1",
              "session": {"type": "realtime", "model": "{{ request.query.model }}"}}},
    {"receive": {"type": "conversation.item.create"}},
    {"receive": {"type": "response.create"}},
    {"send": {"type": "response.output_text.delta", "event_id": "e2", "response_id": "r",
              "item_id": "i", "output_index": 0, "content_index": 0,
              "delta": "You said {{ messages[0].item.content[0].text }}."}},
    {"send": {"type": "response.done", "event_id": "e3",
              "response": {"id": "r", "status": "completed"}}},
]  # fmt: skip


@pytest.mark.slow
async def test_the_official_client_of_realtime_models_talks_to_a_stub(tmp_path: Path) -> None:
    from openai import AsyncOpenAI

    stub = {"id": "realtime", "url": "/v1/realtime", "template": True, "socket": REALTIME}
    async with served_sockets(write_suite(tmp_path, http=[stub])) as server:
        client = AsyncOpenAI(api_key="key", base_url=f"http://127.0.0.1:{server.port}/v1")
        said = []
        options: Any = {"proxy": None}
        async with client.realtime.connect(
            model="gpt-realtime", websocket_connection_options=options
        ) as connection:
            created = await connection.recv()
            assert created.type == "session.created"
            assert created.session.to_dict()["model"] == "gpt-realtime"
            content: Any = [{"type": "input_text", "text": "hello"}]
            item: Any = {"type": "message", "role": "user", "content": content}
            await connection.conversation.item.create(item=item)
            await connection.response.create()
            async for event in connection:
                said.append(event.type)
                if event.type == "response.output_text.delta":
                    assert event.delta == "You said hello."
        assert said == ["response.output_text.delta", "response.done"]
        assert [entry["method_id"] for entry in server.journal] == ["realtime"] * 3
