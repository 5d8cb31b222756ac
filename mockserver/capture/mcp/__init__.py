"""Records live MCP servers: between a client and its server, or by asking for what it lists."""

from mockserver.capture.mcp.live import (
    McpTarget,
    converse,
    repeat_recorded,
)
from mockserver.capture.mcp.recording import McpRecorder
from mockserver.capture.mcp.runs import parse_target, record_http, record_lists, record_stdio

__all__ = [
    "McpRecorder",
    "McpTarget",
    "converse",
    "parse_target",
    "record_http",
    "record_lists",
    "record_stdio",
    "repeat_recorded",
]
