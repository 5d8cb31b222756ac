"""One line for each request, for who watches a server: what was asked, who answered, how long."""

import asyncio
import re
import threading
from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TextIO

import orjson

from mockserver.sessions.journal import Entry
from mockserver.state import RealTime

if TYPE_CHECKING:
    import uvicorn

    from mockserver.http.application import Application

_TRACE = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-")

LogFormat = Literal["text", "json"]

_MOST_WAITING = 10_000
"""Requests that may wait for a slow reader; of more, the oldest are left out."""

_LAST_WORDS_S = 1.0
"""How long the end of the server waits for the reader of the log."""


class RequestLog:
    """Writes the journal entries of all sessions to a stream, in a thread of its own.

    What a line shows is in the journal, so it holds no secrets.

    Args:
        stream: Where the lines go.
        log_format: `text`, or `json` for one object a line.
        real: Real time; the clocks of sessions may stand still.
    """

    def __init__(self, stream: TextIO, log_format: LogFormat, real: RealTime) -> None:
        self._stream = stream
        self._line = json_line if log_format == "json" else text_line
        self._real = real
        self._waiting: deque[tuple[datetime, str, Entry]] = deque(maxlen=_MOST_WAITING)
        self._left_out = 0
        self._wake = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._write_all, name="request log", daemon=True)

    async def start(self, application: "Application", _server: "uvicorn.Server") -> None:
        """Begin to follow the sessions of a server."""
        application.sessions.observe(self.note)
        self._thread.start()

    async def stop(self) -> None:
        """Write what is left; a reader that does not read is left alone."""
        self._ended = True
        self._wake.set()
        if self._thread.ident is not None:
            await asyncio.to_thread(self._thread.join, _LAST_WORDS_S)

    def note(self, session: str, entry: Entry) -> None:
        """Take an entry; returns at once."""
        if len(self._waiting) == _MOST_WAITING:
            self._left_out += 1
        self._waiting.append((self._real(), session, entry))
        if not self._wake.is_set():
            self._wake.set()

    def _write_all(self) -> None:
        while not self._ended or self._waiting:
            self._wake.wait()
            self._wake.clear()
            lines = []
            while self._waiting:
                lines.append(self._line(*self._waiting.popleft()))
            left_out, self._left_out = self._left_out, 0
            if left_out:
                lines.insert(0, f"understudy: {left_out} requests before these are not shown\n")
            try:
                self._stream.write("".join(lines))
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads any more
                return


def text_line(at: datetime, session: str, entry: Entry) -> str:
    """A request as people read it: time, request, method id, status, source, session, duration.

    A request that nothing could answer says why, and what the nearest would have been.
    """
    asked = _printable(f"{entry.http_method} {entry.host}{entry.path}")
    method_id = _printable(entry.method_id) or "-"
    fault = f" fault={_printable(entry.fault)}" if entry.fault else ""
    line = (
        f"{at:%H:%M:%S}.{at.microsecond // 1000:03} {asked} {method_id} {entry.status}"
        f" {entry.source} {_printable(session) or '-'} {entry.duration_ms:.1f} ms{fault}"
    )
    miss = entry.miss
    if miss is not None:
        line += f" | {miss.blame}: {_printable(miss.reason + miss.near)}"
    return f"{line}\n"


def json_line(at: datetime, session: str, entry: Entry) -> str:
    """A request as programs read it: an object with the names of the journal.

    It has the `trace_id` of a request that came with one, or that a span was made of.
    """
    found = {
        "time": at.isoformat(timespec="milliseconds"),
        "http_method": entry.http_method,
        "host": entry.host,
        "path": entry.path,
        "method_id": entry.method_id,
        "status": entry.status,
        "source": entry.source,
        "session": session,
        "duration_ms": round(entry.duration_ms, 3),
        "fault": entry.fault,
        "miss": None if entry.miss is None else entry.miss.model_dump(),
    }
    if trace := _TRACE.match(entry.trace):
        found["trace_id"] = trace[1].decode()
    try:
        return orjson.dumps(found).decode() + "\n"
    except TypeError:  # a lone surrogate, which a client may have sent
        return _printable(repr(found)) + "\n"


def _printable(text: str) -> str:
    """A text without what would move the cursor of a terminal."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
