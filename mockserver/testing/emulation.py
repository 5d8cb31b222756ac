"""The emulated APIs as an httpx transport: no server, no socket."""

import asyncio
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock

import httpx
from typing_extensions import override

from mockserver.apis import APIS
from mockserver.googleapi import Api
from mockserver.http.application import Application
from mockserver.http.server import real_time
from mockserver.model import SessionSpec
from mockserver.sessions.session import DEFAULT_ID, Session
from mockserver.settings import Settings


class EmulatorTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers an httpx client as the APIs would, in process; for `Client` and `AsyncClient` alike.

    Clients ask the APIs' own addresses (`https://admin.googleapis.com/...`).

    Args:
        fixtures: The suite; None starts from an empty world.
        spec: What the session starts from.
        apis: The emulated APIs, such as one of a plug-in that is not installed.

    Raises:
        MockServerError: The suite or the session cannot be served.
    """

    def __init__(
        self,
        fixtures: Path | None = None,
        spec: SessionSpec | None = None,
        *,
        apis: Sequence[Api] = APIS,
    ) -> None:
        settings = Settings(fixtures=fixtures, default=spec or SessionSpec())
        self._application = Application(settings, real=real_time, apis=apis)
        self._transport = httpx.ASGITransport(self._application)
        self._lock = Lock()

    @property
    def session(self) -> Session:
        """The session: its journal, state and diff."""
        return self._application.sessions.get(DEFAULT_ID)

    @cached_property
    def _runner(self) -> asyncio.Runner:
        return asyncio.Runner()

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        with self._lock:
            return self._runner.run(self._whole(request))

    async def _whole(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        content = await answer.aread()
        headers = [
            (name, value) for name, value in answer.headers.raw if name != b"content-encoding"
        ]
        return httpx.Response(answer.status_code, headers=headers, content=content)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._transport.handle_async_request(request)

    @override
    def close(self) -> None:
        if "_runner" in self.__dict__:
            self._runner.close()
