"""Graphs for LangGraph's server: an agent with two tools, and one that asks its user."""

from typing import Any, TypedDict

import httpx
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt


def _session(config: RunnableConfig) -> dict[str, str]:
    return config["configurable"]["mock_env"]


async def _send(method: str, url: str, body: Any, config: RunnableConfig) -> Any:
    token = _session(config)["GOOGLE_OAUTH_ACCESS_TOKEN"]
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as client:
        answer = await client.request(method, url, json=body)
    return answer.raise_for_status().json()


@tool
async def suspend_user(email: str, config: RunnableConfig) -> dict[str, Any]:
    """Suspend an account."""
    url = f"{_session(config)['GOOGLE_API_BASE_URL']}/admin/directory/v1/users/{email}"
    return await _send("PATCH", url, {"suspended": True}, config)


@tool
async def write_log(line: str, config: RunnableConfig) -> dict[str, str]:
    """Write a line into the log of changes."""
    url = f"{_session(config)['TOOLS_BASE_URL']}/write_log"
    return (await _send("POST", url, {"line": line}, config))["result"]


async def ask(state: MessagesState, config: RunnableConfig) -> Any:
    env = _session(config)
    model = ChatOpenAI(
        model="gpt-5-mini", base_url=env["OPENAI_BASE_URL"], api_key=env["OPENAI_API_KEY"]
    )
    asked = model.bind_tools([suspend_user, write_log])
    return {"messages": [await asked.ainvoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("ask", ask)
builder.add_node("tools", ToolNode([suspend_user, write_log]))
builder.add_edge(START, "ask")
builder.add_conditional_edges("ask", tools_condition)
builder.add_edge("tools", "ask")
graph = builder.compile()


class Desk(TypedDict):
    question: str
    answer: str


def answer(state: Desk) -> Any:
    who = interrupt("Who asks?")
    return {"answer": f"{state['question']} Ask Ann, {who}."}


desk = StateGraph(Desk).add_node("find", answer).add_edge(START, "find").compile()
