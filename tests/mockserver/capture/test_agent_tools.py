"""Tools inside a program that is recorded: they run, and what they return is kept."""

import json
from typing import Any

import httpx
import pytest

from mockserver.capture.agent_tools import AgentToolRecorder
from mockserver.messages.mcp_calls import mcp_call, plain_result, reads_by_name
from mockserver.model import Interaction
from tests.mockserver.conftest import NOW


class Queue:
    """Keeps what it is to record."""

    def __init__(self) -> None:
        self.recorded: list[Interaction] = []
        self.unrecorded: list[tuple[str, str, str]] = []

    async def record(self, interaction: Interaction) -> None:
        self.recorded.append(interaction)

    async def report_unrecorded(self, method: str, url: str, reason: str) -> None:
        self.unrecorded.append((method, url, reason))


async def proxy(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def client(queue: Queue) -> httpx.AsyncClient:
    made: Any = AgentToolRecorder(proxy, queue, "/TOOLS/", clock=lambda: NOW)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=httpx.ASGITransport(made), base_url="http://here")


@pytest.mark.parametrize(
    ("told", "result", "failed"),
    [
        ({"arguments": {"cents": 5}, "result": {"paid": 5}}, {"paid": 5}, False),
        ({"arguments": {"cents": 5}, "result": [1]}, [1], False),
        ({"arguments": {"cents": 5}, "error": {"type": "KeyError", "message": "a"}}, "a", True),
    ],
)
async def test_a_call_is_recorded_as_one_to_an_mcp_server(
    told: dict[str, Any], result: Any, failed: bool, client: httpx.AsyncClient, queue: Queue
) -> None:
    asked = await client.post("/TOOLS/get%20pay", json={"cents": 5})
    assert asked.json() == {"real": 1, "named": True}
    answer = await client.put("/TOOLS/get%20pay", json={"call": 1, **told})
    assert answer.json() == {"result": told.get("result")}
    [made] = queue.recorded
    found = mcp_call(made)
    assert found.result is not None
    assert found.params == {"name": "get pay", "arguments": {"cents": 5}}
    assert (plain_result(found.result), found.result.get("isError", False)) == (result, failed)
    assert made.request.url == "mcp://tools/tools/call/get%20pay"
    assert (made.request.method, made.duration_ms > 0) == ("QUERY", True)


async def test_what_is_no_call_is_told_and_all_else_is_the_proxy_s(
    client: httpx.AsyncClient, queue: Queue
) -> None:
    assert (await client.post("/other")).status_code == 204
    for content in (b"[1]", b"{", json.dumps({"a": "x" * 17_000_000}).encode()):
        assert (await client.put("/TOOLS/pay", content=content)).status_code == 400
    assert len(queue.unrecorded) == 3
    await client.put("/TOOLS/pay", json={"result": 1})
    assert (queue.recorded[0].request.method, queue.recorded[0].duration_ms) == ("POST", 0)


@pytest.mark.parametrize(
    ("name", "reads"),
    [("get_order", True), ("LookUp", True), ("mcp__shop__listOrders", True), ("", False),
     ("order_get", False), ("gets", False)],
)  # fmt: skip
def test_a_tool_reads_where_its_name_begins_so(name: str, reads: bool) -> None:
    assert reads_by_name(name) is reads
