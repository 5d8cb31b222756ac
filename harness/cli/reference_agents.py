"""The agents that come with the bundled suites: each passes its suite."""

import shlex
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from harness.errors import HarnessError

_PACKAGE = Path(__file__).parents[1]
_INSTALLED, _CHECKOUT = _PACKAGE / "suites", _PACKAGE.parent / "fixtures"


@dataclass(frozen=True)
class ReferenceAgent:
    """How an agent is reached and, where it is a server, started.

    Attributes:
        agent: Its spec; `{port}` stands for a free port and `{run}` for the start of a command
            that runs a program of the suite's folder `agent`.
        serve: The command that starts it, or an empty string.
        token: The bearer token that it wants; empty takes the session's.
        profile: Of `http:` agents.
        input: Of `command:` agents.
        env: `NAME` or `NAME=VALUE`, handed on to it.
        concurrency: Trials at a time, at most.
        tools: The tools that it has, as `--tools` takes them.
        min_stability: How alike its trials must be, or None.
        intercept: Whether its clients are led to the mock server by its environment.
        modules: What it imports that the extra `agents` brings.
        flawed_timeout: Seconds that it is given for a trial when it has a flaw.
    """

    agent: str
    serve: str = ""
    token: str = ""
    profile: str = "ai-sdk"
    input: str = "text"
    env: tuple[str, ...] = ()
    concurrency: int = 8
    tools: str = ""
    min_stability: float | None = None
    intercept: bool = False
    modules: tuple[str, ...] = ()
    flawed_timeout: float = 20.0

    def with_flaw(self, name: str) -> "ReferenceAgent":
        """The agent with a flaw; an empty name gives it none."""
        if not name:
            return self
        if self.serve:
            return replace(self, serve=f"{self.serve} --flawed {name}")
        return replace(self, agent=f"{self.agent} --flawed {name}")

    def of(self, suite: Path, port: int) -> "ReferenceAgent":
        """The agent of a suite's folder, at a port."""
        program = shlex.join([sys.executable, "-B", str(suite.resolve() / "agent")])
        named = {"port": port, "run": f"{program}/"}
        return replace(self, agent=self.agent.format(**named), serve=self.serve.format(**named))


REFERENCE_AGENTS: Mapping[str, ReferenceAgent] = {
    "chrome-enterprise": ReferenceAgent(
        "http:http://127.0.0.1:{port}/api/chat",
        "{run}chrome_chat.py --port {port}",
        modules=("googleapiclient", "celpy"),
    ),
    "content-review": ReferenceAgent(
        "service:http://127.0.0.1:{port}/v1/review",
        "{run}review_agent.py --port {port}",
        token="demo-token",  # noqa: S106  (the reviewer's documented default)
        min_stability=0.6,
    ),
    "coding-tasks": ReferenceAgent(
        "command:{run}coding_agent.py",
        concurrency=2,
        tools="list_files,read_file,search_files,write_file,edit_file,run_command",
    ),
    "sre": ReferenceAgent(
        "http:http://127.0.0.1:{port}/v1/chat/completions",
        "{run}sre_agent.py --port {port}",
        profile="openai",
        modules=("googleapiclient", "google.cloud.logging"),
    ),
    "travel": ReferenceAgent("command:{run}travel_agent.py", intercept=True),
    "workspace": ReferenceAgent(
        "http:http://127.0.0.1:{port}/v1/chat/completions",
        "{run}workspace_agent.py --port {port}",
        profile="openai",
        modules=("googleapiclient",),
    ),
}
"""Bundled suite to its agent."""


def bundled_fixtures() -> Path:
    """The folder of the bundled suites: in the package, or in its checkout.

    Raises:
        HarnessError: It is in neither.
    """
    for folder in (_INSTALLED, _CHECKOUT):
        if (folder / "chrome-enterprise" / "registry.json").is_file():
            return folder
    raise HarnessError("the bundled suites are not here", hint="install the package again")


def reference_agent(suite: Path) -> ReferenceAgent | None:
    """The agent of a bundled suite, at a free port; None for any other suite."""
    if suite.resolve().parent not in {_INSTALLED.resolve(), _CHECKOUT.resolve()}:
        return None
    found = REFERENCE_AGENTS.get(suite.resolve().name)
    return None if found is None else found.of(suite, free_port())


def is_missing(module: str) -> bool:
    """Whether a module that an agent imports is not installed; the folders around it may not be."""
    try:
        return find_spec(module) is None
    except ModuleNotFoundError:
        return True


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
