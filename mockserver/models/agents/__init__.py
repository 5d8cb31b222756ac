"""The protocols of agents that scripts speak: to add one, write its module and add its line."""

from mockserver.models.agents.a2a import A2a
from mockserver.models.agents.agui import AgUi
from mockserver.models.providers.provider import Provider

AGENT_PROTOCOLS: tuple[Provider, ...] = (A2a(), AgUi())
"""The protocols in which a script answers as an agent, below `/agents/<name>` of a session."""
