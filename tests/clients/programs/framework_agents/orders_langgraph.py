import order_tools
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def cancel_order(order: str) -> dict:
    """Cancel an order."""
    return order_tools.cancel(order)


def make_graph():
    model = ChatOpenAI(model="gpt-5-mini").bind_tools([cancel_order])

    def ask(state: MessagesState):
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([cancel_order], handle_tool_errors=True))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph
