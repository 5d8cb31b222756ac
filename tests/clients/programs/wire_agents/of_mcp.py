"""The agent as a tool of an MCP server, over stdio: `python of_mcp.py`, or HTTP, with a PORT."""

import os
import sys
from typing import Any

from desk import block_of, work
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("people")


@server.tool()
async def look_after_accounts(question: str, context: Context[Any, Any]) -> str:
    """Suspend accounts, and log it."""
    env = block_of(context.headers) if context.headers else os.environ
    answer = ""
    for number, (kind, text) in enumerate(work(question, env), start=1):
        await context.report_progress(number, message=f"{kind}: {text}")
        answer = text
    return answer


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run("stdio")
