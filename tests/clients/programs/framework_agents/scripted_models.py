"""Agents of LangGraph and ADK whose models are scripts, in process, with nothing to ask."""

import asyncio
import json
import sys

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.genai import types
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from mockserver.testing.models import adk_model, langchain_model

PROMPT = "Suspend bea@example.com, and log it."


def suspend_user(email: str) -> dict:
    """Suspend an account."""
    return {"primaryEmail": email}


def write_log(line: str) -> dict:
    """Write a line."""
    return {"entry": "L-1", "line": line}


def in_langgraph(script: str) -> str:
    tools = [tool(suspend_user), tool(write_log)]
    model = langchain_model(script).bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("ask", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    said = graph.compile().invoke({"messages": [("user", PROMPT)]})
    return said["messages"][-1].text


async def in_adk(script: str) -> str:
    agent = LlmAgent(name="people", model=adk_model(script), tools=[suspend_user, write_log])
    runner = InMemoryRunner(agent, app_name="people")
    session = await runner.session_service.create_session(app_name="people", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    text = ""
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        parts = (event.content and event.content.parts) or []
        text = "".join(part.text or "" for part in parts) or text
    return text


script = sys.argv[1]
told = {"langchain": str(in_langgraph(script)), "adk": asyncio.run(in_adk(script))}
sys.stdout.write(json.dumps(told))
