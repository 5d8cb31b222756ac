from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.agents.frameworks.openai_agents import connect, recognises
from tests.stand_ins import StandIn, said


class Server:
    def __init__(self, session: Any = None) -> None:
        self.session = session
        self.is_open = False

    async def __aenter__(self) -> "Server":
        self.is_open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_open = False


@dataclass(eq=False)
class Agent:
    mcp_servers: list[Any] = field(default_factory=list)
    handoffs: list[Any] = field(default_factory=list)


class AgentsError(Exception):
    run_data: Any = None


def item(type: str, raw: Any, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(type=type, raw_item=raw, **more)


def response(*call_ids: str) -> SimpleNamespace:
    output = [SimpleNamespace(call_id=each) for each in call_ids]
    return SimpleNamespace(output=output, usage=SimpleNamespace(input_tokens=3, output_tokens=2))


CALL = SimpleNamespace(type="function_call", name="weather", call_id="c1", arguments='{"a": 1}')
ITEMS = [
    item("tool_call_item", CALL),
    item(
        "tool_call_output_item",
        {"call_id": "c1", "output": ""},
        output=[{"type": "text", "text": '{"degrees": 12}'}],
    ),
    item("tool_call_item", {"type": "web_search_call", "id": "w1"}),
    item("handoff_call_item", {"name": "transfer", "call_id": "c2", "arguments": "{}"}),
    item("handoff_output_item", {"call_id": "c2", "output": "{broken"}),
    item("tool_call_item", {"name": "broken", "call_id": "c3", "arguments": "{}"}),
    item(
        "tool_call_output_item",
        {"call_id": "c3"},
        output="An error occurred while running the tool. Please try again.",
    ),
    item("message_output_item", {}),
]
RESPONSES = [response("c1"), response("c2", "c3")]


@dataclass
class Runner:
    output: Any = "12 degrees."
    error: Any = None
    inputs: list[Any] = field(default_factory=list)
    items: list[Any] = field(default_factory=lambda: ITEMS)

    async def run(self, agent: Any, given: Any) -> Any:
        self.inputs.append(given)
        if self.error is not None:
            raise self.error
        return SimpleNamespace(
            new_items=self.items,
            raw_responses=RESPONSES,
            last_agent=agent,
            final_output=self.output,
            to_input_list=lambda: [*given, {"role": "assistant", "content": "12 degrees."}],
        )


@pytest.fixture
def runner(stand_in: StandIn) -> Runner:
    runner = Runner()
    stand_in("agents", Agent=Agent, Runner=runner)
    stand_in("agents.exceptions", AgentsException=AgentsError)
    return runner


async def test_tool_calls_are_those_of_the_items(runner: Runner) -> None:
    converse = connect(Agent())
    reply = await converse(said("How warm is it?"), {})
    calls = [
        (each["name"], each["args"], each["step"], each["status"], each.get("result"))
        for each in reply["toolCalls"]
    ]
    assert calls == [
        ("weather", '{"a": 1}', 0, "ok", {"degrees": 12}),
        ("web_search", {}, 0, "unknown", None),
        ("transfer", "{}", 1, "ok", "{broken"),
        ("broken", "{}", 1, "error", ITEMS[6].output),
    ]
    assert (reply["text"], reply["rounds"]) == ("12 degrees.", 2)
    assert reply["usage"] == {"input_tokens": 6, "output_tokens": 4}
    await converse(said("Thanks."), {})
    assert [each["content"] for each in runner.inputs[1]] == [
        "How warm is it?",
        "12 degrees.",
        "Thanks.",
    ]


async def test_two_calls_of_one_id_are_two_calls(runner: Runner) -> None:
    calls = [item("tool_call_item", {"name": each, "call_id": "c1"}) for each in "ab"]
    results = [
        item("tool_call_output_item", {"call_id": "c1"}, output=each) for each in ("1", "2", "3")
    ]
    runner.items = [*calls, *results]
    reply = await connect(Agent())(said("Go."), {})
    assert [(each["name"], each["result"]) for each in reply["toolCalls"]] == [
        ("a", "1"),
        ("b", "2"),
    ]


@pytest.mark.parametrize(
    ("output", "text", "metadata"),
    [
        (None, "", None),
        ({"degrees": 12}, '{"degrees": 12}', {"degrees": 12}),
        (SimpleNamespace(model_dump=lambda mode: {"a": 1}), '{"a": 1}', {"a": 1}),
        ([1], "[1]", None),
    ],
)
async def test_a_structured_output_is_text_and_metadata(
    output: Any, text: str, metadata: Any, runner: Runner
) -> None:
    runner.output = output
    reply = await connect(Agent())(said("Go."), {})
    assert (reply["text"], reply.get("metadata")) == (text, metadata)


async def test_servers_that_nobody_connected_are_connected_and_closed(runner: Runner) -> None:
    mine, shared, connected = Server(), Server(), Server(session=object())
    other = Agent([shared])
    other.handoffs.append(other)
    converse = connect(Agent([mine, shared, connected], [other, "a handoff"]))
    await converse(said("Go."), {})
    await converse(said("On."), {})
    assert (mine.is_open, shared.is_open, connected.is_open) == (True, True, False)
    await converse.aclose()
    assert (mine.is_open, shared.is_open) == (False, False)


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_was_done_before_an_error_is_handed_over(is_known: bool, runner: Runner) -> None:
    runner.error = AgentsError("too many turns")
    if is_known:
        runner.error.run_data = SimpleNamespace(new_items=ITEMS, raw_responses=RESPONSES)
    with pytest.raises(AgentsError) as failed:
        await connect(Agent())(said("Go."), {})
    partial = getattr(failed.value, "understudy_partial", {"toolCalls": []})
    assert len(partial["toolCalls"]) == (4 if is_known else 0)


def test_agents_are_told_from_other_things(runner: Runner) -> None:
    assert recognises(Agent())
    assert not recognises(runner)
