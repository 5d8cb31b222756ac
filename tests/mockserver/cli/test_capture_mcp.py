"""`understudy capture mcp`: real processes, between a client and a small server of plain JSON."""

import json
import os
import shlex
import signal
import subprocess
import sys
from asyncio import to_thread
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import read_cassette
from mockserver.cli.main import app
from mockserver.errors import CaptureError, MockServerError
from mockserver.messages.mcp_calls import McpCall, mcp_call
from tests import mcp_program
from tests.captures import KEY, CaptureProcess
from tests.mockserver.fronts.mcp.conftest import MODES, Serve, serve
from tests.mockserver.fronts.mcp.test_tools import TOOLS
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.slow

__all__ = ["serve"]

PROGRAM = shlex.join([sys.executable, str(mcp_program.__file__)])
HELLO = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
LIST = {"id": 1, "method": "tools/list"}


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": number}}
    return {"id": number, "method": "tools/call", "params": params}


class Capture:
    """A recorder between this test and a server."""

    def __init__(self, folder: Path, *options: str, program: str = PROGRAM) -> None:
        command = [sys.executable, "-m", "mockserver", "capture", "mcp", "--command", program]
        self.process = subprocess.Popen(
            [*command, "--cassette", "words.yaml", *options],
            cwd=folder,
            env={**os.environ, "MOCKSERVER_REDACTION_KEY": KEY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.say(message)
        while "method" in (found := self.hear()):
            pass
        return found

    def end(self) -> tuple[int, str]:
        """The exit code, and what was told on standard error."""
        output, errors = self.process.communicate(timeout=PATIENCE_S)
        assert output == ""
        return self.process.returncode, errors


def calls(path: Path) -> list[McpCall]:
    return [mcp_call(each) for each in read_cassette(path).interactions]


def invoke(*arguments: str) -> None:
    CliRunner().invoke(app, ["capture", "mcp", *arguments], catch_exceptions=False)


def test_a_program_is_recorded_between_it_and_its_client(tmp_path: Path) -> None:
    capture = Capture(tmp_path)
    assert capture.ask(HELLO)["result"]["serverInfo"]["name"] == "words"
    capture.ask(LIST)
    heard = capture.ask(call(2, "echo", text="hello"))
    assert mcp_program.EMAIL in json.dumps(heard)
    capture.say(call(3, "book", ask=True))
    notes = [capture.hear()["method"] for _ in range(2)]
    question = capture.hear()
    capture.say({"id": question["id"], "result": {"action": "accept", "content": {"seats": 2}}})
    assert capture.hear()["id"] == 3
    capture.ask(call(4, "none"))
    capture.say(call(5, "wait"))
    code, told = capture.end()
    assert code == 0, told
    assert "5 interactions recorded into words.yaml" in told
    assert "MCP tools/call: the capture ended before its answer" in told
    text = (tmp_path / "words.yaml").read_text()
    assert mcp_program.EMAIL not in text
    found = calls(tmp_path / "words.yaml")
    assert [each.method for each in found] == ["initialize", "tools/list", *["tools/call"] * 3]
    events = [(event["method"], event.get("answer")) for event in found[3].events]
    assert [name for name, _ in events] == [*notes, "elicitation/create"]
    assert events[-1][1] == {"result": {"action": "accept", "content": {"seats": 2}}}
    assert found[4].error == {"code": -32602, "message": "Unknown tool: none"}


def test_a_recorder_that_is_killed_loses_nothing_that_its_client_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Capture(tmp_path)
    for number in range(3):
        capture.ask(call(number, "echo", text=str(number)))
    capture.process.send_signal(signal.SIGKILL)
    capture.end()
    left = tmp_path / "words.recording.yaml"
    assert mcp_program.EMAIL.encode() not in left.read_bytes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    done = CliRunner().invoke(app, ["capture", "finish", "words.recording.yaml"])
    assert done.output == "words.yaml: 3 interactions\n"
    assert len(calls(tmp_path / "words.yaml")) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_client_that_ends_the_recorder_gets_a_whole_cassette(
    tmp_path: Path, number: signal.Signals
) -> None:
    capture = Capture(tmp_path)
    capture.ask(LIST)
    capture.process.send_signal(number)
    code, told = capture.end()
    assert code == 0, told
    assert len(calls(tmp_path / "words.yaml")) == 1


def test_what_is_asked_again_replaces_its_old_recording(tmp_path: Path) -> None:
    for options, words in (((), "one"), (("--mode", "refresh"), "two")):
        capture = Capture(tmp_path, *options)
        capture.ask(LIST)
        capture.ask(call(1, "echo", text=words))
        assert capture.end()[0] == 0
    found = calls(tmp_path / "words.yaml")
    assert sorted(each.method for each in found) == ["tools/call", "tools/call", "tools/list"]


@pytest.mark.parametrize("options", [(), ("--pages",)], ids=["at-once", "in-pages"])
def test_lists_are_recorded_without_a_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    path = tmp_path / "words.yaml"
    program = " ".join([PROGRAM, *options])
    invoke("--command", program, "--output", str(path), "--list-only")
    found = calls(path)
    lists = ["resources/list", "resources/templates/list", "prompts/list"]
    pages = [{}, {"cursor": "second"}][: 1 + len(options)]
    assert [each.method for each in found] == ["initialize", *["tools/list"] * len(pages), *lists]
    assert [each.params for each in found if each.method == "tools/list"] == pages
    tools = [tool["name"] for each in found for tool in (each.result or {}).get("tools", ())]
    assert tools == ["echo", "book", "fail", "wait"]


@pytest.mark.parametrize("mode", MODES)
async def test_an_endpoint_is_recorded_before_it(tmp_path: Path, serve: Serve, mode: str) -> None:
    served = await serve(tools=TOOLS)
    options = ("--url", served.endpoint(), "--cassette=weather.yaml", "--header", "X-Key: none")
    capture = await to_thread(CaptureProcess, tmp_path, *options, of="mcp")
    with capture:
        served.url = capture.url.removesuffix("/mcp")
        async with served.client(mode=mode) as client:
            await client.list_tools()
            answer = await client.call_tool("getWeather", {"city": "Bonn"})
        assert answer.structured_content == {"temp": 7}
        assert await to_thread(capture.end) == 0, capture.messages
    found = calls(tmp_path / "weather.yaml")
    hello = "initialize" if mode == "legacy" else "server/discover"
    assert [each.method for each in found] == [hello, "tools/list", "tools/call"]
    assert found[2].params == {"name": "getWeather", "arguments": {"city": "Bonn"}}


async def test_an_endpoint_is_asked_for_its_lists(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    served = await serve(tools=TOOLS)
    path = tmp_path / "weather.yaml"
    await to_thread(invoke, "--url", served.endpoint(), "--output", str(path), "--list-only")
    assert [each.method for each in calls(path)] == ["initialize", "tools/list"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "choose one: --url URL, or --command"),
        (("--url", "http://h/mcp", "--command", "x"), "choose one: --url URL, or --command"),
        (("--url", "ftp://h"), "the URL of an MCP server is no http or https URL"),
        (("--url", "http://h/mcp", "--header", "Bearer"), "'Bearer' is no header"),
        (("--command", "x", "--header", "A: b"), "--header goes with --url"),
        (("--command", "'x"), "--command cannot be read: No closing quotation"),
        (("--command", " "), "--command names no program"),
        (("--command", "x", "--mode", "none"), "--mode none is none of once, all, refresh"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    with pytest.raises(MockServerError, match=told):
        invoke("--output", str(tmp_path / "a.yaml"), *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (("--command", "no-such-program"), "No such file or directory"),
        (("--command", "no-such-program", "--list-only"), "No such file or directory"),
        (("--url", "http://127.0.0.1:9/mcp", "--list-only"), "cannot be asked"),
    ],
    ids=["program", "program-lists", "endpoint-lists"],
)
def test_a_server_that_is_not_there_is_told_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
    with pytest.raises(CaptureError, match=told):
        invoke(*target, "--output", str(tmp_path / "a.yaml"))
    assert list(tmp_path.iterdir()) == []


def test_a_cassette_that_is_there_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("kept")
    with pytest.raises(MockServerError, match="is there already") as error:
        invoke("--command", "x", "--output", str(path))
    assert "--mode all records it anew" in error.value.hint
    assert path.read_text() == "kept"


def test_a_server_that_ends_by_itself_ends_the_capture(tmp_path: Path) -> None:
    program = shlex.join([sys.executable, "-c", "print('no JSON')"])
    capture = Capture(tmp_path, program=program)
    output, _ = capture.process.communicate(timeout=PATIENCE_S)
    assert (capture.process.returncode, output) == (0, "no JSON\n")
    assert not (tmp_path / "words.yaml").exists()
