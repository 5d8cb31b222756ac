"""An agent as a tool of an MCP server, made with the official SDK; alone it serves over stdio."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

Ctx = Context[Any, Any]


class Seat(BaseModel):
    seat: int


class Trip(BaseModel):
    city: str
    days: int


@dataclass
class Seen:
    """What the tools of a server met."""

    headers: list[Mapping[str, str]] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)


def make_server(seen: Seen) -> MCPServer:
    server = MCPServer("desk")

    @server.tool()
    async def ask(prompt: str, ctx: Ctx, city: str = "") -> str:
        """Answers."""
        seen.headers.append(ctx.headers or {})
        await ctx.report_progress(1, 2, "half")
        return f"{prompt} {city or 'nowhere'}.".replace("ENV", os.environ.get("MOCK_SESSION", ""))

    @server.tool()
    async def book(request: str, ctx: Ctx) -> str:
        told = await ctx.elicit("Which seat?", Seat)
        return f"{request}: {told.data if told.action == 'accept' else told.action}"

    @server.tool()
    async def plan(request: str, ctx: Ctx) -> str:
        told = await ctx.elicit("Where to?", Trip)
        return f"{request}: {told.data if told.action == 'accept' else told.action}"

    @server.tool()
    async def wait(prompt: str, ctx: Ctx) -> str:
        seen.headers.append(ctx.headers or {})
        try:
            await anyio.sleep_forever()
        finally:
            seen.cancelled.append(prompt)
        return prompt

    @server.tool()
    async def page(prompt: str, ctx: Ctx) -> str:
        told = await ctx.elicit_url("Sign in", "https://example.com", "1")
        raise ToolError(told.action)

    @server.tool()
    def chat(messages: list[dict[str, str]]) -> dict[str, Any]:
        seen.messages.append(messages)
        return {"text": f"{len(messages)} said.", "toolCalls": [{"name": "look"}], "rounds": 2}

    @server.tool()
    def follow(prompt: str, thread_id: str = "") -> dict[str, Any]:
        return {"answer": f"{prompt} in {thread_id or 'none'}", "thread_id": "t7"}

    @server.tool()
    def fail(prompt: str) -> str:
        raise ToolError(f"no {prompt}")

    @server.tool()
    def pair(left: str, right: str) -> str:
        return left + right

    return server


if __name__ == "__main__":
    sys.stderr.write("starting\n")
    make_server(Seen()).run("stdio")
