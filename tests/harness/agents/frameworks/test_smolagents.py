from types import SimpleNamespace
from typing import Any

import pytest

from harness.agents.frameworks.smolagents import connect, recognises
from tests.stand_ins import StandIn, said


def call(name: str) -> SimpleNamespace:
    return SimpleNamespace(id=f"c-{name}", name=name, arguments={"a": 1})


def step(*calls: Any, **more: Any) -> SimpleNamespace:
    used = SimpleNamespace(input_tokens=3, output_tokens=2)
    return SimpleNamespace(step_number=1, tool_calls=list(calls), token_usage=used, **more)


class MultiStepAgent:
    def __init__(self, output: Any = "12 degrees.") -> None:
        self.memory = SimpleNamespace(steps=[])
        self.output = output
        self.resets: list[bool] = []

    def run(self, prompt: str, reset: bool) -> Any:
        self.resets.append(reset)
        self.memory.steps += [
            SimpleNamespace(task=prompt),
            step(call("weather"), observations="12", error=None),
            step(call("a"), call("b"), observations="both", error=None),
            step(call("broken"), observations=None, error=ValueError("no such city")),
        ]
        if isinstance(self.output, Exception):
            raise self.output
        self.memory.steps.append(step(call("final_answer"), observations="", error=None))
        return self.output


@pytest.fixture(autouse=True)
def smolagents(stand_in: StandIn) -> None:
    stand_in("smolagents", MultiStepAgent=MultiStepAgent)


async def test_tool_calls_are_those_of_the_steps() -> None:
    agent = MultiStepAgent()
    converse = connect(agent)
    reply = await converse(said("How warm is it?"), {})
    calls = [(each["name"], each["step"], each["status"]) for each in reply["toolCalls"]]
    assert calls == [("weather", 0, "ok"), ("a", 1, "ok"), ("b", 1, "ok"), ("broken", 2, "error")]
    results = [each["result"] for each in reply["toolCalls"]]
    assert results == ["12", None, None, "no such city"]
    assert (reply["text"], reply["rounds"]) == ("12 degrees.", 4)
    assert reply["usage"] == {"input_tokens": 12, "output_tokens": 8}
    again = await converse(said("Thanks."), {})
    assert len(again["toolCalls"]) == 4
    assert agent.resets == [True, False]


async def test_what_is_no_text_is_json() -> None:
    reply = await connect(MultiStepAgent({"degrees": 12}))(said("Go."), {})
    assert reply["text"] == '{"degrees": 12}'


async def test_what_was_done_before_an_error_is_handed_over() -> None:
    with pytest.raises(RuntimeError) as failed:
        await connect(MultiStepAgent(RuntimeError("no model")))(said("Go."), {})
    partial = failed.value.understudy_partial  # type: ignore[attr-defined]
    assert len(partial["toolCalls"]) == 4


def test_agents_are_told_from_other_things() -> None:
    assert recognises(MultiStepAgent())
    assert not recognises(call)
