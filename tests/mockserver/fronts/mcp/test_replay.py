"""Sessions with recordings of MCP servers list and answer as these did."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from typer.testing import CliRunner

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.body_files import bodies_folder
from mockserver.cli.main import app
from mockserver.messages.mcp_calls import McpCall, mcp_interaction
from mockserver.model import BodyFile, Cassette, Fault
from mockserver.sessions.session import Session
from tests.mockserver.fronts.mcp.conftest import MODES, Serve, Served
from tests.mockserver.fronts.mcp.test_stdio import command

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}},
    "serverInfo": {"name": "words", "version": "3"},
    "instructions": "Say it.",
}
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
ECHO = {"name": "echo", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
BOOK = {"name": "book", "inputSchema": {"type": "object"}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def tool(
    name: str, words: str, *events: dict[str, Any], error: Any = None, **arguments: Any
) -> McpCall:
    params = {"name": name, "arguments": arguments}
    return McpCall("tools/call", params, None if error else text(words), error, events)


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"method": f"notifications/{method}", "params": params, "atMs": 1.0}


LISTS = (
    McpCall("initialize", {}, HELLO),
    McpCall("tools/list", {}, {"tools": [ECHO], "nextCursor": "second"}),
    McpCall("tools/list", {"cursor": "second"}, {"tools": [BOOK]}),
)
OTHERS = (
    McpCall("resources/list", {}, {"resources": [{"uri": "doc://a", "name": "a"}]}),
    McpCall("resources/templates/list", {}, {"resourceTemplates": []}),
    McpCall(
        "resources/read", {"uri": "doc://a"}, {"contents": [{"uri": "doc://a", "text": "Be kind."}]}
    ),
    McpCall("prompts/list", {}, {"prompts": [{"name": "plan"}]}),
    McpCall(
        "prompts/get",
        {"name": "plan", "arguments": {"city": "Rome"}},
        {"messages": [{"role": "user", "content": {"type": "text", "text": "Plan it."}}]},
    ),
    McpCall(
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "plan"}, "argument": {"name": "city", "value": "B"}},
        {"completion": {"values": ["Bonn"]}},
    ),
)
CALLS = (
    tool("echo", "hello", text="hello"),
    tool("echo", "bye", text="bye"),
    tool("book", "first", city="Bonn"),
    tool("book", "second", city="Bonn"),
    tool("none", "", error={"code": -32602, "message": "Unknown tool: none", "data": {"a": 1}}),
)


def write(
    path: Path, *calls: McpCall, server: str = "words", reads: Mapping[str, bool] | None = None
) -> Path:
    """A cassette of some calls; `echo` only reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = reads or {"echo": True}
    made = tuple(
        mcp_interaction(
            server,
            call,
            reads=call.method != "tools/call" or known.get(call.params["name"], False),
            recorded_at="2026-11-20T00:00:00Z",
            duration_ms=1.0,
        )
        for call in calls
    )
    write_cassette(Cassette(path.name, made), path)
    return path


async def replaying(
    serve: Serve, folder: Path, *calls: McpCall, spec: Any = None, **snapshot: Any
) -> tuple[Served, Session]:
    served = await serve(**snapshot)
    write(folder / "suite" / "cassettes" / "words.yaml", *calls)
    return served, served.open(cassettes=["words"], pace=0, **(spec or {}))


