"""Tools that ask the client, log, say how far they are, and change what is listed."""

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageResult, ElicitResult, TextContent

from tests.mockserver.fronts.mcp.conftest import MODES, Serve
from tests.patience import PATIENCE_S

SEATS = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}
TOOLS: dict[str, Any] = {
    "book": {
        "inputSchema": {"type": "object", "required": ["seats"]},
        "responses": [
            {"when": {"seats": 2}, "result": {"booked": 2}},
            {"when": {"summary": "short"}, "result": "noted"},
            {"when": {"answer": {"action": "decline"}}, "result": "as you wish"},
        ],
    },
    "open": {"responses": [{"result": "opened"}]},
    "secret": {"responses": [{"result": "42"}]},
}


def asking(**step: Any) -> dict[str, Any]:
    step = {"message": "How many, {{ who }}?", "requestedSchema": SEATS, **step}
    return {"tools": {"book": {"elicit": [step]}}}


class User:
    """The user and the model of a client."""

    def __init__(self, action: str = "accept") -> None:
        self.action = action
        self.asked: list[str] = []

    async def elicit(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        content = {"seats": 2} if self.action == "accept" else None
        return ElicitResult.model_validate({"action": self.action, "content": content})

    async def sample(self, context: Any, params: Any) -> CreateMessageResult:
        self.asked.append(params.messages[0].content.text)
        said = TextContent(type="text", text="short")
        return CreateMessageResult(role="assistant", content=said, model="m")


@pytest.mark.parametrize("mode", MODES)
async def test_what_a_user_answers_is_an_argument(serve: Serve, mode: str) -> None:
    served = await serve(tools=TOOLS, mcp=asking(unless=["seats"]))
    user = User()
    async with served.client(mode=mode, elicitation_callback=user.elicit) as client:
        answer = await client.call_tool("book", {"who": "Ann"})
        again = await client.call_tool("book", {"who": "Ann", "seats": 2})
    assert answer.structured_content == again.structured_content == {"booked": 2}
    assert user.asked == ["How many, Ann?"]
    called = served.calls(prefix="tools.book")
    assert called == [("tools.book", {"who": "Ann", "seats": 2}, 200)] * 2


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({}, "The user did not agree: decline."),
        ({"declined": "Nothing was booked."}, "Nothing was booked."),
        ({"into": "answer"}, "as you wish"),
    ],
)
async def test_a_user_may_decline(serve: Serve, step: dict[str, Any], text: str) -> None:
    tools = {**TOOLS, "book": {**TOOLS["book"], "inputSchema": {"type": "object"}}}
    served = await serve(tools=tools, mcp=asking(**step))
    async with served.client(elicitation_callback=User("decline").elicit) as client:
        answer = await client.call_tool("book", {"who": "Ann"})
    assert (answer.is_error, answer.content[0].model_dump()["text"]) == (False, text)


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_asks_nobody_gets_the_script_s_answer(serve: Serve, mode: str) -> None:
    served = await serve(tools=TOOLS, mcp=asking(otherwise={"content": {"seats": 2}}))
    async with served.client(mode=mode) as client:
        answer = await client.call_tool("book", {"who": "Ann"})
    assert answer.structured_content == {"booked": 2}


@pytest.mark.parametrize("mode", MODES)
async def test_without_one_the_tool_says_whom_it_has_to_ask(serve: Serve, mode: str) -> None:
    served = await serve(tools=TOOLS, mcp=asking())
    async with served.client(mode=mode) as client:
        answer = await client.call_tool("book", {"who": "Ann"})
    assert answer.is_error
    assert "has to ask the user" in answer.content[0].model_dump()["text"]
    assert served.calls(prefix="tools.book") == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("asks", [True, False])
async def test_what_a_model_answers_is_an_argument(serve: Serve, mode: str, asks: bool) -> None:
    step = {"prompt": "Sum up {{ text }}", "into": "summary", "otherwise": "short"}
    tools = {"note": {"responses": TOOLS["book"]["responses"]}}
    served = await serve(tools=tools, mcp={"tools": {"note": {"sample": [step]}}})
    user = User()
    options: dict[str, Any] = {"sampling_callback": user.sample} if asks else {}
    async with served.client(mode=mode, **options) as client:
        answer = await client.call_tool("note", {"text": "this"})
    assert answer.content[0].model_dump()["text"] == "noted"
    assert user.asked == (["Sum up this"] if asks else [])


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
async def test_logs_and_progress_come_before_the_answer(serve: Serve) -> None:
    script = {
        "log": [{"level": "debug", "data": "quiet"}, {"level": "error", "data": {"n": 1}}],
        "progress": [{"progress": 1, "total": 2, "message": "half"}, {"progress": 2, "total": 2}],
    }
    served = await serve(tools=TOOLS, mcp={"tools": {"open": script}})
    logged: list[Any] = []
    steps: list[Any] = []

    async def log(params: Any) -> None:
        logged.append((params.level, params.data))

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    async with served.client(logging_callback=log) as client:
        await client.call_tool("open", {}, progress_callback=note_progress)
        await client.session.set_logging_level("error")
        await client.call_tool("open", {})
    assert logged == [("debug", "quiet"), ("error", {"n": 1}), ("error", {"n": 1})]
    assert steps == [(1, 2, "half"), (2, 2, None)]


async def test_a_call_reveals_a_tool_and_says_so(serve: Serve) -> None:
    mcp = {"tools": {"open": {"reveals": {"tools": ["secret"]}}}}
    served = await serve(tools=TOOLS, mcp=mcp)
    told: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: Any) -> None:
        told.put_nowait(getattr(message, "method", type(message).__name__))

    async with served.client(message_handler=note) as client:
        before = {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError, match="no tool 'secret' yet"):
            await client.call_tool("secret", {})
        await client.call_tool("open", {})
        async with asyncio.timeout(PATIENCE_S):
            assert "tools/list_changed" in await told.get()
        after = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
        served.application.sessions.get("default").reset()
        again = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
    assert (after - before, again) == ({"secret"}, before)


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
async def test_who_subscribed_to_a_resource_is_told_of_its_change(serve: Serve) -> None:
    mcp = {"tools": {"open": {"updates": ["a://b"]}}, "resources": {"a://b": {"text": "x"}}}
    served = await serve(tools=TOOLS, mcp=mcp)
    told: list[Any] = []

    async def note(message: Any) -> None:
        told.append(message.params.uri)

    async with served.client(message_handler=note) as client:
        await client.call_tool("open", {})
        await client.session.subscribe_resource("a://b")
        await client.call_tool("open", {})
        await client.session.unsubscribe_resource("a://b")
        await client.call_tool("open", {})
    assert told == ["a://b"]


async def test_a_cancelled_call_ends(serve: Serve) -> None:
    served = await serve(tools=TOOLS, mcp={"tools": {"open": {"delayMs": 60_000}}})
    async with served.client() as client:
        with pytest.raises(MCPError):
            await client.call_tool("open", {}, read_timeout_seconds=0.2)
        answer = await client.call_tool("secret", {})
    assert answer.content[0].model_dump()["text"] == "42"
    assert served.calls(prefix="tools.open") == []
