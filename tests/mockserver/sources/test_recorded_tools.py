"""Calls of tools over HTTP that recordings answer, as they answer MCP clients."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.messages.mcp_calls import (
    AGENT_TOOLS,
    McpCall,
    mcp_interaction,
    plain_result,
    tool_result,
)
from mockserver.model import Interaction, Json
from tests.mockserver.sources.test_cassette import journal, replaying


def call(name: str, arguments: dict[str, Any], value: Json, *, failed: bool = False) -> Interaction:
    params = {"name": name, "arguments": arguments}
    told = McpCall("tools/call", params, tool_result(value, failed=failed))
    return mcp_interaction(AGENT_TOOLS, told, reads=False, recorded_at="", duration_ms=1)


REFUND = call("refund", {"order": "A-1", "cents": 500}, {"state": "refunded"})
FAILED = call("refund", {"order": "A-2"}, "no such order", failed=True)


@pytest.mark.parametrize(
    "value", [{"a": 1}, "text", [1, "b"], 3.5, None, True, {"result": 1}, "", []], ids=repr
)
def test_what_a_tool_returned_comes_back(value: Json) -> None:
    assert plain_result(tool_result(value)) == value


async def test_a_recorded_tool_answers_and_is_journalled_as_a_call(tmp_path: Path) -> None:
    async with replaying(tmp_path, REFUND) as (client, app):
        answer = await client.post("/tools/refund", json={"cents": 500, "order": "A-1"})
        assert answer.json() == {"result": {"state": "refunded"}}
        entry = journal(app)[0]
        shown = entry["method_id"], entry["source"], entry["body"]
        assert shown == ("tools.refund", "cassette", {"order": "A-1", "cents": 500})


@pytest.mark.parametrize(
    ("tool", "sent", "status", "said"),
    [("refund", {"order": "A-2"}, 500, "no such order"),
     ("refund", {"order": "A-1", "cents": 700}, 424, "cents"),
     ("refund", [1], 400, "one object"),
     ("cancel", {}, 404, "no tool 'cancel'")],
    ids=["the tool failed", "other arguments", "no object", "unknown"],
)  # fmt: skip
async def test_a_call_without_an_answer_says_why(
    tmp_path: Path, tool: str, sent: Json, status: int, said: str
) -> None:
    async with replaying(tmp_path, REFUND, FAILED) as (client, _):
        answer = await client.post(f"/tools/{tool}", json=sent)
        assert (answer.status_code, said in answer.text) == (status, True), answer.text


async def test_a_tool_of_the_snapshot_comes_first(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    (suite / "base").mkdir(parents=True)
    own = '{"tools": {"refund": {"responses": [{"result": "own"}]}}}'
    (suite / "base" / "tools.json").write_text(own)
    async with replaying(tmp_path, REFUND, fixtures=suite) as (client, _):
        answer = await client.post("/tools/refund", json={"order": "A-1", "cents": 500})
        assert answer.json() == {"result": "own"}
