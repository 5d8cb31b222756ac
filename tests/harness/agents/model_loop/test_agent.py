from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from typing_extensions import override

from harness.agents import AgentFailedError, AgentUnreachableError, DriverOptions, Task, Transcript
from harness.agents.model_loop import agent as module
from harness.agents.model_loop.agent import Conversation, ModelAgent, ServedTool, Tools
from harness.agents.model_loop.rules import Loop
from harness.errors import HarnessError
from harness.model import Json, JsonObject
from harness.trials.records import Price

SCHEMA: JsonObject = {"type": "object", "properties": {}}
LISTED = [ServedTool(name, "", SCHEMA) for name in ("get_units", "set_unit")]


class PlayedTools(Tools):
    """Tools that answer their arguments, and fail where these say so."""

    @override
    async def call(self, name: str, arguments: JsonObject) -> tuple[Json, bool]:
        return {"tool": name, **arguments}, "fail" in arguments


class Models:
    """One model for all names, which says one of these after the other."""

    def __init__(self, *turns: Any) -> None:
        self.turns = list(turns)
        self.names: list[str] = []
        self.seen: list[tuple[list[str], Any, str]] = []

    def get(self, name: str) -> FunctionModel:
        self.names.append(name)
        return FunctionModel(self._reply, model_name="gpt-4o-mini")

    def _reply(self, _messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        tools = [tool.name for tool in info.function_tools]
        choice = (info.model_settings or {}).get("tool_choice", "auto")
        self.seen.append((tools, choice, info.instructions or ""))
        turn = self.turns.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return ModelResponse(parts=turn)


def call(name: str, args: Any = None, id: str = "c1") -> ToolCallPart:
    return ToolCallPart(name, {} if args is None else args, id)


async def converse(loop: Any, *turns: Any) -> tuple[Conversation, Models]:
    models = Models(*turns)
    conversation = Conversation(Loop.model_validate(loop), models, PlayedTools(), LISTED)
    await conversation.answer("Why?", 1)
    return conversation, models


async def test_the_model_is_asked_until_it_calls_no_tool() -> None:
    conversation, _ = await converse(
        {},
        [TextPart("Let me see."), call("get_units", {"a": 1}), call("set_unit", {"fail": 1}, "c2")],
        [call("drop", id="c3"), call("get_units", "[1", "c4")],
        [TextPart("It is fine.")],
        [TextPart("Bye.")],
    )
    reply = conversation.reply
    noted = [(each.name, each.step, each.status, each.result) for each in reply.tool_calls]
    assert noted == [
        ("get_units", 0, "ok", {"tool": "get_units", "a": 1}),
        ("set_unit", 0, "error", {"tool": "set_unit", "fail": 1}),
        ("drop", 1, "error", "there is no tool 'drop'; there are: get_units, set_unit"),
        ("get_units", 1, "error", "the arguments are no JSON object"),
    ]
    assert reply.tool_calls[3].args == "[1"
    assert (reply.text, reply.rounds, reply.finish) == ("It is fine.", 3, "stop")
    assert reply.usage.cost_usd is not None
    await conversation.answer("Thanks.", 2)
    assert (conversation.reply.text, conversation.reply.turn) == ("Bye.", 2)


async def test_two_calls_of_one_id_are_two_calls() -> None:
    calls = [call("get_units", {"a": 1}), call("set_unit", {"b": 2})]
    conversation, _ = await converse({}, calls, [TextPart("It is fine.")])
    found = [(each.name, each.id, each.result) for each in conversation.reply.tool_calls]
    assert found == [
        ("get_units", "c1", {"tool": "get_units", "a": 1}),
        ("set_unit", "c1", {"tool": "set_unit", "b": 2}),
    ]


async def test_a_completion_tool_ends_it_with_its_arguments() -> None:
    loop = {"completion": {"diagnose": {}}, "max_steps": 1}
    conversation, _ = await converse(loop, [call("diagnose", {"text": "A leak.", "sure": True})])
    reply = conversation.reply
    assert (reply.text, reply.finish, reply.tool_calls) == ("A leak.", "completed", ())
    assert reply.metadata == {"text": "A leak.", "sure": True}
    conversation, _ = await converse(loop, [call("diagnose", {"cause": "A leak."})])
    assert conversation.reply.text == '{"cause": "A leak."}'


async def test_it_stops_where_a_condition_comes_about() -> None:
    conversation, _ = await converse(
        {"stop": [{"steps": 2}]}, [call("get_units")], [TextPart("So far."), call("get_units")]
    )
    reply = conversation.reply
    assert (reply.finish, reply.text, reply.rounds) == ("stopped: steps 2", "So far.", 2)


async def test_a_budget_is_spent_at_the_prices_that_are_given() -> None:
    turns = [[call("get_units")], [call("get_units")], [TextPart("Done.")]]
    loop = Loop.model_validate({"stop": [{"cost_usd": 1}]})
    conversation = Conversation(
        loop, Models(*turns), PlayedTools(), LISTED, prices={"gpt-4o*": Price(1e6, 1e6)}
    )
    await conversation.answer("Why?", 1)
    reply = conversation.reply
    assert (reply.finish, reply.rounds) == ("stopped: cost_usd 1.0", 1)
    used = reply.usage
    assert used.cost_usd == (used.input_tokens or 0) + (used.output_tokens or 0)


async def test_each_step_has_the_model_tools_and_instructions_of_its_phase() -> None:
    loop = {
        "instructions": "Be kind.",
        "phases": [
            {"tools": ["get*"]},
            {"from": 1, "model": "openai/gpt-5", "tools": ["done"], "tool_choice": "required"},
            {"from": 2, "instructions": "Hurry.", "tools": [], "tool_choice": "required"},
        ],
        "completion": {"done": {}},
    }
    _, models = await converse(
        loop, [call("get_units")], [call("get_units")], [TextPart("It is fine.")]
    )
    assert models.names == ["", "openai/gpt-5", ""]
    assert models.seen == [
        (["get_units"], "auto", "Be kind."),
        (["done"], "required", "Be kind."),
        ([], "auto", "Be kind.\n\nHurry."),
    ]


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ModelHTTPError(429, "m", {"error": {"message": "slow"}}), AgentUnreachableError, "slow"),
        (ModelHTTPError(503, "m", "down"), AgentUnreachableError, "HTTP 503: down"),
        (ModelHTTPError(400, "m", {"message": "bad"}), AgentFailedError, "HTTP 400: bad"),
        (ModelAPIError("m", "refused"), AgentUnreachableError, "not reached: refused"),
        (UnexpectedModelBehavior("odd\nnext"), AgentFailedError, "be used: odd$"),
        (UnexpectedModelBehavior("5 validation errors for X"), AgentFailedError, "form of"),
        (TypeError("'NoneType' object is not iterable"), AgentFailedError, "another one"),
        ([], AgentFailedError, "not in the form of its provider"),
    ],
)
async def test_errors_of_the_model_say_whose_they_are(error: Any, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said):
        await converse({}, error)


