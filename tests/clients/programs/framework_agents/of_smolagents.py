import json
import os
from urllib.request import Request, urlopen

from people_tools import suspend_user
from smolagents import OpenAIServerModel, ToolCallingAgent, tool


@tool
def write_log(line: str) -> dict:
    """Writes a line into the log of changes.

    Args:
        line: What was changed.
    """
    url = f"{os.environ['TOOLS_BASE_URL']}/write_log"
    with urlopen(Request(url, json.dumps({"line": line}).encode())) as answer:
        return json.load(answer)["result"]


model = OpenAIServerModel("gpt-5-mini", api_base=os.environ["OPENAI_BASE_URL"])
agent = ToolCallingAgent(tools=[tool(suspend_user), write_log], model=model)
