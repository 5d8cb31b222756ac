"""A server of its own process on the bundled suite, sessions on it, and real clients."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionReport, SessionSpec

collect_ignore_glob = ["programs/sdk_*.py", "programs/model_run.py"]
"""Programs whose packages are installed for their tests alone; they cannot be imported here."""

SUITE = Path(__file__).parents[2] / "fixtures" / "chrome-enterprise"

HEADERS = {
    "content-type": "application/json; charset=UTF-8",
    "vary": "Origin, X-Origin, Referer",
    "x-xss-protection": "0",
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "server": "ESF",
    "cache-control": "no-cache, no-store, max-age=0, must-revalidate",
    "pragma": "no-cache",
    "expires": "Mon, 01 Jan 1990 00:00:00 GMT",
}
"""What every answer of Google's front end carries."""


class Mock:
    """A running server, steered from tests that are not asynchronous."""

    def __init__(self, runner: asyncio.Runner, server: MockServer, stack: ExitStack) -> None:
        self.url = server.url
        self.token = server.token
        self.control = {"Authorization": f"Bearer {server.token}"}
        self._runner = runner
        self._server = server
        self._stack = stack

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec.model_validate(spec)))

    def close(self, session: SessionInfo, *collections: str) -> SessionReport:
        return self._runner.run(self._server.close_session(session.id, collections))

    def google(self, session: SessionInfo, api: str, version: str) -> Any:
        """The unchanged client; only its endpoint is another."""
        options = {"api_endpoint": f"{session.base_url}/{api}.googleapis.com/"}
        credentials = Credentials(token=session.token)  # type: ignore[no-untyped-call]
        made = build(api, version, credentials=credentials, client_options=options)
        return self._stack.enter_context(made)

    def http(self, session: SessionInfo) -> httpx.Client:
        """A plain HTTP client below a session, with its token."""
        headers = {"Authorization": f"Bearer {session.token}"}
        client = httpx.Client(base_url=session.base_url, headers=headers, trust_env=False)
        return self._stack.enter_context(client)


@pytest.fixture(scope="session")
def mock() -> Iterator[Mock]:
    with asyncio.Runner() as runner, ExitStack() as stack:
        server = runner.run(MockServer.start(SUITE))
        yield Mock(runner, server, stack)
        stack.close()
        runner.run(server.close())


def refusal(request: Any) -> HttpError:
    """The error that a client meets."""
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value


def pretty(body: JsonObject) -> bytes:
    """A body as Google writes it: indented by two, a line break at the end."""
    return orjson.dumps(body, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def older(status: int, reason: str, message: str, **more: str) -> JsonObject:
    """An error as the older APIs say it."""
    item = {"message": message, "domain": "global", "reason": reason, **more}
    return {"error": {"code": status, "message": message, "errors": [item]}}


def newer(status: int, name: str, message: str, *details: JsonObject) -> JsonObject:
    """An error as the newer APIs say it."""
    error: JsonObject = {"code": status, "message": message, "status": name}
    return {"error": {**error, "details": list(details)} if details else error}
