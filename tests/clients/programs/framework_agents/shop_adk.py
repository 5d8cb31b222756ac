import asyncio
import sys

import shop
from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner

import mockserver.tools  # noqa: F401

root_agent = LlmAgent(
    name="shop", model=Gemini(model=shop.MODEL), tools=[shop.look_up_order, shop.refund_order]
)

if __name__ == "__main__":
    runner = InMemoryRunner(root_agent, app_name="shop")
    [*_, last] = asyncio.run(runner.run_debug(sys.argv[1]))
    sys.stdout.write(last.content.parts[0].text)
