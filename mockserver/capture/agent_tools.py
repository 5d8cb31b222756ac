"""Records the tools inside an agent: they run for real, and what they return is kept, redacted.

It is asked as a session is (`mockserver.tools`): for each call whether the tool is to run, and then
told what came of it. A call is recorded as one to an MCP server is.
"""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any
from urllib.parse import unquote

import orjson

from mockserver.capture.proxy import Clock, Receive, Send
from mockserver.capture.recorder_queue import RecorderQueue
from mockserver.capture.upstream import Scope
from mockserver.messages.mcp_calls import (
    AGENT_TOOLS,
    TOOL_CALL,
    McpCall,
    mcp_interaction,
    reads_by_name,
    tool_result,
)
from mockserver.model import JsonObject

_MOST_UNDER_WAY = 10_000
_LARGEST = 16 * 1024 * 1024
_JSON = [(b"content-type", b"application/json")]

Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class AgentToolRecorder:
    """Answers the calls of tools inside a program, and leaves all other requests to a proxy.

    Args:
        proxy: What answers the other requests.
        queue: What records.
        prefix: Where the tools are asked, `/UNDERSTUDY_TOOLS/`.
        clock: Real time.
    """

    def __init__(
        self, proxy: Application, queue: RecorderQueue, prefix: str, *, clock: Clock
    ) -> None:
        self._proxy = proxy
        self._queue = queue
        self._prefix = prefix
        self._clock = clock
        self._began: dict[int, float] = {}
        self._latest = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            await self._proxy(scope, receive, send)
            return
        raw = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        name = unquote(raw[len(self._prefix) :])
        told = await _read_object(receive)
        if told is None:
            await self._queue.report_unrecorded("tool", name, "its call is too large, or no JSON")
            await _answer(send, 400, {"error": {"message": f"the call of {name!r} is no JSON"}})
        elif scope["method"] == "POST":
            self._latest += 1
            if len(self._began) < _MOST_UNDER_WAY:
                self._began[self._latest] = perf_counter()
            await _answer(send, 200, {"real": self._latest, "named": True})
        else:
            await self._record(name, told)
            await _answer(send, 200, {"result": told.get("result")})

    async def _record(self, name: str, told: JsonObject) -> None:
        error, call = told.get("error"), told.get("call")
        began = self._began.pop(call, None) if isinstance(call, int) else None
        if isinstance(error, dict):
            kind = str(error.get("type", ""))
            result = tool_result(str(error.get("message", "")), failed=True, kind=kind)
        else:
            result = tool_result(told.get("result"))
        params = {"name": name, "arguments": told.get("arguments") or {}}
        took = 0.0 if began is None else (perf_counter() - began) * 1000
        interaction = mcp_interaction(
            AGENT_TOOLS,
            McpCall(TOOL_CALL, params, result),
            reads=reads_by_name(name),
            recorded_at=self._clock().isoformat(timespec="milliseconds"),
            duration_ms=round(took, 3),
        )
        await self._queue.record(interaction)


async def _read_object(receive: Receive) -> JsonObject | None:
    content = bytearray()
    while True:
        message = await receive()
        content += message.get("body", b"")
        if not message.get("more_body"):
            break
        if len(content) > _LARGEST:
            return None
    try:
        found: Any = orjson.loads(bytes(content))
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


async def _answer(send: Send, status: int, value: JsonObject) -> None:
    await send({"type": "http.response.start", "status": status, "headers": _JSON})
    await send({"type": "http.response.body", "body": orjson.dumps(value)})
