import order_tools
from google.adk.agents import LlmAgent


def cancel_order(order: str) -> dict:
    """Cancel an order."""
    try:
        return order_tools.cancel(order)
    except order_tools.DeniedError as error:
        return {"error": str(error)}


root_agent = LlmAgent(name="orders", model="gemini-2.5-flash", tools=[cancel_order])
