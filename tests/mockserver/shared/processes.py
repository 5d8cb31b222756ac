"""Processes that share the logs of sessions, in process; each may die and come back."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from mockserver.http.application import Application
from mockserver.model import JsonObject, SessionSpec
from mockserver.settings import Settings
from mockserver.shared.application import SharedApplication
from mockserver.shared.log import SessionLog
from mockserver.shared.shortages import Shortages
from tests.mockserver.conftest import NOW

SERVER = "http://127.0.0.1:8765"
SECRET = "0" * 32


def client_of(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=SERVER)


class Clock:
    """Real time as a test lets it pass."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def tick(self) -> None:
        self.now += timedelta(seconds=1.000123)


class Processes:
    """Some applications over one log, and their clients."""

    def __init__(
        self, suite: Path, log: SessionLog, *, count: int = 2, most_copies: int = 100,
        shortages: Shortages | None = None, **settings: Any,
    ) -> None:  # fmt: skip
        self.clock = Clock()
        self.log = log
        given: dict[str, Any] = {"default": SessionSpec(), "fixtures": suite, **settings}
        self.settings = Settings(**given)
        self._most_copies = most_copies
        self._count = count
        self._shortages = shortages
        self.apps: list[SharedApplication] = []
        self.clients: list[httpx.AsyncClient] = []

    async def __aenter__(self) -> "Processes":
        for _ in range(self._count):
            self.apps.append(self._make())
            self.clients.append(client_of(self.apps[-1]))
        for app in self.apps:
            await app.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self.clients:
            await client.aclose()

    def _make(self) -> SharedApplication:
        return SharedApplication(
            self.settings, self.log, real=self.clock, shortages=self._shortages,
            most_copies=self._most_copies,
        )  # fmt: skip

    def kill(self, number: int) -> None:
        """Nothing of a process is left but the log; another one takes its place."""
        self.apps[number] = self._make()
        self.clients[number] = client_of(self.apps[number])

    def alone(self) -> httpx.AsyncClient:
        """A server of one process with the same suite and time."""
        return client_of(Application(self.settings, real=self.clock))


async def report(client: httpx.AsyncClient, session: str) -> JsonObject:
    """All that a session knows, without how long its requests took."""
    answer = await client.delete(f"/_mock/sessions/{session}")
    assert answer.status_code == 200, answer.text
    found: JsonObject = answer.json()
    for entry in found["journal"]["entries"]:
        del entry["duration_ms"]
    return found
