import os

from agents import Agent, function_tool
from agents.mcp import MCPServerStreamableHttp
from people_tools import INSTRUCTIONS, suspend_user

agent = Agent(
    name="people",
    model="gpt-5-mini",
    instructions=INSTRUCTIONS,
    tools=[function_tool(suspend_user)],
    mcp_servers=[MCPServerStreamableHttp({"url": os.environ["MCP_SERVER_URL"]})],
)
