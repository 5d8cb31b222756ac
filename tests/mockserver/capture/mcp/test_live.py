"""A live server that is asked again, without a connection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from mockserver.capture.mcp import McpTarget, live, repeat_recorded
from mockserver.capture.mcp.conversation import FinishedCall
from mockserver.messages.mcp_calls import McpCall, mcp_call, mcp_interaction
from mockserver.model import Interaction, JsonObject, RecordedRequest, RecordedResponse


def recorded(method: str, *, reads: bool = True, **params: Any) -> Interaction:
    call = McpCall(method, params, {"was": 1})
    return mcp_interaction("shop", call, reads=reads, recorded_at="", duration_ms=0.0)


def call(name: str, *, reads: bool = False, **arguments: Any) -> Interaction:
    return recorded("tools/call", reads=reads, name=name, arguments=arguments)


class Server:
    """What stands in for a live server: it lists its tools, and answers what it is asked."""

    def __init__(self) -> None:
        self.tools = {"look", "peek", "buy"}
        self.read_only = {"peek"}
        self.asked: list[tuple[str, JsonObject]] = []

    async def list_everything(self) -> AsyncIterator[FinishedCall]:
        for method in ("initialize", "tools/list", "prompts/list"):
            yield FinishedCall(McpCall(method, {}, {"of": method}), True, 0.0, 1.0)

    async def ask(self, method: str, params: JsonObject) -> FinishedCall:
        self.asked.append((method, params))
        return FinishedCall(McpCall(method, params, {"now": len(self.asked)}), True, 0.0, 1.0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    @asynccontextmanager
    async def connect(target: McpTarget) -> AsyncIterator[Server]:
        yield made

    made = Server()
    monkeypatch.setattr(live, "connect", connect)
    return made


async def repeated(
    *interactions: Interaction, calls_tools: bool = False
) -> tuple[list[Interaction], list[tuple[str, Any]], list[str]]:
    target: Any = SimpleNamespace()
    made = await repeat_recorded(target, interactions, calls_tools=calls_tools)
    answers = [mcp_call(each) for each in made.answered]
    return made.recorded, [(each.method, each.result) for each in answers], made.skipped


@pytest.mark.parametrize(
    ("asked", "calls_tools", "why"),
    [
        (call("look", reads=True), False, ""),
        (call("peek"), False, ""),
        (call("buy"), True, ""),
        (call("buy"), False, "tools/call buy: not asked: it may change something (--call-tools)"),
        (call("gone", reads=True), True,
         "tools/call gone: not asked: the live server does not list it"),
        (call("look", reads=True, to="user-1423f708@d11b582ad.example.com"), True,
         "tools/call look: not asked: its arguments hold pseudonyms"),
        (recorded("resources/read", uri="file:///a"), False, ""),
        (recorded("resources/read", uri="user-1423f708@d11b582ad.example.com"), False,
         "resources/read user-1423f708@d11b582ad.example.com: not asked: its arguments hold"
         " pseudonyms"),
    ],
)  # fmt: skip
async def test_what_reads_is_asked_again(
    server: Server, asked: Interaction, calls_tools: bool, why: str
) -> None:
    found, answers, skipped = await repeated(asked, asked, calls_tools=calls_tools)
    assert skipped == ([why] if why else [])
    assert found == ([] if why else [asked, asked])
    assert answers == ([] if why else [(mcp_call(asked).method, {"now": 1})] * 2)
    assert len(server.asked) == (0 if why else 1)


async def test_lists_are_asked_where_they_are_recorded(server: Server) -> None:
    listed = recorded("tools/list", cursor="a")
    web = Interaction(RecordedRequest("GET", "https://api.example.com/a"), RecordedResponse(200))
    broken = Interaction(
        RecordedRequest("GET", listed.request.url, body=b"{"), RecordedResponse(200, body=b"{")
    )
    found, answers, skipped = await repeated(web, broken, listed)
    assert (found, answers, skipped) == ([listed], [("tools/list", {"of": "tools/list"})], [])
    assert server.asked == []
