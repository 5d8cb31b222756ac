import os

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, tool
from people_tools import INSTRUCTIONS
from people_tools import suspend_user as suspend


@tool("suspend_user", "Suspend an account.", {"email": str})
async def suspend_user(arguments):
    return {"content": [{"type": "text", "text": suspend(arguments["email"])}]}


options = ClaudeAgentOptions(
    model="claude-sonnet-5",
    system_prompt=INSTRUCTIONS,
    tools=[],
    mcp_servers={
        "desk": create_sdk_mcp_server("desk", tools=[suspend_user]),
        "people": {"type": "http", "url": os.environ["MCP_SERVER_URL"]},
    },
    allowed_tools=["mcp__desk__suspend_user", "mcp__people__write_log"],
)
