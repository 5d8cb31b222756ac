import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import ModelHTTPError

from mockserver.errors import MockServerError
from mockserver.testing.models import pydantic_ai_model
from tests.mockserver.testing.models.scripts import write_script


def get_weather(city: str) -> dict[str, Any]:
    return {"city": city, "degrees": 12}


async def test_an_agent_calls_tools_and_uses_their_results(tmp_path: Path) -> None:
    model = pydantic_ai_model(write_script(tmp_path), "gpt-5")
    agent = Agent(model, tools=[get_weather], instructions="Be kind.", system_prompt="Be brief.")
    result = await agent.run("How is the weather?")
    assert result.output == "It is 12 degrees."
    assert model.model_name == "gpt-5"
    assert (await agent.run("hello", message_history=result.all_messages())).output == "Hello."


async def test_a_stream_says_the_same(tmp_path: Path) -> None:
    agent = Agent(pydantic_ai_model(write_script(tmp_path)), tools=[get_weather])
    async with agent.run_stream("How is the weather?") as result:
        pieces = [piece async for piece in result.stream_text(delta=True)]
    assert "".join(pieces) == "It is 12 degrees."


async def test_errors_and_refusals_are_those_of_the_framework(tmp_path: Path) -> None:
    agent = Agent(pydantic_ai_model(write_script(tmp_path)))
    with pytest.raises(ModelHTTPError) as failed:
        await agent.run("limit")
    assert failed.value.status_code == 429
    assert (await agent.run(["refuse", "it"])).output == "I will not."


async def test_a_failed_tool_is_a_result_that_failed(tmp_path: Path) -> None:
    def failing(city: str) -> str:
        raise ModelRetry(f"no city {city}")

    path = write_script(tmp_path)
    path.write_text(
        "replies:\n"
        "  - {user: weather, calls: {failing: {city: X}}}\n"
        "  - {result: failing, text: '{{ result }}'}\n"
    )
    result = await Agent(pydantic_ai_model(path), tools=[failing]).run("weather")
    assert "no city X" in result.output


async def test_a_message_may_hold_what_no_script_reads(tmp_path: Path) -> None:
    agent = Agent(pydantic_ai_model(write_script(tmp_path)))
    assert (await agent.run("late")).output == "Well."


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.models.function", None)
    with pytest.raises(MockServerError, match="pydantic-ai-slim"):
        pydantic_ai_model(write_script(tmp_path))
