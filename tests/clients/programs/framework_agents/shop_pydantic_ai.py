import sys

import shop
from pydantic_ai import Agent

import mockserver.tools  # noqa: F401

agent = Agent(f"openai-chat:{shop.MODEL}", tools=[shop.look_up_order, shop.refund_order])

if __name__ == "__main__":
    sys.stdout.write(agent.run_sync(sys.argv[1]).output)
