"""Scripts that answer as agents over AG-UI."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import MockServerError
from tests.clients.packages import packages_of
from tests.mockserver.declared.worlds import Declared, declared
from tests.mockserver.models.suites import write_script

SCRIPT = """
replies:
  - {user: weather, calls: {look: {place: Bern}}, calls_first: true, text: I look.}
  - {result: look, text: "{{ result.degrees }} degrees.", reasoning: The tool knows.}
  - user: table
    events: [{type: STATE_SNAPSHOT, snapshot: {rows: "{{ request.state.rows + 1 }}"}}]
  - {model: helper, user: hello, text: I am the helper.}
  - {tool: paint, calls: {paint: {}}}
  - {user: limit, error: rate_limit}
  - {user: hello, text: Good morning!, stream: {characters: 5}}
"""
RUN = {"threadId": "t1", "runId": "r1", "state": {"rows": 2}, "tools": [], "context": [],
       "forwardedProps": {}}  # fmt: skip


def user(text: str) -> dict[str, Any]:
    return {"id": "u1", "role": "user", "content": text}


async def run(world: Declared, *messages: Mapping[str, Any], agent: str = "", **fields: Any) -> Any:
    body = {**RUN, "messages": messages, **fields}
    return await world.ask("POST", f"/agents/agui{agent}", json=body)


def events_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line.removeprefix("data: ")) for line in text.strip().split("\n\n")]


async def events(world: Declared, *messages: Mapping[str, Any], **how: Any) -> list[Any]:
    answer = await run(world, *messages, **how)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = events_of(answer.text)
    for at, kind in ((0, "RUN_STARTED"), (-1, "RUN_FINISHED")):
        assert found[at] == {"type": kind, "threadId": "t1", "runId": "r1"}
    return found[1:-1]


def test_a_run_is_a_stream_of_events(tmp_path: Path) -> None:
    async def check() -> None:
        async with declared(write_script(tmp_path, SCRIPT)) as world:
            said = await events(world, user("hello"))
            assert [each.get("delta") for each in said] == [None, "Good ", "morni", "ng!", None]
            called = await events(world, user("weather"))
            kinds = [each["type"].removeprefix("TOOL_CALL_") for each in called]
            assert kinds[:3] == ["START", "ARGS", "END"]
            assert called[0]["parentMessageId"] == called[3]["messageId"]
            id = called[0]["toolCallId"]
            function = {"name": "look", "arguments": called[1]["delta"]}
            tool_call = {"id": id, "type": "function", "function": function}
            asked = {"id": "a", "role": "assistant", "toolCalls": [tool_call]}
            thought = {"id": "x", "role": "reasoning", "content": "Hm."}
            result = {"id": "t", "role": "tool", "toolCallId": id, "content": '{"degrees": 21}'}
            told = await events(world, user("weather"), thought, asked, result)
            assert [each["delta"] for each in told if "delta" in each] == [
                "The tool knows.", "21 degrees."
            ]  # fmt: skip
            [state] = await events(world, user("table"))
            assert state == {"type": "STATE_SNAPSHOT", "snapshot": {"rows": 3}}
            [_, by_name, _] = await events(world, user("hello"), agent="/helper")
            assert by_name["delta"] == "I am the helper."
            [first, *_] = await events(world, user("?"), tools=[{"name": "paint"}])
            assert first["toolCallName"] == "paint"
            assert {entry["method_id"] for entry in world.journal} == {"agui.run"}

    asyncio.run(check())


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"messages": [user("limit")]}, 429, "rate limit"),
        ({"messages": [user("?")]}, 404, "no reply of the suite's models fits"),
        ({"messages": [], "runId": None}, 400, "runId: expected a text, got nothing"),
        ({"messages": "hello"}, 400, "messages: expected a list, got a text"),
        ({"messages": [{"role": "queen"}]}, 400, "unknown role 'queen'"),
    ],
)
def test_what_is_no_run_is_an_error(
    tmp_path: Path, fields: dict[str, Any], status: int, said: str
) -> None:
    async def check() -> None:
        async with declared(write_script(tmp_path, SCRIPT)) as world:
            answer = await run(world, **fields)
            body = answer.json()
            assert (answer.status_code, body["type"]) == (status, "RUN_ERROR")
            assert said in body["message"]
            for verb, path in (("GET", "/agents/agui"), ("POST", "/agents/agui/a/b")):
                assert (await world.ask(verb, path)).status_code == 404

    asyncio.run(check())


def test_a_run_may_end_with_an_error(tmp_path: Path) -> None:
    fault = {"method": "agui.run", "error": "overloaded", "after_events": 2}

    async def check() -> None:
        async with declared(write_script(tmp_path, SCRIPT), faults=(fault,)) as world:
            found = events_of((await run(world, user("hello"))).text)
            assert [each["type"] for each in found] == [
                "RUN_STARTED", "TEXT_MESSAGE_START", "RUN_ERROR"
            ]  # fmt: skip

    asyncio.run(check())


@pytest.mark.slow
def test_the_events_are_those_of_the_official_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = packages_of("agui-1", "ag-ui-protocol==1.0.0")
    if isinstance(folder, str):
        pytest.skip(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    from ag_ui.core import Event, RunAgentInput
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(Event)

    async def check() -> None:
        async with declared(write_script(tmp_path, SCRIPT)) as world:
            for text in ("hello", "weather", "table", "limit"):
                given = RunAgentInput.model_validate({**RUN, "messages": [user(text)]})
                body = given.model_dump(mode="json", by_alias=True, exclude_none=True)
                answer = await world.ask("POST", "/agents/agui", json=body)
                found = [answer.json()] if text == "limit" else events_of(answer.text)
                read = [adapter.validate_python(each) for each in found]
                assert not [each for each in read if each.model_extra], text
            told = {"id": "t", "role": "tool", "toolCallId": "c", "content": '{"degrees": 1}'}
            call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            asked = {"id": "a", "role": "assistant", "toolCalls": [call]}
            found = events_of((await run(world, user("weather"), asked, told)).text)
            assert {adapter.validate_python(each).type for each in found} >= {"REASONING_START"}

    asyncio.run(check())


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("events: [{snapshot: {}}]", "event 0 has no type"),
        ('events: [{type: CUSTOM, value: "{{ 1 +"}]', "not a template"),
        ("task: asleep", "task"),
    ],
)
def test_a_reply_that_no_agent_can_give_is_told(tmp_path: Path, reply: str, problem: str) -> None:
    suite = write_script(tmp_path, f"replies: [{{{reply}}}]")

    async def check() -> None:
        async with declared(suite):
            pass

    with pytest.raises(MockServerError, match=problem):
        asyncio.run(check())
