import json
import os
from urllib.request import Request, urlopen

import people_tools
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool


@tool("suspend_user")
def suspend_user(email: str) -> str:
    """Suspend an account."""
    return people_tools.suspend_user(email)


@tool("write_log")
def write_log(line: str) -> str:
    """Write a line into the log of changes."""
    url = f"{os.environ['TOOLS_BASE_URL']}/write_log"
    with urlopen(Request(url, json.dumps({"line": line}).encode())) as answer:
        return json.dumps(json.load(answer)["result"])


desk = Agent(
    role="Desk",
    goal="Look after accounts",
    backstory=people_tools.INSTRUCTIONS,
    tools=[suspend_user, write_log],
    llm=LLM(model="openai/gpt-5-mini", base_url=os.environ["OPENAI_BASE_URL"]),
)
task = Task(description="{prompt}", expected_output="What was done.", agent=desk)
crew = Crew(agents=[desk], tasks=[task])
