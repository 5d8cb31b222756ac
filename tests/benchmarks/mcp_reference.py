"""What MCP is held against: the SDK's own server, and a tool that knows one answer."""

import contextlib
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolRequestParams, CallToolResult, TextContent
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route

ANSWER = CallToolResult(
    content=[TextContent(type="text", text='{"temp":7}')], structured_content={"temp": 7}
)


async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
    return ANSWER


def application() -> Starlette:
    server: Server[Any] = Server("constant", version="1")
    server.middleware.clear()
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    manager = StreamableHTTPSessionManager(server)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    async def health(request: Any) -> Response:
        return Response("ok")

    routes = [Route("/health", health), Mount("/mcp", manager.handle_request)]
    return Starlette(routes=routes, lifespan=lifespan)


if __name__ == "__main__":
    uvicorn.run(
        application(), port=int(sys.argv[1]), loop="uvloop", log_level="error", access_log=False
    )
