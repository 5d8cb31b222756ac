"""A server on both bundled suites with every way in, and the environment blocks of its sessions."""

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.client import MockServer
from mockserver.model import Journal, SessionInfo, SessionSpec
from tests.bundles import write_both
from tests.clients.node import modules_of_googleapis
from tests.warm import run

collect_ignore = [
    "programs/adk_google_tools.py",
    "programs/framework_agents",
    "programs/wire_agents",
    "programs/gam_day.py",
    "programs/google_cloud_clients.py",
    "programs/installed_app.py",
    "programs/langchain_google_tools.py",
    "programs/traced_pydantic_ai.py",
]
"""Programs whose packages are installed for their tests alone; they cannot be imported here."""


class Served:
    """A running server, steered from tests that are not asynchronous."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec.model_validate(spec)))

    def journal(self, session: SessionInfo) -> Journal:
        return self._runner.run(self._server.journal(session.id))

    def block(self, session: SessionInfo, *options: str) -> dict[str, str]:
        """What `understudy env` prints."""
        command = ["env", "--session", session.id, "--url", self._server.url, "--format", "json"]
        environment = {**os.environ, "MOCKSERVER_TOKEN": self._server.token}
        printed = run("mockserver", *command, *options, env=environment)
        found: dict[str, str] = json.loads(printed.stdout)
        return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    suite = write_both(tmp_path_factory.mktemp("clients") / "suite")
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(suite, options=()))
        yield Served(runner, server)
        runner.run(server.close())


@pytest.fixture(scope="module")
def googleapis() -> str:
    """The folder of modules that has Node's client."""
    found = modules_of_googleapis()
    if isinstance(found, str):
        pytest.skip(found)
    return str(found)
