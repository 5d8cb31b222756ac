import sys

import shop
from agents import Agent, Runner, function_tool

import mockserver.tools  # noqa: F401

tools = [function_tool(shop.look_up_order), function_tool(shop.refund_order)]
agent = Agent(name="shop", model=shop.MODEL, tools=tools)

if __name__ == "__main__":
    sys.stdout.write(Runner.run_sync(agent, sys.argv[1]).final_output)
