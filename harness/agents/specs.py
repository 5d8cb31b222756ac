"""Agent specs (`http://...`, `command:...`, `echo`) and the drivers they name.

Drivers of plug-ins (`understudy.drivers`) are looked for where a spec begins with no word of ours.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from typing_extensions import override

from harness.agents.addresses import checked_url
from harness.agents.doubles import Echo, Null
from harness.agents.frameworks import FRAMEWORKS
from harness.agents.protocol import (
    HERE,
    WORKING_FOLDERS,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverKind,
    DriverOptions,
    Task,
    Transcript,
)
from harness.errors import HarnessError
from mockserver.plugins import Table, guarded, of_kind


def _http(
    rest: str, options: DriverOptions, example: str = "http:http://localhost:3100/api/chat"
) -> AgentDriver:
    from harness.agents.http import AdkAgent, HttpAgent
    from harness.agents.profiles import PROFILES

    url = checked_url(_http_url(rest), example)
    if options.profile not in PROFILES:
        raise HarnessError(f"unknown profile {options.profile!r}", hint=", ".join(PROFILES))
    return AdkAgent(url, options) if options.profile == "adk" else HttpAgent(url, options)


def _http_url(rest: str) -> str:
    return rest if rest.startswith(("http://", "https://")) else f"http:{rest}"


def _https(rest: str, options: DriverOptions) -> AgentDriver:
    return _http(f"https:{rest}", options)


def _service(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.service import ServiceAgent, service_url

    return ServiceAgent(service_url(rest), options)


def _command(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.command import INPUTS, CommandAgent

    if options.input not in INPUTS:
        raise HarnessError(f"unknown input {options.input!r}", hint=", ".join(INPUTS))
    return CommandAgent(rest, options)


def _python(rest: str, options: DriverOptions) -> AgentDriver:
    if options.isolate:
        from harness.agents.function import IsolatedAgent

        return IsolatedAgent(rest, options)
    from harness.agents.function import FunctionAgent, load_function

    return FunctionAgent(load_function(rest, options.folder), options)


def _framework(name: str) -> DriverKind:
    """The kind of the agents of a framework."""

    def build(rest: str, options: DriverOptions) -> AgentDriver:
        from harness.agents.function import IsolatedAgent

        if not options.isolate:
            hint = "leave --no-isolate out"
            raise HarnessError(f"{name}: agents run in processes of their own", hint=hint)
        return IsolatedAgent(rest, options, FRAMEWORKS[name])

    return DriverKind(build, environment=_inherited_environment, starts_program=True)


def _model(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.model_loop import ModelAgent

    return ModelAgent(rest, options)


_COMPLETIONS = "openai:http://localhost:8000/v1"


def _adk_server(rest: str, options: DriverOptions) -> AgentDriver:
    return _http(rest, replace(options, profile="adk"))


def _chat_completions(rest: str, options: DriverOptions) -> AgentDriver:
    url = rest if rest.startswith("//") else checked_url(rest, _COMPLETIONS)
    return _http(url, replace(options, profile="openai"), _COMPLETIONS)


def _a2a(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.a2a import A2aAgent

    return A2aAgent(checked_url(rest, "a2a:http://localhost:9999"), options)


def _langgraph_server(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.langgraph_server import LangGraphAgent

    return LangGraphAgent(checked_url(rest, "langgraph:http://localhost:2024"), options)


def _mcp(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.mcp_tool import McpAgent

    return McpAgent(rest, options)


def _scripted(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.doubles import Scripted, read_script

    return Scripted(read_script(options.folder / rest))


def _oracle(_rest: str, _options: DriverOptions) -> AgentDriver:
    from harness.agents.oracle import Oracle

    return Oracle()


def _command_environment(options: DriverOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    from harness.agents.command import agent_environment

    return agent_environment(inherited, options.env, {})


def _inherited_environment(_options: DriverOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    return dict(inherited)


_OWN: Mapping[str, DriverKind] = {
    "http": DriverKind(_http, url=_http_url, takes_fixtures=lambda _options: True),
    "https": DriverKind(
        _https, url=lambda rest: f"https:{rest}", takes_fixtures=lambda _options: True
    ),
    "openai": DriverKind(_chat_completions, url=_http_url, takes_fixtures=lambda _options: True),
    "a2a": DriverKind(_a2a, url=lambda rest: rest),
    "service": DriverKind(_service, url=lambda rest: rest),
    "command": DriverKind(
        _command,
        takes_fixtures=lambda options: options.input == "json",
        environment=_command_environment,
        starts_program=True,
    ),
    "python": DriverKind(_python, environment=_inherited_environment, starts_program=True),
    "model": DriverKind(_model),
    **{name: _framework(name) for name in FRAMEWORKS},
    "mcp": DriverKind(_mcp, environment=_command_environment, starts_program=True),
    "scripted": DriverKind(_scripted),
    "oracle": DriverKind(_oracle, has_target=False),
    "null": DriverKind(lambda _rest, _options: Null(), has_target=False),
    "echo": DriverKind(lambda _rest, _options: Echo(), has_target=False),
}


def _accept(name: str, provided: Any) -> DriverKind:
    """The driver of a plug-in."""
    kind = of_kind(provided, DriverKind, "harness.agents.DriverKind")
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"a spec cannot begin with {name!r}: letters, digits, - and _ can")

    def build(rest: str, options: DriverOptions) -> AgentDriver:
        return _PluginDriver(guarded(kind.build, name, DRIVERS.group)(rest, options), name)

    return replace(kind, build=build)


class _PluginDriver(AgentDriver):
    """A driver of a plug-in, whose own failures are none of the agent's."""

    def __init__(self, driver: AgentDriver, name: str) -> None:
        self._driver = driver
        self._name = name
        self.tools = driver.tools
        self.holds_conversations = driver.holds_conversations

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        try:
            await self._driver.converse(task, transcript)
        except (AgentFailedError, AgentUnreachableError, HarnessError, TimeoutError):
            raise
        except Exception as error:
            text = f"the plug-in {self._name!r} failed: {type(error).__name__}: {error}"
            raise AgentUnreachableError(text) from error

    @override
    async def close(self) -> None:
        await self._driver.close()


