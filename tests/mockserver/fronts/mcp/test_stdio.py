"""MCP over standard input and output: a world of the command's own, and a session of a server."""

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.errors import MockServerError
from tests.mockserver.conftest import write_suite
from tests.mockserver.fronts.mcp.conftest import MODES, Serve
from tests.mockserver.fronts.mcp.test_tools import TOOLS
from tests.warm import programs


def command(*arguments: str, **environment: str) -> StdioServerParameters:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    measured = {name: value for name, value in os.environ.items() if name.startswith("COV")}
    return StdioServerParameters(
        command=str(programs() / "mockserver"),
        args=["mcp", *arguments],
        env={**kept, **measured, **environment},
        cwd=Path.cwd(),
    )


async def weather(parameters: StdioServerParameters, mode: str) -> list[Any]:
    async with Client(stdio_client(parameters), mode=mode) as client:
        found = await client.call_tool("getWeather", {"city": "Bonn"})
        units = await client.call_tool("listOrgUnits", {})
        with pytest.raises(MCPError, match="There is no tool 'nothing'"):
            await client.call_tool("nothing", {})
    return [found.structured_content, len((units.structured_content or {})["orgUnits"])]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_the_command_serves_a_world_of_its_own(tmp_path: Path, mode: str) -> None:
    suite = write_suite(tmp_path / "suite", tools=TOOLS)
    assert await weather(command(str(suite)), mode) == [{"temp": 7}, 2]
    if mode == "legacy":
        of_case = command(str(suite), "--case", "EC-001")
        assert await weather(of_case, mode) == [{"temp": 7}, 0]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["options", "environment"])
async def test_the_command_hands_on_to_a_session_of_a_server(
    serve: Serve, mode: str, way: str
) -> None:
    served = await serve(tools=TOOLS)
    session = served.open()
    asked = (
        command("--url", served.url, "--session", session.id)
        if way == "options"
        else command(MOCK_SERVER_URL=served.url, MOCK_SESSION=session.id)
    )
    assert await weather(asked, mode) == [{"temp": 7}, 2]
    called = [method for method, _, _ in served.calls(session, "tools.") if "list" not in method]
    assert called == ["tools.getWeather", "tools.nothing"]


async def test_what_the_server_refuses_is_told_to_the_client(serve: Serve) -> None:
    served = await serve()
    asked = command("--url", served.url, "--session", "nobody")
    process = await asyncio.create_subprocess_exec(
        asked.command, *asked.args, env=asked.env, stdin=PIPE, stdout=PIPE
    )
    said, _ = await process.communicate(b'{"jsonrpc":"2.0","id":7,"method":"initialize"}\n{no\n')
    refused, broken = (json.loads(line) for line in said.splitlines())
    assert (refused["id"], refused["error"]["code"]) == (7, -32600)
    assert "HTTP 404" in refused["error"]["message"]
    assert "nobody" in refused["error"]["message"]
    assert broken["error"] == {"code": -32700, "message": "a line is no JSON object"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("suite", "--url", "http://127.0.0.1:1"), "--url names a running server"),
        (("--cassette", "a.yaml", "--url", "http://127.0.0.1:1"), "--url names a running server"),
        (("--session", "s1"), "--session names a session of a running server"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[str, ...], told: str) -> None:
    with pytest.raises(MockServerError, match=told):
        CliRunner().invoke(app, ["mcp", *arguments], catch_exceptions=False)
