"""The tools of a developer: the control API of a running server, and the files of its suite."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from typer.testing import CliRunner

from mockserver.cli.main import app
from mockserver.cli.mcp_control import TOOLS as CONTROL_TOOLS
from mockserver.cli.mcp_control import Control, control_server
from mockserver.errors import MockServerError
from tests.mockserver.fronts.mcp.conftest import Serve
from tests.mockserver.fronts.mcp.test_tools import TOOLS
from tests.warm import forked_command


async def asked(client: Client, name: str, **arguments: Any) -> Any:
    answer = await client.call_tool(name, arguments)
    text = answer.content[0].model_dump()["text"]
    return text if answer.is_error else json.loads(text)


async def test_a_miss_is_explained_and_mended(serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    async with Client(control_server(Control(served.url, "")), mode="legacy") as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        opened = await asked(client, "open_session", case="EC-001")
        session = served.application.sessions.get(opened["id"])
        async with served.client(session) as agent:
            await agent.call_tool("getWeather", {"city": "Lima"})
        (miss,) = await asked(client, "explain_misses", session=session.id)
        mended = {"tools": {"getWeather": {"responses": [{"result": "rain"}]}}}
        written = await asked(client, "write_fixture", case="EC-001", snapshot=mended)
        again = await asked(client, "open_session", case="EC-001")
        async with served.client(served.application.sessions.get(again["id"])) as agent:
            answer = await agent.call_tool("getWeather", {"city": "Lima"})
        entries = await asked(client, "read_journal", session=session.id)
        report = await asked(client, "close_session", session=session.id)
        gone = await asked(client, "read_diff", session=session.id)
    assert listed == list(CONTROL_TOOLS)
    assert (miss["method"], miss["blame"]) == ("tools.getWeather", "fixture_gap")
    assert miss["mend"].startswith('add {"when": {"city": "Lima"}')
    assert written["written"].endswith("EC-001/overrides.json")
    assert answer.content[0].model_dump()["text"] == "rain"
    assert [entry["method_id"] for entry in entries][-1] == "tools.getWeather"
    assert report["id"] == session.id
    assert "closed" in gone


async def test_mistakes_are_told(serve: Serve) -> None:
    served = await serve()
    async with Client(control_server(Control(served.url, "")), mode="legacy") as client:
        assert "unknown case" in await asked(client, "open_session", case="EC-9")
        assert await asked(client, "read_diff") == "session must be given"
        outside = await asked(client, "write_fixture", case="../x", snapshot={"a": 1})
        with pytest.raises(MCPError, match="did you mean 'read_diff'"):
            await client.call_tool("read_dif", {})
    assert outside == "no case can be called '../x'"


def test_the_tools_of_a_developer_are_of_a_running_server() -> None:
    with pytest.raises(MockServerError, match="--control is for a running server"):
        CliRunner().invoke(app, ["mcp", "suite", "--control"], catch_exceptions=False)


SUITE = str(Path("fixtures/chrome-enterprise").resolve())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "agent", "status", "told"),
    [
        ("EC-001", "oracle", 0, "trials 1/1"),
        ("EC-001", "null", 1, "EC-001"),
        ("EC-999", "oracle", 2, "EC-999"),
    ],
    ids=["passes", "fails", "unknown"],
)
async def test_a_case_is_run_and_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, agent: str, status: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mockserver.cli.mcp_control.child_command", forked_command)
    control = control_server(Control("http://127.0.0.1:1", ""))
    async with Client(control, mode="legacy") as client:
        done = await asked(client, "run_case", suite=SUITE, case=case, agent=agent)
        missing = await asked(client, "run_case", suite=SUITE, case=case)
    assert done["status"] == status, done["output"]
    assert told in done["output"]
    assert "Traceback" not in done["output"]
    assert missing == "agent must be given"


async def test_a_run_that_takes_too_long_is_ended_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mockserver.cli.mcp_control._PATIENCE_S", 0.001)
    control = control_server(Control("http://127.0.0.1:1", ""))
    async with Client(control, mode="legacy") as client:
        told = await asked(client, "run_case", suite=SUITE, case="EC-001", agent="oracle")
    assert told == "the run took more than 0.001 s"
