"""Agents behind a chat URL: `http://host/path` or `https://...`, answering JSON or a stream.

An ADK API server is asked for a session first, with the variables of the case as its state.
"""

from time import perf_counter
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
import orjson
from typing_extensions import override

from harness.agents.profiles import ADK_USER, PROFILES, without_parameter
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import decode_json
from harness.agents.transport import (
    EventReader,
    agent_headers,
    ask_each_turn,
    client_of,
    exchange_error,
    refuse_flood,
    refuse_status,
    request_json,
)
from harness.errors import HarnessError
from harness.model import Json, JsonObject, Reply


class HttpAgent(AgentDriver):
    """Posts each turn with the conversation so far; the Content-Type says how to read the reply."""

    holds_conversations = True

    def __init__(self, url: str, options: DriverOptions) -> None:
        """Make the connection pool.

        Raises:
            HarnessError: The URL is none.
        """
        self._profile = PROFILES[options.profile](url)
        self._url = _parse_url(self._profile.url)
        self._options = options
        self._client = client_of(options)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        headers = self._headers(task)
        chat: list[str] = []

        async def ask(turn: int, prompt: str) -> None:
            if not chat:
                chat.append(await self._open_chat(task, headers))
            body = orjson.dumps(self._profile.body(task, transcript.messages(prompt), chat[0]))
            transcript.replies.append(await self._ask(headers, body, turn, prompt))

        await ask_each_turn(task, transcript, self._options, ask)

    @override
    async def close(self) -> None:
        await self._client.aclose()

    async def _open_chat(self, _task: Task, _headers: dict[str, str]) -> str:
        """The id of the chat, of servers that open one first."""
        return ""

    def _headers(self, task: Task) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "text/event-stream, */*"}
        if task.fixtures is not None:
            headers["x-eval-test-mode"] = "1"
        return headers | agent_headers(task, self._options)

    async def _ask(self, headers: dict[str, str], body: bytes, turn: int, prompt: str) -> Reply:
        start = perf_counter()
        answering = False
        try:
            async with self._client.stream(
                "POST", self._url, content=body, headers=headers
            ) as response:
                first_byte_ms = (perf_counter() - start) * 1000
                refuse_status(response)
                answering = True
                reply = await self._read(response, turn, prompt)
        except httpx.RequestError as error:
            raise exchange_error(error, str(self._url), answering=answering) from None
        took = (perf_counter() - start) * 1000
        return reply.model_copy(update={"duration_ms": took, "first_byte_ms": first_byte_ms})

    async def _read(self, response: httpx.Response, turn: int, prompt: str) -> Reply:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code >= 400:
            text = (await self._whole(response))[:500].decode(errors="replace")
            raise AgentFailedError(f"the agent answered HTTP {response.status_code}: {text}")
        if kind == "text/event-stream":
            return await self._read_stream(response, turn, prompt)
        body = await self._whole(response)
        if kind == "text/plain":
            text = body.decode(errors="replace")
            return Reply(turn=turn, prompt=prompt, text=text, reports_calls=False)
        if kind == "application/json" or kind.endswith("+json"):
            return self._profile.read(_decode_body(body), turn=turn, prompt=prompt)
        raise AgentFailedError(
            f"the agent answered {kind or 'no content type'}, expected application/json,"
            " text/event-stream or text/plain"
        )

    async def _read_stream(self, response: httpx.Response, turn: int, prompt: str) -> Reply:
        events, stream, seen = EventReader(self._options.max_reply_bytes), self._profile.stream(), 0
        async for chunk in response.aiter_bytes():
            seen += len(chunk)
            refuse_flood(seen, self._options)
            for line, data in events.feed(chunk):
                stream.take(line, data)
        for line, data in events.end():
            stream.take(line, data)
        return stream.reply(turn=turn, prompt=prompt)

    async def _whole(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            refuse_flood(len(body), self._options)
        return bytes(body)


def _decode_body(body: bytes) -> object:
    try:
        return decode_json(body)
    except ValueError as error:
        raise AgentFailedError(f"the reply is not JSON: {error}") from None


def _parse_url(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise HarnessError(f"{url!r} is no URL: {error}") from None


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
    async def _open_chat(self, task: Task, headers: dict[str, str]) -> str:
        app = self._app or await self._only_app(headers)
        url = f"{self._server}/apps/{quote(app, safe='')}/users/{ADK_USER}/sessions"
        session = await self._request_json("POST", url, headers, {"state": task.case.variables})
        id = session.get("id") if isinstance(session, dict) else None
        if not isinstance(id, str) or not id:
            raise AgentFailedError("the ADK server opened a session without an id")
        return f"{app}/{id}"

    async def _only_app(self, headers: dict[str, str]) -> str:
        apps = await self._request_json("GET", f"{self._server}/list-apps", headers)
        if not isinstance(apps, list) or not all(isinstance(each, str) for each in apps):
            raise AgentFailedError("the ADK server answered /list-apps with no list of names")
        if len(apps) != 1:
            named = ", ".join(apps) or "none"
            raise AgentUnreachableError(
                f"the ADK server has these apps: {named}; add ?app=NAME to its URL"
            )
        return str(apps[0])

    async def _request_json(
        self, verb: str, url: str, headers: dict[str, str], body: JsonObject | None = None
    ) -> Json:
        request = self._client.build_request(verb, url, json=body, headers=headers)
        return await request_json(self._client, request, "the ADK server")
