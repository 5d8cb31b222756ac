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


LOOK = call("look_up", {"order": "A-1"}, {"state": "open"})
AGAIN = "the tool was called more often than it was recorded"


def pay(cents: int) -> tuple[str, dict[str, Any]]:
    return "refund", {"order": "A-1", "cents": cents}


@pytest.mark.parametrize(
    ("spec", "calls", "said"),
    [
        ({}, [pay(500), pay(500)], [200, AGAIN]),
        ({"repeats": "once"}, [pay(500), pay(500)], [200, "has been played"]),
        ({"sources": ("cassette",)}, [pay(500), pay(500)], [200, "has been played"]),
        ({"agent_tools": {"*": "strict"}}, [pay(500), pay(500)], [200, "has been played"]),
        ({"agent_tools": {"*": "strict"}}, [("look_up", {"order": "A-1"})], ["was not called yet"]),
        ({"agent_tools": {"*": "mocked"}}, [("look_up", {"order": "A-1"})], [200]),
        ({}, [pay(700)], ["cents"]),
        ({"agent_tools": {"refund": "nearest"}}, [pay(700)],
         ["near: another call of the tool; differs in arguments.cents"]),
        ({"agent_tools": {"*": "nearest"}, "barriers": "strict"}, [pay(700)], ["Replay miss"]),
        ({"agent_tools": {"*": "nearest"}}, [("look_up", {"order": "A-9"})], ["near: another"]),
    ],
)  # fmt: skip
async def test_which_recorded_call_answers(
    spec: dict[str, Any], calls: list[tuple[str, dict[str, Any]]], said: list[Any], tmp_path: Path
) -> None:
    async with replaying(tmp_path, REFUND, LOOK, **spec) as (client, _):
        found: list[Any] = []
        for (tool, arguments), told in zip(calls, said, strict=True):
            answer = await client.post(f"/tools/{tool}", json=arguments)
            warning = answer.headers.get("x-mock-warning", "")
            found.append(answer.status_code if told == 200 else f"{warning}{answer.text}")
        assert [one == two or two in str(one) for one, two in zip(found, said, strict=True)] == [
            True
        ] * len(said), found


async def test_an_error_is_told_with_its_class(tmp_path: Path) -> None:
    params = {"name": "refund", "arguments": {}}
    failed = tool_result("no order", failed=True, kind="ValueError")
    told = McpCall("tools/call", params, failed)
    made = mcp_interaction(AGENT_TOOLS, told, reads=False, recorded_at="", duration_ms=1)
    async with replaying(tmp_path, made) as (client, _):
        answer = await client.post("/tools/refund", json={})
        assert answer.json()["error"]["message"] == "ValueError: no order"
