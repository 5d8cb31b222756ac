import sys

import shop
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

import mockserver.tools  # noqa: F401

tools = [tool(shop.look_up_order), tool(shop.refund_order)]


def make_graph():
    model = ChatOpenAI(model=shop.MODEL).bind_tools(tools)

    def ask(state: MessagesState):
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph


if __name__ == "__main__":
    state = make_graph().compile().invoke({"messages": [("user", sys.argv[1])]})
    sys.stdout.write(state["messages"][-1].text)
