import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mockserver.errors import MockServerError
from mockserver.testing.models import langchain_model
from tests.mockserver.testing.models.scripts import write_script
from tests.stand_ins import StandIn

PLACES: dict[str, dict[str, Any]] = {
    "language_models.chat_models": {"BaseChatModel": object},
    "messages": {"AIMessage": SimpleNamespace},
    "outputs": {"ChatGeneration": SimpleNamespace, "ChatResult": SimpleNamespace},
    "utils.function_calling": {"convert_to_openai_tool": lambda tool: {"function": {"name": tool}}},
}
TOOLS = [{"function": {"name": "get_weather"}}]


@pytest.fixture
def model(stand_in: StandIn, tmp_path: Path) -> Any:
    for name, attributes in PLACES.items():
        stand_in(f"langchain_core.{name}", **attributes)
    return langchain_model(write_script(tmp_path), "gpt-5")


def human(text: str) -> SimpleNamespace:
    return SimpleNamespace(type="human", text=text)


async def test_messages_are_read_and_written(model: Any) -> None:
    system = SimpleNamespace(type="system", text="Be kind.")
    asked = [system, human("How is the weather?")]
    [first] = (await model._agenerate(asked, stop=None, tools=TOOLS)).generations
    [call] = first.message.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", {"city": "Bonn"})
    said = SimpleNamespace(type="ai", text="", tool_calls=[call])
    answered = SimpleNamespace(
        type="tool", text='{"degrees": 12}', content="", status="success", name="",
        tool_call_id=call["id"],
    )  # fmt: skip
    [last] = model._generate([*asked, said, answered], run_manager=None).generations
    assert last.message.content == "It is 12 degrees."
    assert last.message.usage_metadata == {
        "input_tokens": 17, "output_tokens": 6, "total_tokens": 23
    }  # fmt: skip
    assert last.message.response_metadata == {"finish_reason": "stop", "model_name": "gpt-5"}


async def test_broken_calls_are_invalid_ones(model: Any) -> None:
    [found] = (await model._agenerate([human("broken")])).generations
    assert found.message.tool_calls == []
    assert found.message.invalid_tool_calls[0]["args"] == "{"
    assert model._llm_type == "understudy-script"


def test_tools_are_bound_in_openai_s_form(model: Any) -> None:
    bound: dict[str, Any] = {}
    model.bind = lambda **given: bound.update(given)
    model.bind_tools(["get_weather"], tool_choice="any")
    assert bound == {"tools": TOOLS, "tool_choice": "any"}


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core.language_models.chat_models", None)
    with pytest.raises(MockServerError, match="LangChain"):
        langchain_model(write_script(tmp_path))