class Client:
    """An MCP client, as far as the loop sees it."""

    def __init__(self, answers: Any = ()) -> None:
        self.answers = list(answers)

    async def list_tools(self) -> Any:
        tool = SimpleNamespace(name="get_units", description=None, input_schema=SCHEMA)
        return SimpleNamespace(tools=[tool])

    async def call_tool(self, _name: str, _arguments: Any) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_results_of_tools_are_values_texts_or_errors() -> None:
    from mcp import MCPError

    block = SimpleNamespace(text="12 degrees")
    tools = Tools(
        Client(
            [
                SimpleNamespace(structured_content={"a": 1}, is_error=False, content=[]),
                SimpleNamespace(structured_content=None, is_error=True, content=[block]),
                MCPError(-32602, "unknown tool"),
            ]
        )
    )
    assert [each.name for each in await tools.list_all()] == ["get_units"]
    assert [await tools.call("x", {}) for _ in range(3)] == [
        ({"a": 1}, False),
        ("12 degrees", True),
        ("unknown tool", True),
    ]
    assert await Tools().list_all() == ()


def driver(monkeypatch: pytest.MonkeyPatch, *turns: Any) -> ModelAgent:
    models = Models(*turns)
    monkeypatch.setattr(module, "make_model", lambda _name, _environment: models.get(""))
    return ModelAgent("openai/gpt-5", DriverOptions())


async def test_a_trial_has_a_conversation_of_all_its_turns(
    monkeypatch: pytest.MonkeyPatch, make_task: Callable[..., Task]
) -> None:
    transcript = Transcript()
    agent = driver(monkeypatch, [TextPart("One.")], [TextPart("Two.")])
    await agent.converse(make_task("First", "Second"), transcript)
    await agent.close()
    assert [reply.text for reply in transcript.replies] == ["One.", "Two."]
    assert [each.turn for each in transcript.attempts] == [1, 2]


async def test_what_was_done_before_an_error_is_kept(
    monkeypatch: pytest.MonkeyPatch, make_task: Callable[..., Task]
) -> None:
    transcript = Transcript()
    turns = ([TextPart("One moment."), call("drop")], ModelHTTPError(500, "m", None))
    with pytest.raises(AgentUnreachableError, match="HTTP 500"):
        await driver(monkeypatch, *turns).converse(make_task("First", "Second"), transcript)
    assert [each.name for each in transcript.replies[0].tool_calls] == ["drop"]
    assert "HTTP 500" in transcript.attempts[0].error
    bare = Transcript()
    with pytest.raises(AgentUnreachableError):
        await driver(monkeypatch, turns[1]).converse(make_task(), bare)
    assert bare.replies == []


async def test_a_model_without_a_key_was_not_reached(
    monkeypatch: pytest.MonkeyPatch, make_task: Callable[..., Task]
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    agent = ModelAgent("openai/gpt-5", DriverOptions())
    with pytest.raises(AgentUnreachableError, match="OPENAI_API_KEY"):
        await agent.converse(make_task(), Transcript())


async def test_a_server_of_tools_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, make_task: Callable[..., Task]
) -> None:
    @asynccontextmanager
    async def lost(_url: str) -> AsyncIterator[Tools]:
        raise ExceptionGroup("tasks", [ExceptionGroup("inner", [OSError("refused")])])
        yield

    monkeypatch.setattr(module, "served_tools", lost)
    with pytest.raises(AgentUnreachableError, match="not reached: OSError: refused"):
        await driver(monkeypatch).converse(make_task(), Transcript())


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("gpt-5", "names no provider and model"),
        ("nobody/gpt-5", "no provider 'nobody'"),
        ("openai/gpt-5?lop=x", "no option 'lop'"),
        ("openai/gpt-5?loop=missing.yaml", "missing.yaml"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(rest: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        ModelAgent(rest, DriverOptions())
