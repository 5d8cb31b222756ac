import os
import sys

import shop
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

import mockserver.tools  # noqa: F401

model = OpenAIServerModel(shop.MODEL, api_base=os.environ["OPENAI_BASE_URL"])
agent = ToolCallingAgent(tools=[tool(shop.look_up_order), tool(shop.refund_order)], model=model)

if __name__ == "__main__":
    sys.stdout.write(agent.run(sys.argv[1]))
