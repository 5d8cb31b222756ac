"""A line for each request to the server, for who watches it; no query, header or body."""

import contextlib
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Literal

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from harness.runner import Clock

LogFormat = Literal["text", "json"]


def write_to_stderr(line: str) -> None:
    """Write a line to standard error as it is now; nobody need read it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


class RequestLog:
    """Writes what was asked, the status and how long it took, once a request is answered.

    Args:
        app: What answers.
        clock: The time of day.
        write: Takes a line, without its end.
        log_format: `text`, or `json` for one object a line.
    """

    def __init__(
        self, app: ASGIApp, *, clock: Clock, write: Callable[[str], None], log_format: LogFormat
    ) -> None:
        self._app = app
        self._clock = clock
        self._write = write
        self._format = log_format

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and write the line."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 500, perf_counter()

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            self._write(self._line(scope, status, (perf_counter() - began) * 1000))

    def _line(self, scope: Scope, status: int, took_ms: float) -> str:
        at, path = self._clock(), scope["path"].encode("unicode_escape").decode()
        if self._format == "text":
            time = f"{at:%H:%M:%S}.{at.microsecond // 1000:03}"
            return f"{time} {scope['method']} {path} {status} {took_ms:.1f} ms"
        found = {
            "time": at.isoformat(timespec="milliseconds"),
            "http_method": scope["method"],
            "path": path,
            "status": status,
            "duration_ms": round(took_ms, 3),
        }
        return orjson.dumps(found).decode()
