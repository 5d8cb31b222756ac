from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from harness.agents.frameworks import FRAMEWORKS
from harness.agents.frameworks.pydantic_ai import connect, recognises
from harness.agents.function_child import call_function, connect_agent, load_adapter
from tests.stand_ins import said


def parts_in_turn(*turns: Any, heard: list[int] | None = None) -> FunctionModel:
    """A model that says one of these after the other, and notes how many messages it was sent."""
    waiting = iter(turns)

    def reply(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if heard is not None:
            heard.append(len(messages))
        return ModelResponse(parts=next(waiting))

    return FunctionModel(reply)


def weather(city: str) -> dict[str, Any]:
    if city == "Nowhere":
        raise ModelRetry("no such city")
    return {"degrees": 12}


async def test_tool_calls_have_arguments_results_and_errors() -> None:
    heard: list[int] = []
    model = parts_in_turn(
        [ToolCallPart("weather", {"city": "Nowhere"}, "c1")],
        [ToolCallPart("weather", {"city": "Bonn"}, "c2")],
        [TextPart("12 degrees.")],
        [TextPart("You are welcome.")],
        heard=heard,
    )
    converse = connect(Agent(model, tools=[weather]))
    reply = await converse(said("How warm is it?"), {})
    assert reply["toolCalls"] == [
        {"id": "c1", "name": "weather", "args": {"city": "Nowhere"}, "step": 0, "status": "error",
         "result": "no such city"},
        {"id": "c2", "name": "weather", "args": {"city": "Bonn"}, "step": 1, "status": "ok",
         "result": {"degrees": 12}},
    ]  # fmt: skip
    assert (reply["text"], reply["rounds"]) == ("12 degrees.", 3)
    assert reply["usage"]["output_tokens"] > 0
    again = await converse(said("Thanks."), {})
    assert (again["text"], again["toolCalls"], again["rounds"]) == ("You are welcome.", [], 1)
    assert heard == [1, 3, 5, 7]


async def test_two_calls_of_one_id_are_two_calls() -> None:
    cities = [[ToolCallPart("weather", {"city": city}, "c1")] for city in ("Bonn", "Nowhere")]
    model = parts_in_turn(*cities, [TextPart("12 degrees.")])
    reply = await connect(Agent(model, tools=[weather]))(said("How warm is it?"), {})
    calls = [(each["args"]["city"], each["status"]) for each in reply["toolCalls"]]
    assert calls == [("Bonn", "ok"), ("Nowhere", "error")]


DEPS = """
import contextlib
from dataclasses import dataclass

from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel

@dataclass
class Desk:
    city: str

async def say(context: RunContext[Desk]) -> str:
    return context.deps.city

def agent_of(kind):
    return Agent(TestModel(), deps_type=kind, tools=[say])

agent, bare = agent_of(Desk), Agent(TestModel())
optional, texts = agent_of(Desk | None), agent_of(list[str])
deps = Desk("Bonn")
wrong, names = 3, ["a"]

def make():
    return Desk("made")

@contextlib.asynccontextmanager
async def enter():
    yield Desk("entered")
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "desk_agent.py").write_text(DEPS)
    (folder / "no_deps.py").write_text(DEPS.replace("deps = Desk", "other = Desk"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield "desk_agent"


@pytest.mark.parametrize(
    ("name", "city"),
    [
        ("agent", "Bonn"),
        ("agent?deps=make", "made"),
        ("agent?deps=enter", "entered"),
        ("agent?deps=wrong", "deps_type is Desk, and 'wrong' is a int"),
        ("bare?deps=make", "it takes no deps"),
        ("optional", "Bonn"),
    ],
)
def test_dependencies_are_found_beside_the_agent(desk: str, name: str, city: str) -> None:
    adapter, _ = load_adapter(str(FRAMEWORKS["pydantic-ai"].path))
    with ExitStack() as stack:
        converse, why = connect_agent(adapter, f"{desk}:{name}", stack, look=False)
        if why:
            assert city in why
            return
        answer = call_function(converse, {"messages": said("Go."), "environment": {}}, stack)
    assert answer["value"]["toolCalls"][0]["result"] == city


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no_deps:agent", "its deps_type is Desk: define `deps` beside it"),
        ("no_deps:optional", ""),
        ("desk_agent:texts?deps=names", ""),
        ("desk_agent:agent?deps=make", ""),
        ("desk_agent:bare", ""),
        ("desk_agent:agent?deps=nobody", "has no attribute 'nobody'"),
    ],
)
def test_dependencies_are_looked_for_before_a_run(desk: str, name: str, why: str) -> None:
    adapter, _ = load_adapter(str(FRAMEWORKS["pydantic-ai"].path))
    with ExitStack() as stack:
        told = connect_agent(adapter, name, stack, look=True)[1]
    assert why in told
    assert bool(why) == bool(told)


class Report(BaseModel):
    degrees: int


async def test_a_structured_output_is_no_tool_call() -> None:
    model = parts_in_turn([ToolCallPart("final_result", {"degrees": 12}, "c1")])
    reply = await connect(Agent(model, output_type=Report))(said("How warm is it?"), {})
    assert reply["toolCalls"] == []
    assert (reply["text"], reply["metadata"]) == ('{"degrees": 12}', {"degrees": 12})


async def test_what_was_done_before_an_error_is_handed_over() -> None:
    def broken() -> None:
        raise RuntimeError("the tool is broken")

    model = parts_in_turn([TextPart("Let me see."), ToolCallPart("broken", {}, "c1")])
    with pytest.raises(RuntimeError, match="broken") as failed, capture_run_messages():
        await connect(Agent(model, tools=[broken]))(said("Go."), {})
    partial = failed.value.understudy_partial  # type: ignore[attr-defined]
    assert [call["name"] for call in partial["toolCalls"]] == ["broken"]
    assert partial["text"] == "Let me see."


def test_agents_are_told_from_other_things() -> None:
    assert recognises(Agent())
    assert not recognises(weather)
