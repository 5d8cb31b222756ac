"""Agent specs (`http://...`, `command:...`, `echo`) and the drivers they name."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from harness.agents.addresses import checked_url
from harness.agents.doubles import Echo, Null
from harness.agents.protocol import AgentDriver, DriverOptions
from harness.errors import HarnessError

Builder = Callable[[str, DriverOptions], AgentDriver]
"""Takes what follows the colon of a spec."""


def _http(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.http import AdkAgent, HttpAgent
    from harness.agents.profiles import PROFILES

    url = checked_url(_http_url(rest), "http:http://localhost:3100/api/chat")
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


def _scripted(rest: str, options: DriverOptions) -> AgentDriver:
    from harness.agents.doubles import Scripted, read_script

    return Scripted(read_script(options.folder / rest))


def _oracle(_rest: str, _options: DriverOptions) -> AgentDriver:
    from harness.agents.oracle import Oracle

    return Oracle()


DRIVERS: Mapping[str, Builder] = {
    "http": _http,
    "https": _https,
    "service": _service,
    "command": _command,
    "python": _python,
    "scripted": _scripted,
    "oracle": _oracle,
    "null": lambda _rest, _options: Null(),
    "echo": lambda _rest, _options: Echo(),
}

_NAMES_ONLY = ("oracle", "null", "echo")
_INJECTABLE = ("http", "https", "command")
_SECRET = re.compile(r"(?i)((?:token|secret|passw(?:or)?d|api[-_]?key|key)[=:\s]+)[^\s&]+")


def build_driver(spec: str, options: DriverOptions) -> AgentDriver:
    """Make the driver that a spec names.

    Raises:
        HarnessError: The spec or an option of it makes no sense.
    """
    kind, colon, rest = spec.partition(":")
    if kind not in DRIVERS:
        near = get_close_matches(kind, DRIVERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(DRIVERS)}"
        raise HarnessError(f"unknown agent {spec!r}", hint=hint)
    if (kind in _NAMES_ONLY) == bool(colon):
        shape = kind if kind in _NAMES_ONLY else f"{kind}:..."
        raise HarnessError(f"agent spec {spec!r} is incomplete or too long", hint=f"write {shape}")
    return DRIVERS[kind](rest, options)


def agent_url(spec: str) -> str:
    """The URL of an `http:`, `https:` or `service:` agent; an empty string for others.

    >>> agent_url("http:http://localhost:3100/api/chat")
    'http://localhost:3100/api/chat'
    """
    kind, _, rest = spec.partition(":")
    if kind == "service":
        return rest
    if kind not in {"http", "https"}:
        return ""
    return _http_url(rest) if kind == "http" else f"https:{rest}"


def takes_fixtures(spec: str, options: DriverOptions) -> bool:
    """Whether merged fixtures can be injected: `http:`, and `command:` that reads JSON."""
    kind = spec.partition(":")[0]
    return kind in _INJECTABLE and (kind != "command" or options.input == "json")


def visible_environment(
    spec: str, options: DriverOptions, inherited: Mapping[str, str]
) -> dict[str, str]:
    """What an agent would see of the environment before a session adds to it, and its own URL."""
    kind = spec.partition(":")[0]
    if kind == "python":
        return dict(inherited)
    if kind == "command":
        from harness.agents.command import agent_environment

        return agent_environment(inherited, options.env, {})
    return {"--agent": spec.removeprefix("http:") if "://" in spec else spec}


def without_secrets(spec: str) -> str:
    """A spec as it may be written down: no user info, no values of keys and tokens.

    >>> without_secrets("http://u:p@host/chat?api_key=abc")
    'http://host/chat?api_key=[redacted]'
    """
    return _SECRET.sub(r"\1[redacted]", re.sub(r"//[^/@\s]*@", "//", spec))
