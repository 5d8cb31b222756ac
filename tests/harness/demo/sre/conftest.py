"""A real mock server over the bundled cloud project, and ways into sessions on it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness.demo.google import Access

SUITE = Path(__file__).parents[4] / "fixtures" / "sre"
Enter = Callable[..., Access]


@pytest.fixture(scope="session")
def sre_server() -> Iterator[str]:
    command = [sys.executable, "-m", "mockserver", "serve", "--no-proxy", "--port", "0"]
    command += ["--fixtures", str(SUITE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield next(word for word in process.stdout.readline().split() if word.startswith("http://"))
        process.terminate()


@pytest.fixture(scope="session")
def sre_enter(sre_server: str) -> Enter:
    """Opens a session and says how to get there."""

    def enter(**spec: Any) -> Access:
        answer = httpx.post(f"{sre_server}/_mock/sessions", json=spec, trust_env=False)
        return Access.of(answer.raise_for_status().json()["env"])

    return enter


@pytest.fixture(scope="session")
def shop(sre_enter: Enter) -> Access:
    """A session that nobody writes to."""
    return sre_enter()
