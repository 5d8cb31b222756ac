"""The events of a run: kept for clients that come late, streamed to those that listen."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

import orjson

from harness.model import JsonObject

MOST_KEPT = 10_000
HEARTBEAT_S = 15.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        id: Counts from 1.
        name: `queued`, `started`, `trial`, `warning`, `finished`.
        data: What is said of it.
    """

    id: int
    name: str
    data: JsonObject

    def to_bytes(self) -> bytes:
        """As a server-sent event."""
        head = f"id: {self.id}\nevent: {self.name}\ndata: ".encode()
        return head + orjson.dumps(self.data) + b"\n\n"


class EventLog:
    """The events of one run; the newest are kept, and it is over at some point."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._events: deque[Event] = deque(maxlen=most)
        self._last = 0
        self._changed = asyncio.Event()
        self.over = False

    def add(self, name: str, data: JsonObject) -> None:
        """Note an event."""
        self._last += 1
        self._events.append(Event(self._last, name, data))
        self._wake()

    def close(self) -> None:
        """Nothing more will happen."""
        self.over = True
        self._wake()

    def after(self, last: int) -> list[Event]:
        """The events that are kept and came after one, oldest first."""
        return [event for event in self._events if event.id > last]

    async def follow(self, last: int = 0, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
        """Every event after one, as they come, up to the end; now and then a comment.

        Yields:
            Server-sent events.
        """
        while True:
            changed = self._changed
            for event in self.after(last):
                last = event.id
                yield event.to_bytes()
            if self.over and not self.after(last):
                return
            if changed is self._changed:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), heartbeat_s)
                    continue
                yield b": still here\n\n"

    def _wake(self) -> None:
        """Wake everyone who waits; who comes now waits for the next change."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def last_seen(header: str) -> int:
    """The event that a client saw last, by its `Last-Event-ID`; 0 where it says nothing sensible.

    >>> last_seen("17"), last_seen(""), last_seen("x")
    (17, 0, 0)
    """
    return int(header) if header.isdecimal() and header.isascii() and len(header) < 19 else 0
