"""The frameworks whose agents are run, each with its adapter."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.agents.adk_events import read_events
from harness.agents.profiles import ReplyReader
from harness.agents.replies import read_reply


@dataclass(frozen=True)
class Framework:
    """A framework whose agents are run.

    Attributes:
        name: The first word of its specs.
        adapter: The name of the adapter's module.
        example: A spec.
        read: Makes a reply of what the adapter hands over.
    """

    name: str
    adapter: str
    example: str
    read: ReplyReader = read_reply

    @property
    def path(self) -> Path:
        """The file of the adapter."""
        return Path(__file__).with_name(f"{self.adapter}.py").absolute()


_ALL = (
    Framework("pydantic-ai", "pydantic_ai", "pydantic-ai:my_agent:agent"),
    Framework("langgraph", "langgraph", "langgraph:my_agent:graph"),
    Framework("openai-agents", "openai_agents", "openai-agents:my_agent:agent"),
    Framework("adk", "adk", "adk:my_agent.agent:root_agent", read_events),
    Framework("crewai", "crewai", "crewai:my_agent:crew"),
    Framework("claude-agent", "claude_agent", "claude-agent:my_agent:options"),
    Framework("smolagents", "smolagents", "smolagents:my_agent:agent"),
)

FRAMEWORKS: Mapping[str, Framework] = {each.name: each for each in _ALL}
"""First word of a spec to its framework. To add one: write its adapter, add its line."""
