"""Function tools of pydantic-ai, with a model that is scripted, and a session that plays."""

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import function

from mockserver.tools import Calls
from mockserver.tools.calls import adapter_of
from tests.mockserver.tools.test_calls import Session


@pytest.fixture(autouse=True)
def wrapped(monkeypatch: pytest.MonkeyPatch) -> Session:
    session = Session({"result": {"paid": 5}})
    original = function.FunctionToolset.call_tool
    monkeypatch.setattr(function.FunctionToolset, "call_tool", original)  # put back at the end
    adapter_of("pydantic_ai.toolsets.function").wrap(function, Calls(session))
    return session


def answered(arguments: dict[str, Any], ran: list[int]) -> list[Any]:
    """What the model is told of its call."""

    def model(messages: Any, _info: Any) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("pay", arguments)])
        return ModelResponse(parts=[TextPart("Done.")])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain(retries=1)
    def pay(cents: int) -> dict[str, int]:
        ran.append(cents)
        if cents == 7:
            raise ModelRetry("not seven")
        return {"ran": cents}

    result = asyncio.run(agent.run("Pay."))
    return [part.content for each in result.all_messages() for part in each.parts
            if part.part_kind in {"tool-return", "retry-prompt"}]  # fmt: skip


def test_the_session_answers_with_valid_arguments(wrapped: Session) -> None:
    ran: list[int] = []
    assert answered({"cents": "5"}, ran) == [{"paid": 5}]
    assert wrapped.sent == [("POST", "pay", {"cents": 5})]
    assert ran == []


def test_what_the_framework_finds_invalid_asks_nobody(wrapped: Session) -> None:
    [told] = answered({"cents": "five"}, [])
    assert told[0]["type"] == "int_parsing"
    assert wrapped.sent == []


def test_an_error_of_the_framework_keeps_its_meaning(wrapped: Session) -> None:
    wrapped.asked = {"real": 1, "named": True}
    assert answered({"cents": 7}, []) == ["not seven"]
    raised = wrapped.sent[1][2]["error"]
    wrapped.asked = {"error": {"message": f"{raised['type']}: {raised['message']}"}}
    wrapped.status = 500
    assert answered({"cents": 7}, []) == ["not seven"]
