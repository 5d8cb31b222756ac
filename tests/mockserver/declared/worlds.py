"""A declared API in a session, asked over HTTP without a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import orjson
import yaml

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.sessions.session import Session
from mockserver.settings import Settings

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)


@dataclass
class Declared:
    """One session of a suite with a declared API.

    Attributes:
        application: The server.
        session: The session.
        client: Asks the API in it.
    """

    application: Application
    session: Session
    client: httpx.AsyncClient

    async def ask(self, verb: str, path: str, **how: Any) -> httpx.Response:
        return await self.client.request(verb, path, **how)

    @property
    def journal(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.session.report()["journal"]["entries"]
        return found


def write_suite(
    folder: Path, declaration: dict[str, Any], rows: dict[str, Any] | None = None, **base: Any
) -> Path:
    """A suite with one declaration and the rows of its collections."""
    for name in ("apis", "base"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "apis" / "api.yaml").write_text(yaml.safe_dump(declaration), encoding="utf-8")
    world = {"capturedAt": "2026-11-20T09:00:00Z", declaration["api"]: rows or {}, **base}
    (folder / "base" / "rows.json").write_bytes(orjson.dumps(world))
    return folder


@asynccontextmanager
async def declared(
    folder: Path, *, url: str = "", trusted: bool = False, **spec: Any
) -> AsyncIterator[Declared]:
    """A session on a suite; paths are below `/s/s1` and what `url` says.

    Yields:
        The session.
    """
    settings = Settings(fixtures=folder, trusted=trusted)
    application = Application(settings, real=lambda: NOW)
    session = application.sessions.open(SessionSpec(id="s1", **spec))
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(
        transport=transport, base_url=f"http://127.0.0.1:8765/s/s1{url}"
    ) as client:
        yield Declared(application, session, client)
