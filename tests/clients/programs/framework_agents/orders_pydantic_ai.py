import order_tools
from pydantic_ai import Agent, ModelRetry

agent = Agent("openai-chat:gpt-5-mini")


@agent.tool_plain
def cancel_order(order: str) -> dict:
    """Cancel an order."""
    try:
        return order_tools.cancel(order)
    except order_tools.DeniedError as error:
        raise ModelRetry(str(error)) from None
