import os

from langchain_core.tools import tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from people_tools import suspend_user


async def make_graph():
    server = {"transport": "streamable_http", "url": os.environ["MCP_SERVER_URL"]}
    served = await MultiServerMCPClient({"people": server}).get_tools()
    tools = [tool(suspend_user), *served]
    model = ChatOpenAI(model="gpt-5-mini").bind_tools(tools)

    def ask(state: MessagesState):
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph  # the adapter compiles it
