"""The application under a real uvicorn server, in this process."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.server import Settings
from harness.server.http_server import HarnessServer, application, bind
from harness.server.settings import DEFAULT_SERVER
from tests.harness.conftest import write_suite
from tests.patience import PATIENCE_S, wait_until

NOW = datetime(2026, 11, 20, 10, 15, tzinfo=UTC)


def now() -> datetime:
    return NOW


class Api(httpx.Client):
    """A client of one server, which knows where that keeps its runs and suites."""

    def __init__(self, url: str, settings: Settings) -> None:
        super().__init__(base_url=url, timeout=PATIENCE_S, trust_env=False)
        self.settings = settings

    @property
    def port(self) -> int:
        """Where the server listens."""
        return self.base_url.port or 0

    def wait(self, run: str) -> dict[str, Any]:
        """The run, when it is over."""
        said: dict[str, Any] = {}

        def is_over() -> bool:
            said.update(self.get(f"/api/eval/runs/{run}").json())
            return said["state"] not in {"queued", "running"}

        wait_until(is_over, f"the end of run {run}")
        return said

    def make(self, suite: str = "office", **order: Any) -> dict[str, Any]:
        """A run that is over."""
        order.setdefault("agent", "oracle")
        accepted = self.post(f"/api/eval/suites/{suite}/run", json=order)
        assert accepted.status_code == 202, accepted.text
        return self.wait(accepted.json()["runId"])


@contextmanager
def serving(settings: Settings) -> Iterator[Api]:
    listener = bind("127.0.0.1", 0)
    if settings.server == DEFAULT_SERVER:  # whatever runs on this machine is not asked
        settings = replace(settings, server="http://127.0.0.1:9")
    made = application(replace(settings, port=_port(listener)), now)
    server = HarnessServer(made, lambda: None)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    wait_until(lambda: server.started, "a server that has started")
    with Api(f"http://127.0.0.1:{_port(listener)}", settings) as api:
        yield api
    server.should_exit = True
    thread.join(timeout=PATIENCE_S)
    listener.close()
    assert not thread.is_alive()


def _port(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


@pytest.fixture(scope="session")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server without runs, for requests that change nothing."""
    folder = tmp_path_factory.mktemp("idle")
    write_suite(folder / "suites" / "office")
    names = ("evals.example.com",)
    settings = Settings(
        runs=folder / "runs", suites=folder / "suites", token="s3cret", allowed_hosts=names
    )
    with serving(settings) as api:
        api.headers["authorization"] = "Bearer s3cret"
        yield api


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, dict[str, Any]]]:
    """A server with one run that is over, and how that was accepted."""
    folder = tmp_path_factory.mktemp("finished")
    write_suite(folder / "suites" / "office")
    with serving(Settings(runs=folder / "runs", suites=folder / "suites")) as api:
        order = {"agent": "oracle", "trials": 2}
        accepted = api.post("/api/eval/suites/office/run", json=order)
        told = accepted.json()
        assert accepted.status_code == 202
        assert accepted.headers["location"] == told["url"]
        api.wait(told["runId"])
        yield api, told


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    write_suite(tmp_path / "suites" / "office")
    return tmp_path / "suites"


@pytest.fixture
def served(tmp_path: Path, suites: Path) -> Iterator[Callable[..., Api]]:
    """Starts a server on the suites of the test."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Api:
            known = {"runs": tmp_path / "runs", "suites": suites}
            return stack.enter_context(serving(Settings(**(known | settings))))

        yield start


@pytest.fixture
def api(served: Callable[..., Api]) -> Api:
    return served()
