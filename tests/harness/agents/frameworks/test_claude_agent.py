import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.agents.frameworks.claude_agent import connect, recognises
from tests.stand_ins import StandIn, said


@dataclass
class ClaudeAgentOptions:
    turns: list[Any] = field(default_factory=list)


@dataclass
class TextBlock:
    text: str


@dataclass
class ToolUseBlock:
    id: str
    name: str
    input: dict[str, Any]


@dataclass
class ToolResultBlock:
    tool_use_id: str
    content: Any
    is_error: bool | None = None


@dataclass
class AssistantMessage:
    content: Any
    message_id: str | None = None


@dataclass
class UserMessage:
    content: Any


@dataclass
class ResultMessage:
    result: str | None = "12 degrees."
    is_error: bool = False
    subtype: str = "success"
    stop_reason: str | None = "end_turn"
    usage: dict[str, int] | None = None
    total_cost_usd: float | None = None
    structured_output: Any = None
    errors: list[str] | None = None


class ClaudeSDKClient:
    ended = 0

    def __init__(self, options: ClaudeAgentOptions) -> None:
        self.options = options

    async def __aenter__(self) -> "ClaudeSDKClient":
        if self.options.turns == ["no program"]:
            raise FileNotFoundError("claude")
        return self

    async def __aexit__(self, *_: object) -> None:
        type(self).ended += 1

    async def query(self, prompt: str) -> None:
        if prompt == "break":
            raise ConnectionError("broken")

    async def receive_response(self) -> Any:
        for message in self.options.turns.pop(0):
            yield message


@pytest.fixture(autouse=True)
def sdk(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClaudeSDKClient, "ended", 0)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    stand_in(
        "claude_agent_sdk", ClaudeAgentOptions=ClaudeAgentOptions, ClaudeSDKClient=ClaudeSDKClient
    )


LOOKS = [
    AssistantMessage([ToolUseBlock("1", "mcp__desk__look", {"city": "Oslo"})], "m1"),
    AssistantMessage([ToolUseBlock("2", "Read", {})], "m1"),
    UserMessage([ToolResultBlock("1", [{"type": "text", "text": '{"degrees": 12}'}])]),
    UserMessage([ToolResultBlock("2", "{no", is_error=True), ToolResultBlock("9", "")]),
    UserMessage("injected"),
    AssistantMessage([TextBlock("12 degrees.")]),
]
USED = {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 2}


async def test_tool_calls_are_those_of_the_messages() -> None:
    first = [*LOOKS, ResultMessage(usage=USED, total_cost_usd=0.5)]
    second = [ResultMessage(total_cost_usd=0.75, structured_output={"degrees": 12})]
    agent = connect(ClaudeAgentOptions([first, second]))
    reply = await agent(said("How warm?"), {})
    calls = [
        (each["name"], each["step"], each["status"], each["result"]) for each in reply["toolCalls"]
    ]
    assert calls == [("look", 0, "ok", {"degrees": 12}), ("Read", 0, "error", "{no")]
    assert (reply["text"], reply["rounds"], reply["finish"]) == ("12 degrees.", 2, "end_turn")
    assert reply["usage"] == {"input_tokens": 7, "output_tokens": 2, "cost_usd": 0.5}
    again = await agent(said("Thanks."), {})
    assert (again["metadata"], again["usage"]["cost_usd"]) == ({"degrees": 12}, 0.25)
    await agent.aclose()
    assert ClaudeSDKClient.ended == 1


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ([ResultMessage(result="API Error", is_error=True)], "success: API Error"),
        ([ResultMessage(None, is_error=True, errors=["a", "b"])], "success: a; b"),
        ([ResultMessage(None, is_error=True, subtype="error_max_turns")], "error_max_turns"),
        ([], "it ended without a result"),
    ],
)
async def test_what_was_done_before_an_error_is_handed_over(end: list[Any], why: str) -> None:
    agent = connect(ClaudeAgentOptions([[*LOOKS, *end]]))
    with pytest.raises(RuntimeError, match=why) as failed:
        await agent(said("How warm?"), {})
    assert len(failed.value.understudy_partial["toolCalls"]) == 2  # type: ignore[attr-defined]
    await agent.aclose()


async def test_a_program_that_is_not_there_is_told() -> None:
    agent = connect(ClaudeAgentOptions(["no program"]))
    with pytest.raises(FileNotFoundError):
        await agent(said("How warm?"), {})
    await agent.aclose()
    await connect(ClaudeAgentOptions()).aclose()


def test_a_session_with_models_has_a_configuration_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    with asyncio.Runner() as runner:  # one task for each turn, as in the process of a trial
        agent = connect(ClaudeAgentOptions([[ResultMessage()]]))
        runner.run(agent(said("How warm?"), {}))
        folder = Path(os.environ["CLAUDE_CONFIG_DIR"])
        assert folder.is_dir()
        runner.run(agent.aclose())
    assert not folder.exists()


def test_agents_are_told_from_other_things() -> None:
    assert recognises(ClaudeAgentOptions())
    assert not recognises(ClaudeSDKClient)
