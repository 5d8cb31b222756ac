"""A real mock server over the bundled suite, and sessions on it as the agent sees them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.demo.flaws import NO_FLAWS, Flaws
from harness.demo.google import Access, Google
from harness.demo.investigation import Investigation

SUITE = Path(__file__).parents[3] / "fixtures" / "chrome-enterprise"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    command = [sys.executable, "-m", "mockserver", "serve", "--fixtures", str(SUITE), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield next(word for word in process.stdout.readline().split() if word.startswith("http://"))
        process.terminate()


@pytest.fixture
def enter(server: str) -> Callable[..., Access]:
    """Opens a session and says how to get there."""

    def enter(**spec: Any) -> Access:
        answer = httpx.post(f"{server}/_mock/sessions", json=spec, trust_env=False)
        return Access.of(answer.raise_for_status().json()["env"])

    return enter


@pytest.fixture
def google(enter: Callable[..., Access]) -> Iterator[Callable[..., Google]]:
    """Opens a session and gives a client of it; its pauses take no time."""
    opened: list[Google] = []

    def connect(**spec: Any) -> Google:
        opened.append(Google(enter(**spec), pause=lambda _: None))
        return opened[-1]

    yield connect
    for client in opened:
        client.close()


@pytest.fixture
def investigate(google: Callable[..., Google]) -> Callable[..., Investigation]:
    """Starts to look into a question, in a session of its own."""

    def start(question: str, *before: str, flaws: Flaws = NO_FLAWS, **spec: Any) -> Investigation:
        return Investigation(question, google(**spec), flaws, before)

    return start
