import order_tools
from agents import Agent, function_tool


@function_tool
def cancel_order(order: str) -> dict:
    """Cancel an order."""
    return order_tools.cancel(order)


agent = Agent(name="orders", model="gpt-5-mini", tools=[cancel_order])
