"""Tools over MCP: what is listed, what calling one answers, and what the journal holds of it."""

import signal
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.shared.exceptions import MCPError

from mockserver.model import Fault
from tests.mockserver.fronts.mcp.conftest import MODES, Serve

TOOLS: dict[str, Any] = {
    "getWeather": {
        "description": "Weather of a city.",
        "inputSchema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
        "responses": [
            {"when": {"city": "Bonn"}, "result": {"temp": 7}},
            {"when": {"city": "Rome"}, "result": "sunny"},
            {"when": {"city": "Oslo"}, "error": {"status": 503, "message": "no data"}},
        ],
    }
}


@pytest.mark.parametrize("mode", MODES)
async def test_a_tool_is_listed_and_called_and_journalled_as_over_http(
    serve: Serve, mode: str
) -> None:
    served = await serve(tools=TOOLS)
    async with served.client(mode=mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        answer = await client.call_tool("getWeather", {"city": "Bonn"})
    assert listed["getWeather"].description == "Weather of a city."
    assert listed["getWeather"].input_schema == TOOLS["getWeather"]["inputSchema"]
    assert answer.structured_content == {"temp": 7}
    assert [block.model_dump()["text"] for block in answer.content] == ['{"temp":7}']
    assert served.calls(prefix="tools.get") == [("tools.getWeather", {"city": "Bonn"}, 200)]


async def test_a_result_that_was_made_up_says_so(serve: Serve) -> None:
    method = "cloudbilling.services.list"
    made = {"description": "", "call": {"method": method, "params": {}}}
    served = await serve(tools=TOOLS | {"getServices": made})
    session = served.open(sources=("stub", "state", "synthesis"))
    async with served.client(session) as client:
        services = await client.call_tool("getServices", {})
        weather = await client.call_tool("getWeather", {"city": "Bonn"})
    assert services.meta == {"x-mock-source": "synthesis"}
    assert weather.meta is None
    sources = {each.method_id: each.source for each in session.journal.entries()}
    assert (sources["tools.getServices"], sources[method]) == ("synthesis", "synthesis")
    assert sources["tools.getWeather"] == "state"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"city": "Oslo"}, "no data"),
        ({"city": 7}, "7 is not of type 'string'"),
        ({}, "'city' is a required property"),
        ({"city": "Lima"}, "No response of the tool 'getWeather' is for these arguments."),
    ],
)
async def test_what_a_tool_refuses_is_an_error_that_the_model_reads(
    serve: Serve, arguments: dict[str, Any], text: str
) -> None:
    served = await serve(tools=TOOLS)
    async with served.client() as client:
        answer = await client.call_tool("getWeather", arguments)
    assert answer.is_error
    assert answer.content[0].model_dump()["text"].startswith(text)


@pytest.mark.parametrize("mode", MODES)
async def test_an_unknown_tool_is_an_error_of_the_protocol(serve: Serve, mode: str) -> None:
    served = await serve(tools=TOOLS)
    async with served.client(mode=mode) as client:
        with pytest.raises(MCPError, match="Did you mean 'getWeather'") as raised:
            await client.call_tool("getWether", {})
    assert raised.value.error.code == -32602
    assert served.calls(prefix="tools.getWether") == [("tools.getWether", {}, 404)]


async def test_faults_apply_to_calls_over_mcp(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    session = served.open(faults=[Fault(method="tools.getWeather", status=429, message="slow")])
    async with served.client(session) as client:
        answer = await client.call_tool("getWeather", {"city": "Bonn"})
    assert (answer.is_error, answer.content[0].model_dump()["text"]) == (True, "slow")


async def test_two_clients_in_two_sessions_never_meet(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    one, other = served.open(), served.open(case="EC-001")
    async with served.client(one) as first, served.client(other) as second:
        units = [await each.call_tool("listOrgUnits", {}) for each in (first, second)]
    assert [len((each.structured_content or {})["orgUnits"]) for each in units] == [2, 0]
    assert (
        served.calls(one, "tools.listO")
        == served.calls(other, "tools.listO")
        == [("tools.listOrgUnits", {}, 200)]
    )
    assert served.calls() == []


async def test_a_connection_of_one_session_is_unknown_in_another(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    one, other = served.open(), served.open()
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    headers = {"accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers) as http:
        opened = await http.post(served.endpoint(one), json=hello)
        named = {"mcp-session-id": opened.headers["mcp-session-id"]}
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        answers = [
            await http.post(served.endpoint(each), json=ping, headers=named)
            for each in (one, other, None)
        ]
    assert [answer.status_code for answer in answers] == [200, 404, 404]


@pytest.mark.parametrize("way", ["header", "token"])
async def test_a_session_is_named_as_over_http(serve: Serve, way: str) -> None:
    served = await serve(tools=TOOLS)
    session = served.open()
    named = {
        "header": {"x-mock-session": session.id},
        "token": {"authorization": f"Bearer {session.token}"},
    }
    async with served.client(headers=named[way]) as client:
        await client.call_tool("getWeather", {"city": "Rome"})
    assert served.calls(session, "tools.get") == [("tools.getWeather", {"city": "Rome"}, 200)]


async def test_a_closed_session_lets_go_of_its_clients(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    session = served.open()
    async with served.client(session) as client:
        await client.list_tools()
        served.application.sessions.end(session)
        with pytest.raises(MCPError):
            await client.list_tools()
    async with httpx2.AsyncClient() as http:
        assert (await http.post(served.endpoint(session), json={})).status_code == 410
        assert (await http.post(f"{served.url}/s/nobody/mcp", json={})).status_code == 404


async def test_another_server_that_ends_in_this_process_ends_no_stream(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sse_starlette.sse.AppStatus.should_exit", True)
    served = await serve(tools=TOOLS)
    async with served.client(mode="legacy") as client:
        assert (await client.list_tools()).tools
        uvicorn.Server(uvicorn.Config(served.application)).handle_exit(signal.SIGTERM, None)
        assert (await client.list_tools()).tools


STUB = {"method": "POST", "url": "/tools/getWeather"}


@pytest.mark.parametrize(
    ("answer", "told", "is_error"),
    [
        ({"body": {"result": {"temp": 1}}}, '{"temp":1}', False),
        ({"body": {"temp": 2, "result": 1}}, '{"temp":2,"result":1}', False),
        ({"body": "plain"}, "plain", False),
        ({"status": 503, "body": {"error": {"message": "no data"}}}, "no data", True),
        ({"status": 503, "body": "closed"}, "closed", True),
        ({"match": {"body": {"city": "Rome"}}, "body": {}}, '{"temp":7}', False),
    ],
    ids=["result", "object", "text", "error", "text-error", "for-others"],
)
async def test_a_stub_of_a_tool_answers_over_mcp_too(
    serve: Serve, answer: dict[str, Any], told: str, is_error: bool
) -> None:
    served = await serve(tools=TOOLS, http=[{**STUB, **answer}])
    async with served.client() as client:
        found = await client.call_tool("getWeather", {"city": "Bonn"})
    assert (found.content[0].model_dump()["text"], found.is_error) == (told, is_error)
    entries = served.application.sessions.get("default").journal.as_json("")["entries"]
    [source] = [each["source"] for each in entries if each["method_id"] == "tools.getWeather"]
    assert source == ("state" if "match" in answer else "stub")
