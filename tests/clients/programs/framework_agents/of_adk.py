import json
import os

import people_tools
from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams


def suspend_user(email: str) -> dict:
    """Suspend an account."""
    return json.loads(people_tools.suspend_user(email))


server = StreamableHTTPConnectionParams(url=os.environ["MCP_SERVER_URL"])
root_agent = LlmAgent(
    name="people",
    model="gemini-2.5-flash",
    instruction=people_tools.INSTRUCTIONS,
    tools=[suspend_user, McpToolset(connection_params=server)],
)
