import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mockserver.errors import MockServerError
from mockserver.models.messages import Message, ToolCall, ToolResult
from mockserver.testing.models import adk_model
from mockserver.testing.models.adk import _messages
from tests.mockserver.testing.models.scripts import write_script
from tests.stand_ins import StandIn


class BaseLlm:
    def __init__(self, model: str) -> None:
        self.model = model


class LlmResponse:
    model_validate: Any = staticmethod(dict)


@pytest.fixture
def model(stand_in: StandIn, tmp_path: Path) -> Any:
    stand_in("google.adk.models.base_llm", BaseLlm=BaseLlm)
    stand_in("google.adk.models.llm_response", LlmResponse=LlmResponse)
    return adk_model(write_script(tmp_path), "gemini-2.5-flash")


def part(**given: Any) -> SimpleNamespace:
    empty = {"text": None, "thought": None, "function_call": None, "function_response": None}
    return SimpleNamespace(**empty | given)


def asked(*contents: tuple[str, list[Any] | None]) -> SimpleNamespace:
    return SimpleNamespace(
        config=SimpleNamespace(system_instruction="Be kind."),
        contents=[SimpleNamespace(role=role, parts=parts) for role, parts in contents],
        tools_dict={"get_weather": object()},
    )


QUESTION = ("user", [part(text="How is the weather?")])


async def test_contents_are_read_and_written(model: Any) -> None:
    [first] = [each async for each in model.generate_content_async(asked(QUESTION))]
    call = first["content"]["parts"][0]["function_call"]
    assert (call["name"], call["args"]) == ("get_weather", {"city": "Bonn"})
    said = ("model", [part(text="", function_call=SimpleNamespace(**call))])
    given = SimpleNamespace(id=call["id"], name="get_weather", response={"degrees": 12})
    answered = ("user", [part(function_response=given)])
    found = model.generate_content_async(asked(QUESTION, said, answered), stream=True)
    partial, last = [each async for each in found]
    assert partial["partial"]
    assert [each["text"] for each in last["content"]["parts"]] == ["Easy.", "It is 12 degrees."]
    assert last["finish_reason"] == "STOP"
    assert last["usage_metadata"] == {
        "prompt_token_count": 17, "candidates_token_count": 6, "total_token_count": 23
    }  # fmt: skip


def test_parts_are_texts_calls_and_results() -> None:
    def call(**given: Any) -> Any:
        return part(
            function_call=SimpleNamespace(**{"id": None, "name": None, "args": None} | given)
        )

    def result(response: Any, **given: Any) -> Any:
        named = {"id": None, "name": None, "response": response} | given
        return part(function_response=SimpleNamespace(**named))

    thought, text = part(text="Hm.", thought=True), part(text="a")
    spoken = [thought, text, part(text="b"), call(id="1", name="f", args={"x": 1}), call()]
    [said] = _messages(SimpleNamespace(role="model", parts=spoken))
    assert said == Message("assistant", "a\nb", (ToolCall("f", {"x": 1}, "1"), ToolCall("", {})))
    responses = [{"error": "no"}, {"isError": True}, {"isError": False}, {"n": 1}, "error"]
    given = [text, result(responses[0], id="1", name="f"), *map(result, responses[1:])]
    answered, asked = _messages(SimpleNamespace(role="user", parts=given))
    failed = [each.is_error for each in answered.results]
    assert (answered.role, failed) == ("tool", [True, True, False, False, False])
    assert answered.results[0] == ToolResult({"error": "no"}, "1", "f", is_error=True)
    assert asked == Message("user", "a")
    assert [*_messages(SimpleNamespace(role="user", parts=None))] == []


@pytest.mark.parametrize(
    ("text", "finish", "parts"),
    [
        ("refuse", "SAFETY", [{"text": "I will not."}]),
        ("broken", "STOP", [{"name": "get_weather", "args": {}}]),
    ],
)
async def test_refusals_and_broken_calls_have_what_gemini_has_for_them(
    text: str, finish: str, parts: Any, model: Any
) -> None:
    found = model.generate_content_async(asked(("user", [part(text=text)]), ("user", None)))
    [reply] = [each async for each in found]
    said = [each.get("function_call", each) for each in reply["content"]["parts"]]
    for each in said:
        each.pop("id", None)
    assert (reply["finish_reason"], said) == (finish, parts)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.adk.models.base_llm", None)
    with pytest.raises(MockServerError, match="ADK"):
        adk_model(write_script(tmp_path))
