"""`understudy mcp --control`: what a developer does by hand, as tools of a coding assistant.

It needs the control token, which no environment block of a session holds.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from mockserver import __version__
from mockserver.children import child_command
from mockserver.errors import MockServerError
from mockserver.model import JsonObject, did_you_mean
from mockserver.storage import overlay

_PATIENCE_S = 600
_LONGEST = 40_000
_TEXT: JsonObject = {"type": "string"}
_SESSION: JsonObject = {"session": {**_TEXT, "description": "The id of a session."}}


class Control:
    """Answers the tools by the control API of a server and by the files of its suite.

    Args:
        url: The server.
        token: Its control token.
    """

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def ask(self, verb: str, path: str, content: Any = None) -> Any:
        """One request of the control API; its answer.

        Raises:
            MockServerError: It refuses, or does not answer.
        """
        try:
            async with httpx.AsyncClient(headers=self._headers, trust_env=False) as client:
                answer = await client.request(verb, f"{self._url}/_mock{path}", json=content)
            found = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise MockServerError(f"the mock server does not answer: {error!r}") from error
        if answer.is_error:
            told = found["error"]
            raise MockServerError(told["message"], hint=told["hint"])
        return found

    async def open_session(self, arguments: JsonObject) -> Any:
        """A session, as SessionInfo."""
        return await self.ask("POST", "/sessions", arguments)

    async def close_session(self, arguments: JsonObject) -> Any:
        """The report of a session that is closed with it."""
        return await self.ask("DELETE", f"/sessions/{arguments['session']}")

    async def read_journal(self, arguments: JsonObject) -> Any:
        """The entries of a journal."""
        found = await self.ask("GET", f"/sessions/{arguments['session']}/journal?bodies=0")
        return found["entries"]

    async def read_diff(self, arguments: JsonObject) -> Any:
        """What a session changed."""
        return await self.ask("GET", f"/sessions/{arguments['session']}/diff")

    async def explain_misses(self, arguments: JsonObject) -> Any:
        """The calls that found nothing: whose fault, what is nearest, and what would answer."""
        entries = await self.read_journal(arguments)
        return [
            {
                "seq": entry["seq"],
                "method": entry["method_id"] or f"{entry['http_method']} {entry['path']}",
                "asked": entry["body"] or entry["params"],
                **entry["miss"],
                "mend": _remedy(entry),
            }
            for entry in entries
            if entry["miss"] is not None
        ]

    async def write_fixture(self, arguments: JsonObject) -> Any:
        """Merge a part of a snapshot into the overrides of a case, or into a base file."""
        fixtures = (await self.ask("GET", "/health"))["fixtures"]
        if fixtures is None:
            raise MockServerError("the server serves no suite", hint="start it with --fixtures")
        case, folder = arguments.get("case"), Path(fixtures)
        if case is not None and (not case or Path(case).name != case or case.startswith(".")):
            raise MockServerError(f"no case can be called {case!r}")
        path = folder / case / "overrides.json" if case else folder / "base" / "written.json"
        return await asyncio.to_thread(_merge_into, path, arguments["snapshot"])

    async def run_case(self, arguments: JsonObject) -> Any:
        """The output of `understudy run` on one case, which says why it failed."""
        command = child_command("harness.cli.understudy:main", "run", arguments["suite"])
        more = ("--ids", arguments["case"], "--agent", arguments["agent"])
        process = await asyncio.create_subprocess_exec(
            *command,
            *more,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(_PATIENCE_S):
                said, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise MockServerError(f"the run took more than {_PATIENCE_S} s") from None
        return {"status": process.returncode, "output": said.decode(errors="replace")[-_LONGEST:]}


def _remedy(entry: JsonObject) -> str:
    """What a developer does about a miss."""
    name = entry["method_id"]
    match entry["miss"]["blame"]:
        case "fixture_gap" if name.startswith("tools."):
            when = json.dumps(entry["body"] or {})
            tool = name.removeprefix("tools.")
            return f'add {{"when": {when}, "result": ...}} to /tools/{tool}/responses'
        case "fixture_gap":
            return "write what was asked for into the snapshot (write_fixture)"
        case "not_emulated":
            return f"write a stub into /http for {entry['http_method']} {entry['path']}"
        case "replay_miss":
            return "record the call again, or compare less (--match)"
        case _:
            return "the call itself is wrong: mend the agent"


def _merge_into(path: Path, snapshot: JsonObject) -> JsonObject:
    try:
        before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(overlay(before, snapshot), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise MockServerError(f"cannot write {path}: {error}") from error
    return {"written": str(path), "note": "sessions that are opened from now on start from it"}


Answer = Callable[[Control, JsonObject], Awaitable[Any]]


class ControlTool(NamedTuple):
    """A tool of the control server.

    Attributes:
        description: What it does.
        properties: Its arguments: name to JSON Schema.
        answer: Answers it.
        required: The arguments that must be there.
    """

    description: str
    properties: JsonObject
    answer: Answer
    required: tuple[str, ...] = ()


_OF_SESSION = ("session",)
TOOLS: Mapping[str, ControlTool] = {
    "open_session": ControlTool(
        "Open a session of the mock server, on a case or on the base of its suite.",
        {"case": _TEXT, "profile": {"enum": ["lenient", "google", "strict"]}, "overrides": {}},
        Control.open_session,
    ),
    "close_session": ControlTool(
        "Close a session; its journal, changes and faults.",
        _SESSION,
        Control.close_session,
        _OF_SESSION,
    ),
    "read_journal": ControlTool(
        "What a session was asked and what answered.", _SESSION, Control.read_journal, _OF_SESSION
    ),
    "read_diff": ControlTool(
        "What a session has changed.", _SESSION, Control.read_diff, _OF_SESSION
    ),
    "explain_misses": ControlTool(
        "Why calls of a session found nothing, and what to do about each.",
        _SESSION,
        Control.explain_misses,
        _OF_SESSION,
    ),
    "write_fixture": ControlTool(
        "Merge a part of a snapshot, such as tools, http stubs or rows, into the overrides of a"
        " case, or into the base of the suite without one.",
        {"case": _TEXT, "snapshot": {"type": "object", "minProperties": 1}},
        Control.write_fixture,
        ("snapshot",),
    ),
    "run_case": ControlTool(
        "Run one case of a suite with an agent, and tell why it failed.",
        {"suite": _TEXT, "case": _TEXT, "agent": _TEXT},
        Control.run_case,
        ("suite", "case", "agent"),
    ),
}
"""Name to tool, in the order they are listed."""


def control_server(control: Control) -> Server[Any]:
    """The MCP server of a developer."""
    server: Server[Any] = Server("understudy-control", version=__version__)

    async def list_tools(context: Any, params: PaginatedRequestParams) -> ListToolsResult:
        tools = [
            {
                "name": name,
                "description": tool.description,
                "inputSchema": {
                    "type": "object",
                    "properties": tool.properties,
                    "required": list(tool.required),
                },
            }
            for name, tool in TOOLS.items()
        ]
        return ListToolsResult.model_validate({"tools": tools})

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        tool, arguments = TOOLS.get(params.name), params.arguments or {}
        if tool is None:
            hint = did_you_mean(params.name, TOOLS)
            raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r} ({hint}).")
        missing = [name for name in tool.required if name not in arguments]
        if missing:
            return _text_result(f"{', '.join(missing)} must be given", is_error=True)
        try:
            found = await tool.answer(control, arguments)
        except MockServerError as error:
            return _text_result(str(error), is_error=True)
        return _text_result(json.dumps(found, indent=1, ensure_ascii=False)[:_LONGEST])

    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    return server


def _text_result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def serve_control(url: str, token: str) -> None:
    """Serve the tools of a developer to the assistant that started this process."""
    server = control_server(Control(url, token))

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