def words(answer: Any) -> str:
    """The text of a result."""
    found: str = answer.content[0].model_dump()["text"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_a_recorded_server_is_served_as_it_was(
    serve: Serve, tmp_path: Path, mode: str
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, *OTHERS, *CALLS)
    async with served.client(session, mode=mode) as client:
        first = await client.list_tools()
        second = await client.list_tools(cursor=first.next_cursor)
        told = [words(await client.call_tool("book", {"city": "Bonn"})) for _ in range(2)]
        again = [words(await client.call_tool("echo", {"text": "hello"})) for _ in range(3)]
        resources = await client.list_resources()
        templates = await client.list_resource_templates()
        read = await client.read_resource("doc://a")
        prompts = await client.list_prompts()
        prompt = await client.get_prompt("plan", {"city": "Rome"})
        ref: Any = {"type": "ref/prompt", "name": "plan"}
        values = await client.complete(ref, {"name": "city", "value": "B"})
        with pytest.raises(MCPError, match="Unknown tool: none") as refused:
            await client.call_tool("none", {})
        if mode == "legacy":
            assert client.server_info is not None
            assert (client.server_info.name, client.instructions) == ("words", "Say it.")
    assert [each.name for page in (first, second) for each in page.tools] == ["echo", "book"]
    assert first.tools[0].input_schema == SCHEMA
    assert told == ["first", "second"]
    assert again == ["hello"] * 3
    assert [str(each.uri) for each in resources.resources] == ["doc://a"]
    assert templates.resource_templates == []
    assert read.contents[0].model_dump()["text"] == "Be kind."
    assert [each.name for each in prompts.prompts] == ["plan"]
    assert prompt.messages[0].content.model_dump()["text"] == "Plan it."
    assert values.completion.values == ["Bonn"]
    assert (refused.value.error.code, refused.value.error.data) == (-32602, {"a": 1})
    called = served.calls(session, "tools.book")
    assert called == [("tools.book", {"city": "Bonn"}, 200)] * 2
    assert {entry[0] for entry in served.calls(session, "mcp.")} == {
        "mcp.completion.complete", "mcp.prompts.get", "mcp.prompts.list", "mcp.resources.list",
        "mcp.resources.read", "mcp.resources.templates.list",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "echo",
            {"text": "hallo"},
            "nearest: QUERY mcp://words/tools/call/echo (#4 of words.yaml), differs in"
            " arguments.text; `match: ignore` of the cassette leaves out what does not matter; to"
            " add one: understudy cassette stub",
        ),
        ("echo", {}, "differs in arguments.text"),
        ("book", {"city": "Bonn"}, "every recording of this request has been played"),
    ],
)  # fmt: skip
async def test_a_miss_tells_the_nearest_recording_and_what_differs(
    serve: Serve, tmp_path: Path, name: str, arguments: dict[str, Any], told: str
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, *CALLS)
    async with served.client(session) as client:
        for _ in range(2):
            await client.call_tool("book", {"city": "Bonn"})
        answer = await client.call_tool(name, arguments)
    assert answer.is_error
    assert words(answer).startswith("Replay miss: ")
    assert told in words(answer)
    entry = session.journal.as_json(session.id)["entries"][-1]
    assert (entry["status"], entry["method_id"]) == (424, f"tools.{name}")
    assert entry["miss"]["blame"] == "replay_miss"
    assert entry["body"] == arguments


async def test_a_tool_that_was_neither_listed_nor_called_is_unknown(
    serve: Serve, tmp_path: Path
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, *CALLS)
    async with served.client(session) as client:
        with pytest.raises(MCPError, match=r"no tool 'ecko'\. Did you mean 'echo'") as error:
            await client.call_tool("ecko", {"text": "x"})
    assert error.value.error.code == -32602
    entry = session.journal.as_json(session.id)["entries"][-1]
    assert (entry["method_id"], entry["miss"]["blame"]) == ("tools.ecko", "agent_error")


