"""Server-sent events as chat streams use them: `data:` lines, a blank line after each event."""

import codecs
from collections.abc import Iterator

from harness.agents.protocol import AgentFailedError


class EventReader:
    """Turns the bytes of a stream into its events, however they are cut into chunks."""

    def __init__(self, max_bytes: int) -> None:
        """Refuse a single line longer than `max_bytes`."""
        self._max_bytes = max_bytes
        self._rest = b""
        self._data: list[str] = []
        self._first_line = 0
        self._line = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[int, str]]:
        """Take a chunk; yield each event that it completes.

        Yields:
            The number of the event's first line, from 1, and its data.

        Raises:
            AgentFailedError: A line is no field of an event, not UTF-8, or far too long.
        """
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._line += 1
            if self._line == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            event = self._take(line.removesuffix(b"\r"))
            if event is not None:
                yield event
        if len(self._rest) > self._max_bytes:
            raise AgentFailedError(f"malformed event stream: line {self._line + 1} has no end")

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the last event when the stream ended without the blank line after it.

        Yields:
            The number of the event's first line and its data.

        Raises:
            AgentFailedError: The last line is no field of an event.
        """
        if self._rest:
            yield from self.feed(b"\n")
        yield from self.feed(b"\n")

    def _take(self, line: bytes) -> tuple[int, str] | None:
        if not line:
            return self._event()
        if line.startswith(b":"):
            return None
        name, _, value = self._decoded(line).partition(":")
        if name not in {"data", "event", "id", "retry"}:
            raise AgentFailedError(
                f"malformed event stream: line {self._line} starts with {name[:40]!r}, expected"
                " data, event, id or retry"
            )
        if name == "data":
            self._first_line = self._first_line or self._line
            self._data.append(value.removeprefix(" "))
        return None

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            raise AgentFailedError(
                f"malformed event stream: line {self._line} is not UTF-8 (byte {error.start})"
            ) from None

    def _event(self) -> tuple[int, str] | None:
        if not self._data:
            return None
        event = (self._first_line, "\n".join(self._data))
        self._data, self._first_line = [], 0
        return event