DRIVERS: Table[DriverKind] = Table("understudy.drivers", _OWN, _accept)
"""First word of a spec to what it means. To add a driver: write its module, add its line."""

SERVERS: Mapping[str, DriverKind] = {
    "adk": DriverKind(_adk_server, url=_http_url),
    "langgraph": DriverKind(_langgraph_server, url=lambda rest: rest),
    "mcp": DriverKind(_mcp, url=lambda rest: rest.partition("#")[0]),
}
"""The same for kinds of agents that are servers where a URL follows: `adk:http://...`."""

_SECRET = re.compile(r"(?i)((?:token|secret|passw(?:or)?d|api[-_]?key|key)[=:\s]+)[^\s&]+")


def build_driver(spec: str, options: DriverOptions) -> AgentDriver:
    """Make the driver that a spec names.

    Raises:
        HarnessError: The spec or an option of it makes no sense.
    """
    kind, colon, rest = spec.partition(":")
    driver = find_kind(spec)
    if options.agent_cwd not in WORKING_FOLDERS:
        hint = ", ".join(WORKING_FOLDERS)
        raise HarnessError(f"unknown --agent-cwd {options.agent_cwd!r}", hint=hint)
    if options.sandbox and options.agent_cwd == HERE:
        hint = "leave --agent-cwd out: in a sandbox the agent works in the workspace of the trial"
        raise HarnessError("--agent-cwd here does not go with --sandbox", hint=hint)
    if driver is None:
        near = get_close_matches(kind, DRIVERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(DRIVERS)}"
        raise HarnessError(f"unknown agent {spec!r}", hint=hint)
    if driver.has_target != bool(colon):
        shape = f"{kind}:..." if driver.has_target else kind
        raise HarnessError(f"agent spec {spec!r} is incomplete or too long", hint=f"write {shape}")
    return driver.build(rest, options)


def find_kind(spec: str) -> DriverKind | None:
    """What kind of agent a spec names, or None."""
    kind, _, rest = spec.partition(":")
    is_url = rest.startswith(("http://", "https://"))
    return (SERVERS.get(kind) if is_url else None) or DRIVERS.get(kind)


def starts_program(spec: str) -> bool:
    """Whether the harness starts what a spec names, in the environment of a session.

    >>> starts_program("command:./agent.sh"), starts_program("http:http://localhost:3100")
    (True, False)
    """
    kind = find_kind(spec)
    return kind is not None and kind.starts_program


def agent_url(spec: str) -> str:
    """The URL of an agent that is a server; an empty string for others.

    >>> agent_url("http:http://localhost:3100/api/chat")
    'http://localhost:3100/api/chat'
    """
    driver = find_kind(spec)
    return driver.url(spec.partition(":")[2]) if driver and driver.url else ""


def takes_fixtures(spec: str, options: DriverOptions) -> bool:
    """Whether merged fixtures can be injected: `http:`, and `command:` that reads JSON."""
    driver = find_kind(spec)
    return driver is not None and driver.takes_fixtures(options)


def visible_environment(
    spec: str, options: DriverOptions, inherited: Mapping[str, str]
) -> dict[str, str]:
    """What an agent would see of the environment before a session adds to it, and its own URL."""
    driver = find_kind(spec)
    if driver and driver.environment:
        return driver.environment(options, inherited)
    return {"--agent": spec.removeprefix("http:") if "://" in spec else spec}


def without_secrets(spec: str) -> str:
    """A spec as it may be written down: no user info, no values of keys and tokens.

    >>> without_secrets("http://u:p@host/chat?api_key=abc")
    'http://host/chat?api_key=[redacted]'
    """
    return _SECRET.sub(r"\1[redacted]", re.sub(r"//[^/@\s]*@", "//", spec))