async def test_lists_that_were_not_recorded_are_a_miss(serve: Serve, tmp_path: Path) -> None:
    served, session = await replaying(serve, tmp_path, CALLS[0], CALLS[2])
    async with served.client(session) as client:
        missed = words(await client.call_tool("book", {"city": "Rome"}))
        with pytest.raises(MCPError, match="Replay miss: no recording"):
            await client.list_tools()
        with pytest.raises(MCPError, match="Method not found"):
            await client.list_resources()
    assert "nearest: POST mcp://words/tools/call/book" in missed
    calls = served.calls(session)
    assert ("tools.list", {}, 424) in calls


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize("mode", MODES)
async def test_what_was_said_before_an_answer_is_said_again(
    serve: Serve, tmp_path: Path, mode: str
) -> None:
    notes = (
        note("progress", progress=1, total=2, message="asks"),
        note("message", level="warning", data="slow", logger="words"),
        note("message", level="debug", data="too quiet"),
        note("tools/list_changed"),
        note("resources/updated", uri="doc://a"),
        note("of_another_kind"),
        note("progress", progress=2, total=2),
    )
    served, session = await replaying(serve, tmp_path, *LISTS, tool("book", "done", *notes))
    heard: list[Any] = []

    async def follow(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def log(params: Any) -> None:
        heard.append(params.data)

    async with served.client(session, mode=mode, logging_callback=log) as client:
        if mode == "legacy":
            await client.session.set_logging_level("warning")
        answer = await client.call_tool("book", {}, progress_callback=follow)
    assert words(answer) == "done"
    expected = [(1.0, 2.0, "asks"), "slow", (2.0, 2.0, None)]
    assert [each for each in heard if each != "slow"] == [expected[0], expected[2]]
    assert ("slow" in heard) == (mode == "legacy")


def question(seats: int) -> dict[str, Any]:
    return {
        "method": "elicitation/create",
        "params": {"message": "How many?", "requestedSchema": {"type": "object", "properties": {}}},
        "answer": {"result": {"action": "accept", "content": {"seats": seats}}},
    }


@pytest.mark.parametrize(
    ("seats", "told"), [(2, "booked"), (3, "answered otherwise than when it was recorded")]
)
async def test_who_was_asked_is_asked_again(
    serve: Serve, tmp_path: Path, seats: int, told: str
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, tool("book", "booked", question(2)))
    asked: list[str] = []

    async def elicit(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"seats": seats})

    async with served.client(session, elicitation_callback=elicit) as client:
        answer = await client.call_tool("book", {})
    assert asked == ["How many?"]
    assert told in words(answer)
    assert answer.is_error == (seats != 2)


@pytest.mark.parametrize(
    ("mode", "told"), [("legacy", "The client did not answer"), ("auto", "booked")]
)
async def test_who_cannot_be_asked_is_told_so_or_gets_what_was_recorded(
    serve: Serve, tmp_path: Path, mode: str, told: str
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, tool("book", "booked", question(2)))
    async with served.client(session, mode=mode) as client:
        assert told in words(await client.call_tool("book", {}))


async def test_tools_of_the_snapshot_come_before_recorded_ones(
    serve: Serve, tmp_path: Path
) -> None:
    prepared = {
        "echo": {"description": "Ours.", "responses": [{"result": "ours"}]},
        "more": {"responses": [{"result": "more"}]},
    }
    served, session = await replaying(serve, tmp_path, *LISTS, *CALLS, tools=prepared)
    async with served.client(session) as client:
        pages = [await client.list_tools(), await client.list_tools(cursor="second")]
        told = [words(await client.call_tool(name, {})) for name in ("echo", "more")]
        book = words(await client.call_tool("book", {"city": "Bonn"}))
    assert [[tool.name for tool in page.tools] for page in pages] == [[], ["book", "echo", "more"]]
    assert (told, book) == (["ours", "more"], "first")


async def test_faults_apply_to_recorded_tools(serve: Serve, tmp_path: Path) -> None:
    served, _ = await replaying(serve, tmp_path, *LISTS, *CALLS)
    session = served.open(
        cassettes=["words"], faults=[Fault(method="tools.echo", status=429, message="slow")]
    )
    async with served.client(session) as client:
        answer = await client.call_tool("echo", {"text": "hello"})
        assert (answer.is_error, words(answer)) == (True, "slow")
        assert words(await client.call_tool("book", {"city": "Bonn"})) == "first"


async def test_two_recorded_servers_are_one_server_of_a_session(
    serve: Serve, tmp_path: Path
) -> None:
    served, _ = await replaying(serve, tmp_path, *LISTS, *CALLS)
    other = McpCall("tools/list", {}, {"tools": [{"name": "add", "inputSchema": SCHEMA}]})
    folder = tmp_path / "suite" / "cassettes"
    write(folder / "sums.yaml", other, tool("add", "three", a=1, b=2), server="sums")
    session = served.open(cassettes=["words", "sums"])
    async with served.client(session) as client:
        assert words(await client.call_tool("add", {"a": 1, "b": 2})) == "three"
        assert words(await client.call_tool("echo", {"text": "bye"})) == "bye"
        missed = words(await client.call_tool("add", {"a": 1, "b": 3}))
    assert "nearest: POST mcp://sums/tools/call/add (#2 of sums.yaml)" in missed
    assert "differs in arguments.b" in missed


