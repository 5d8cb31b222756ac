"""`understudy drift` against a live MCP server: a real program, and a real endpoint."""

import shlex
import sys
from asyncio import to_thread
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.messages.mcp_calls import McpCall, mcp_interaction
from mockserver.model import Cassette
from tests import mcp_program
from tests.captures import KEY
from tests.mockserver.fronts.mcp.conftest import Serve, serve
from tests.mockserver.fronts.mcp.test_tools import TOOLS

__all__ = ["serve"]

PROGRAM = shlex.join([sys.executable, str(mcp_program.__file__)])


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", KEY)


def drift(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["drift", *map(str, arguments)], catch_exceptions=False)


def recorded(path: Path, *, program: str = PROGRAM) -> Path:
    """A cassette of what the server lists, and of some calls."""
    CliRunner().invoke(
        app, ["capture", "mcp", "--command", program, "--output", str(path), "--list-only"],
        catch_exceptions=False,
    )  # fmt: skip

    said = {"content": [{"type": "text", "text": "x"}], "structuredContent": {"said": "x"}}
    calls = [
        McpCall("tools/call", {"name": "echo", "arguments": {"text": "x"}}, said),
        McpCall("tools/call", {"name": "echo", "arguments": {"text": "x"}}, said),
        McpCall("tools/call", {"name": "book", "arguments": {}}, said),
        McpCall(
            "tools/call",
            {"name": "echo", "arguments": {"text": "user-30273b32@d266aec7e.example.com"}},
            said,
        ),
        McpCall("tools/call", {"name": "old", "arguments": {}}, said),
        McpCall("resources/read", {"uri": "doc://a"}, {"contents": [{"uri": "a", "text": "b"}]}),
    ]
    made = (
        mcp_interaction(
            "words",
            call,
            reads=call.params["name"] == "echo" if "name" in call.params else True,
            recorded_at="2026-11-20T00:00:00Z",
            duration_ms=1.0,
        )
        for call in calls
    )
    whole = read_cassette(path)
    write_cassette(Cassette(path.name, (*whole.interactions, *made), whole.info), path)
    return path


def test_a_server_that_stayed_as_it_was_has_no_drift(tmp_path: Path) -> None:
    path = recorded(tmp_path / "words.yaml")
    before = path.read_bytes()
    done = drift(path, "--mcp-command", PROGRAM)
    assert done.exit_code == 0, done.output
    assert "no change" in done.stdout
    assert done.stderr.splitlines() == [
        "understudy: tools/call book: not asked: it may change something (--call-tools)",
        "understudy: tools/call echo: not asked: its arguments hold pseudonyms",
        "understudy: tools/call old: not asked: the live server does not list it",
    ]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_tools_that_changed_are_told(tmp_path: Path) -> None:
    path = recorded(tmp_path / "words.yaml")
    done = drift(path, "--mcp-command", f"{PROGRAM} --renamed --without-book", "--call-tools")
    assert done.exit_code == 13
    assert done.stdout.splitlines()[1:] == [
        "removed: tools.book: is not listed any more",
        "removed: tools.echo /inputSchema/properties/text: is gone",
        "value set changed: tools.echo /inputSchema/required: is gone",
        "added: tools.echo /inputSchema/properties/words: was not there",
        "2 removed, 1 value set changed, 1 added",
    ]


def test_tools_are_called_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = recorded(tmp_path / "words.yaml")
    done = drift(path, "--mcp-command", PROGRAM, "--call-tools")
    assert done.exit_code == 0, done.output
    assert "book" not in done.stderr


async def test_an_endpoint_is_compared_as_a_program_is(tmp_path: Path, serve: Serve) -> None:
    served = await serve(tools=TOOLS)
    path = await to_thread(recorded, tmp_path / "words.yaml")
    asked = path, "--mcp-url", served.endpoint(), "--header", "X-Key: none"
    done = await to_thread(drift, *asked)
    assert done.exit_code == 13
    assert "removed: tools.echo: is not listed any more" in done.stdout
    assert "added: tools.getWeather: was not listed" in done.stdout
    assert "value set changed: mcp.server /serverInfo/name: is understudy; was words" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--mcp-url", "http://h", "--mcp-command", "x"), "choose one: --mcp-url"),
        (("--call-tools",), "are about a live MCP server"),
        (("--header", "A: b"), "are about a live MCP server"),
        (("other.yaml", "--mcp-url", "http://h"), "more than one is given"),
        (("--mcp-command", PROGRAM), "has no recordings of an MCP server"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    path = tmp_path / "a.yaml"
    write_cassette(Cassette("a.yaml", ()), path)
    with pytest.raises(MockServerError, match=told):
        drift(path, *arguments)
