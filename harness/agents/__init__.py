"""Ways to reach an agent, one module each; `specs` holds the table."""

from harness.agents.addresses import (
    Destinations,
    checked_header,
    checked_url,
    live_endpoints,
    refuse_live,
)
from harness.agents.agent_server import ServerCommand, agent_server
from harness.agents.command import OWN_TOKENS, agent_environment
from harness.agents.doubles import Echo, Null, Scripted, Synthetic
from harness.agents.processes import kill_left_by
from harness.agents.protocol import (
    ANY_TOOLS,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverKind,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.specs import (
    DRIVERS,
    agent_url,
    build_driver,
    starts_program,
    takes_fixtures,
    visible_environment,
    without_secrets,
)

__all__ = [
    "ANY_TOOLS",
    "DRIVERS",
    "OWN_TOKENS",
    "AgentDriver",
    "AgentFailedError",
    "AgentUnreachableError",
    "Destinations",
    "DriverKind",
    "DriverOptions",
    "Echo",
    "Null",
    "Scripted",
    "ServerCommand",
    "Synthetic",
    "Task",
    "Transcript",
    "agent_environment",
    "agent_server",
    "agent_url",
    "build_driver",
    "checked_header",
    "checked_url",
    "kill_left_by",
    "live_endpoints",
    "refuse_live",
    "starts_program",
    "takes_fixtures",
    "visible_environment",
    "without_secrets",
]
