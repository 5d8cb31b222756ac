"""Agents behind an ADK API server: a session first, with the case's variables as its state."""

from urllib.parse import quote, urlsplit, urlunsplit

import httpx
from typing_extensions import override

from harness.agents.http import HttpAgent, refuse_status
from harness.agents.profiles import ADK_USER, without_parameter
from harness.agents.protocol import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
)
from harness.agents.retries import TransportError
from harness.agents.values import decoded
from harness.model import Json, JsonObject


class AdkAgent(HttpAgent):
    """Opens a session for each task, and posts each turn alone: the server remembers the rest."""

    def __init__(self, url: str, options: DriverOptions) -> None:
        """Make the connection pool.

        Args:
            url: The server, or its `/run` or `/run_sse`; `?app=NAME` where it has several apps.
            options: The same as of every HTTP agent.

        Raises:
            HarnessError: The URL is none.
        """
        super().__init__(url, options)
        self._app = without_parameter(url, "app")[1]
        parts = urlsplit(self._profile.url)
        path = parts.path.rpartition("/")[0]
        self._server = urlunsplit(parts._replace(path=path, query=""))

    @override
    async def _opened(self, task: Task, headers: dict[str, str]) -> str:
        app = self._app or await self._only_app(headers)
        url = f"{self._server}/apps/{quote(app, safe='')}/users/{ADK_USER}/sessions"
        session = await self._asked("POST", url, headers, {"state": task.case.variables})
        id = session.get("id") if isinstance(session, dict) else None
        if not isinstance(id, str) or not id:
            raise AgentFailedError("the ADK server opened a session without an id")
        return f"{app}/{id}"

    async def _only_app(self, headers: dict[str, str]) -> str:
        apps = await self._asked("GET", f"{self._server}/list-apps", headers)
        if not isinstance(apps, list) or not all(isinstance(each, str) for each in apps):
            raise AgentFailedError("the ADK server answered /list-apps with no list of names")
        if len(apps) != 1:
            named = ", ".join(apps) or "none"
            raise AgentUnreachableError(
                f"the ADK server has these apps: {named}; add ?app=NAME to its URL"
            )
        return str(apps[0])

    async def _asked(
        self, verb: str, url: str, headers: dict[str, str], body: JsonObject | None = None
    ) -> Json:
        try:
            response = await self._client.request(verb, url, json=body, headers=headers)
        except httpx.TransportError as error:
            raise TransportError(f"{url}: {str(error) or type(error).__name__}") from None
        refuse_status(response)
        if response.status_code >= 400:
            text = response.text[:500]
            raise AgentFailedError(f"the ADK server answered HTTP {response.status_code}: {text}")
        try:
            return decoded(response.content)
        except ValueError as error:
            raise AgentFailedError(f"the ADK server answered no JSON: {error}") from None
