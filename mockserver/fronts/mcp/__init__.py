"""The tools, resources and prompts of a session over the Model Context Protocol.

A front like any other: what a client asks is put to the dispatcher, journalled there and answered
by the session. The protocol itself is spoken by the official SDK, the extra `mcp`, which is loaded
when the first client comes.
"""

from mockserver.fronts.mcp.front import McpFront

__all__ = ["McpFront"]
