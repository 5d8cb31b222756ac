import os

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from people_tools import INSTRUCTIONS, suspend_user

server = StreamableHTTPConnectionParams(url=os.environ["MCP_SERVER_URL"])
root_agent = LlmAgent(
    name="people",
    model="gemini-2.5-flash",
    instruction=INSTRUCTIONS,
    tools=[suspend_user, McpToolset(connection_params=server)],
)