async def test_what_nobody_asked_for_is_told_without_the_greeting(
    serve: Serve, tmp_path: Path
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, CALLS[0])
    async with served.client(session) as client:
        await client.call_tool("echo", {"text": "hello"})
    assert session.replay is not None
    left = [(each["url"], each["number"]) for each in session.replay.unused()]
    assert ("mcp://words/initialize", 1) not in left
    assert session.replay.known.hosts == frozenset()


async def test_a_recording_that_is_no_result_is_told(serve: Serve, tmp_path: Path) -> None:
    bad = McpCall("tools/call", {"name": "book", "arguments": {}}, {"content": 7})
    served, session = await replaying(serve, tmp_path, *LISTS, bad)
    async with served.client(session) as client:
        with pytest.raises(MCPError, match="what was recorded is no CallToolResult: content"):
            await client.call_tool("book", {})


async def test_a_recording_that_somebody_spoiled_is_told(serve: Serve, tmp_path: Path) -> None:
    served, _ = await replaying(serve, tmp_path)
    path = tmp_path / "suite" / "cassettes" / "words.yaml"
    whole = read_cassette(write(path, *LISTS, tool("book", "x")))
    *good, last = whole.interactions
    spoiled = replace(last, response=replace(last.response, body=b'{"told": 1}'))
    write_cassette(replace(whole, interactions=(*good, spoiled)), path)
    async with served.client(served.open(cassettes=["words"])) as client:
        assert "words.yaml#4 cannot be played" in words(await client.call_tool("book", {}))


async def test_an_answer_in_a_file_is_read_from_there(serve: Serve, tmp_path: Path) -> None:
    served, _ = await replaying(serve, tmp_path)
    path = tmp_path / "suite" / "cassettes" / "words.yaml"
    whole = read_cassette(write(path, *LISTS, tool("book", "from a file")))
    *others, last = whole.interactions
    body = last.response.body
    kept = BodyFile(sha256(body).hexdigest(), len(body), str(bodies_folder(path)))
    file = bodies_folder(path) / f"{kept.digest}.bin"
    file.parent.mkdir()
    file.write_bytes(body)
    filed = replace(last, response=replace(last.response, body=b"", file=kept))
    write_cassette(replace(whole, interactions=(*others, filed)), path)
    async with served.client(served.open(cassettes=["words"])) as client:
        assert words(await client.call_tool("book", {})) == "from a file"
    session = served.open(cassettes=["words"])
    file.unlink()
    async with served.client(session) as client:
        answer = await client.call_tool("book", {})
    assert answer.is_error
    assert file.name in words(answer)


async def test_the_command_that_a_miss_tells_adds_what_is_missing(
    serve: Serve, tmp_path: Path
) -> None:
    served, session = await replaying(serve, tmp_path, *LISTS, *CALLS)
    async with served.client(session) as client:
        missed = words(await client.call_tool("book", {"city": "Rome"}))
    told = shlex.split(missed.partition("; to add one: ")[2])
    done = CliRunner().invoke(app, told[1:])
    assert done.exit_code == 0, done.output
    async with served.client(served.open(cassettes=["words"])) as client:
        assert words(await client.call_tool("book", {"city": "Rome"})) == "first"


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_the_command_replays_over_standard_streams(tmp_path: Path, mode: str) -> None:
    path = write(tmp_path / "words.yaml", *LISTS, *CALLS)
    started = command("--cassette", str(path))
    async with Client(stdio_client(started), mode=mode) as client:
        assert [each.name for each in (await client.list_tools()).tools] == ["echo"]
        assert words(await client.call_tool("echo", {"text": "bye"})) == "bye"
        assert "differs in arguments.text" in words(await client.call_tool("echo", {"text": "?"}))
