from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, capture_run_messages
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from harness.agents.frameworks.pydantic_ai import connect, recognises
from tests.stand_ins import said


def parts_in_turn(*turns: Any) -> FunctionModel:
    """A model that says one of these after the other."""
    waiting = iter(turns)

    def reply(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=next(waiting))

    return FunctionModel(reply)


def weather(city: str) -> dict[str, Any]:
    if city == "Nowhere":
        raise ModelRetry("no such city")
    return {"degrees": 12}


async def test_tool_calls_have_arguments_results_and_errors() -> None:
    model = parts_in_turn(
        [ToolCallPart("weather", {"city": "Nowhere"}, "c1")],
        [ToolCallPart("weather", {"city": "Bonn"}, "c2")],
        [TextPart("12 degrees.")],
        [TextPart("You are welcome.")],
    )
    converse = connect(Agent(model, tools=[weather]))
    reply = await converse(said("How warm is it?"), {})
    calls = [(each["name"], each["args"], each["status"]) for each in reply["toolCalls"]]
    assert calls == [("weather", {"city": "Nowhere"}, "error"), ("weather", {"city": "Bonn"}, "ok")]
    assert reply["toolCalls"][1]["result"] == {"degrees": 12}
    assert (reply["text"], reply["rounds"]) == ("12 degrees.", 3)
    assert reply["usage"]["output_tokens"] > 0
    again = await converse(said("Thanks."), {})
    assert (again["text"], again["toolCalls"], again["rounds"]) == ("You are welcome.", [], 1)


async def test_two_calls_of_one_id_are_two_calls() -> None:
    cities = [[ToolCallPart("weather", {"city": city}, "c1")] for city in ("Bonn", "Nowhere")]
    model = parts_in_turn(*cities, [TextPart("12 degrees.")])
    reply = await connect(Agent(model, tools=[weather]))(said("How warm is it?"), {})
    calls = [(each["args"]["city"], each["status"]) for each in reply["toolCalls"]]
    assert calls == [("Bonn", "ok"), ("Nowhere", "error")]


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
