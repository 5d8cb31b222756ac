import os

from people_tools import INSTRUCTIONS, suspend_user
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

agent = Agent(
    "openai-chat:gpt-5-mini",
    instructions=INSTRUCTIONS,
    tools=[suspend_user],
    toolsets=[MCPToolset(os.environ["MCP_SERVER_URL"])],
)
