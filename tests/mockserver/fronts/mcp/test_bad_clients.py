"""Clients that do what none should: each is told so, and nothing of them is kept."""

from typing import Any

import httpx2
import orjson
import pytest

from tests.mockserver.fronts.mcp.conftest import Serve, Served
from tests.mockserver.fronts.mcp.test_tools import TOOLS

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


def call(arguments: Any, name: Any = "getWeather") -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}


def connected(served: Served) -> int:
    """How many clients the SDK holds of the default session."""
    return len(served.front._endpoints["default"].manager._server_instances)


@pytest.mark.parametrize(
    ("content", "status", "told"),
    [
        (orjson.dumps(call({})), 400, "Missing session ID"),
        (b"{no", 400, "Parse error"),
        (b"[" * 100_000, 400, "Parse error"),
        (b"[]", 400, "validation"),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', 400, ""),
        (orjson.dumps({"x": "y" * 10_000_000}), 413, ""),
        (b"", 400, ""),
    ],
    ids=["no-handshake", "no-json", "nested", "array", "no-id", "ten-megabytes", "nothing"],
)
async def test_who_does_not_begin_as_a_client_does_is_refused_and_forgotten(
    serve: Serve, content: bytes, status: int, told: str
) -> None:
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        answer = await http.post(served.endpoint(), content=content)
        assert answer.status_code == status, answer.text
        assert told.lower() in answer.text.lower()
        assert connected(served) == 0
        assert (await http.post(served.endpoint(), json=HELLO)).status_code == 200
    assert served.calls() == []


@pytest.mark.parametrize(
    "sent",
    [call([1]), call("x"), call({}, name=7), call(None, name=None)],
    ids=["list", "text", "number-as-name", "no-name"],
)
async def test_a_call_that_is_none_is_an_error_of_the_protocol(
    serve: Serve, sent: dict[str, Any]
) -> None:
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        opened = await http.post(served.endpoint(), json=HELLO)
        named = {"mcp-session-id": opened.headers["mcp-session-id"]}
        answer = await http.post(served.endpoint(), json=sent, headers=named)
    assert '"code":-32602' in answer.text.replace(" ", "")
    assert served.calls() == []


@pytest.mark.slow
async def test_who_leaves_and_comes_back_begins_anew(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        for _ in range(5):
            opened = await http.post(served.endpoint(), json=HELLO)
            named = {"mcp-session-id": opened.headers["mcp-session-id"]}
            assert (await http.delete(served.endpoint(), headers=named)).status_code == 200
            again = await http.post(served.endpoint(), json=call({}), headers=named)
            assert again.status_code == 404
            assert connected(served) == 0


async def test_the_sdk_is_an_extra(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    served = await serve()

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("mockserver.fronts.mcp.front.import_module", missing)
    async with httpx2.AsyncClient(headers=ACCEPT) as http:
        answer = await http.post(served.endpoint(), json=HELLO)
    assert answer.status_code == 501
    assert "pip install 'understudy[mcp]'" in answer.json()["error"]["message"]
