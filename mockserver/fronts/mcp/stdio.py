"""MCP over standard input and output: of a world of its own, or of a running server's session."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import orjson

from mockserver.errors import ServerUnavailableError
from mockserver.fronts.mcp.front import MAX_MESSAGE_BYTES, require_sdk
from mockserver.http.application import Application
from mockserver.http.server import log_safely, real_time
from mockserver.sessions.session import DEFAULT_ID
from mockserver.settings import Settings

_BOTH = "application/json, text/event-stream"
_VERSION = "io.modelcontextprotocol/protocolVersion"
_SESSION = "mcp-session-id"
_INTERNAL_ERROR = -32603
_INVALID_REQUEST = -32600
_PARSE_ERROR = -32700
_CONNECT_S = 5.0


def serve_world(settings: Settings) -> None:
    """Serve the default session of some settings to the client that started this process.

    Ends when standard input does. Nothing but the protocol goes to standard output.

    Raises:
        MockServerError: The extra `mcp` is not installed, or the suite cannot be served.
    """
    require_sdk()
    import anyio
    from mcp.server.stdio import stdio_server

    from mockserver.fronts.mcp.replay import session_server

    log_safely()
    application = Application(settings, real=real_time)
    session = application.sessions.get(DEFAULT_ID)
    server = session_server(session, application.dispatcher)

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def relay(url: str, headers: Mapping[str, str]) -> None:
    """Hand on what comes on standard input to an MCP endpoint over HTTP, and its answers back.

    Args:
        url: The endpoint, `http://127.0.0.1:8765/s/<id>/mcp`.
        headers: What is sent with each request.
    """
    asyncio.run(_Relay(url, headers).run())


class _Relay:
    """Messages of one client on their way to an endpoint and back."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {**headers, "accept": _BOTH, "content-type": "application/json"}
        self._timeout = httpx.Timeout(None, connect=_CONNECT_S)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        async with httpx.AsyncClient(timeout=self._timeout, trust_env=False) as client:
            self._client = client
            async for line in _lines():
                message = _parse_message(line)
                if message is None:
                    _write(_error(None, _PARSE_ERROR, "a line is no JSON object"))
                elif message.get("method") == "initialize":
                    await self._initialize(message)
                elif "id" not in message:
                    await self._send(message)  # in order: what follows may build on it
                else:
                    self._start(self._send(message))
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=_CONNECT_S)
            await self._end()

    async def _initialize(self, message: dict[str, Any]) -> None:
        self._headers.pop(_SESSION, None)
        await self._send(message)
        if _SESSION in self._headers:
            self._start(self._listen())

    async def _send(self, message: dict[str, Any]) -> None:
        try:
            async with self._client.stream(
                "POST",
                self._url,
                content=orjson.dumps(message),
                headers={**self._headers, **_modern(message)},
            ) as response:
                await self._take(message, response)
        except httpx.HTTPError as error:
            if "id" in message:
                text = f"the mock server does not answer: {str(error) or type(error).__name__}"
                _write(_error(message["id"], _INTERNAL_ERROR, text))

    async def _take(self, message: dict[str, Any], response: httpx.Response) -> None:
        session = response.headers.get(_SESSION)
        if session is not None:
            self._headers[_SESSION] = session
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            await _events(response)
            return
        body = await response.aread()
        if "id" not in message:
            return
        answer = _parse_message(body)
        if answer is None or answer.get("jsonrpc") != "2.0":
            text = body.decode(errors="replace")[:400]
            answer = _error(message["id"], _INVALID_REQUEST, f"HTTP {response.status_code}: {text}")
        _write({**answer, "id": message["id"]})

    async def _listen(self) -> None:
        """Hand on what the server says unasked; where it says nothing that way, nothing is lost."""
        with contextlib.suppress(httpx.HTTPError):
            async with self._client.stream("GET", self._url, headers=self._headers) as response:
                if response.status_code == httpx.codes.OK:
                    await _events(response)

    async def _end(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        if _SESSION in self._headers:
            with contextlib.suppress(httpx.HTTPError):
                await self._client.delete(self._url, headers=self._headers)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _lines() -> AsyncIterator[bytes]:
    reader = asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while True:
        try:
            line = await reader.readline()
        except ValueError as error:
            text = f"a message is over the limit of {MAX_MESSAGE_BYTES} bytes"
            raise ServerUnavailableError(text) from error
        if not line:
            return
        if line.strip():
            yield line


async def _events(response: httpx.Response) -> None:
    data: list[str] = []
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            message = _parse_message("\n".join(data).encode())
            data.clear()
            if message is not None:
                _write(message)


def _parse_message(text: bytes) -> dict[str, Any] | None:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _modern(message: dict[str, Any]) -> dict[str, str]:
    """The headers that say what a message without a handshake is of."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION) if isinstance(meta, dict) else None
    if not isinstance(params, dict) or not isinstance(version, str):
        return {}
    headers = {"mcp-protocol-version": version, "mcp-method": str(message.get("method", ""))}
    name = params.get("name", params.get("uri"))
    return {**headers, "mcp-name": name} if isinstance(name, str) else headers


def _error(message_id: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": text}}


def _write(message: dict[str, Any]) -> None:
    view = memoryview(orjson.dumps(message) + b"\n")
    while view:
        view = view[os.write(1, view) :]
