"""HTTP to agents: allowed addresses only, retries with pauses, server-sent events."""

import asyncio
import codecs
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from urllib.parse import quote

import httpcore
import httpx
from typing_extensions import override

from harness.agents.addresses import Destinations
from harness.agents.protocol import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.errors import HarnessError
from harness.model import Attempt


def transport_to(destinations: Destinations | None) -> httpx.AsyncBaseTransport | None:
    """What carries requests there; None, which is httpx's own, where an agent may be anywhere.

    Proxies that the environment names are not asked: they would look names up themselves.
    """
    return None if destinations is None else CheckedTransport(destinations)


class CheckedTransport(httpx.AsyncHTTPTransport):
    """Connects to addresses that were checked.

    Args:
        destinations: Which they are.
    """

    def __init__(self, destinations: Destinations) -> None:
        super().__init__()
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=None,
            network_backend=CheckedBackend(destinations),
        )


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were checked, never to a name."""

    def __init__(self, destinations: Destinations) -> None:
        self._destinations = destinations
        self._backend = httpcore.AnyIOBackend()

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._destinations.addresses(host, port)
        except HarnessError as error:
            raise httpcore.ConnectError(str(error)) from None
        for address in addresses[:-1]:
            try:
                return await self._backend.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(
            addresses[-1], port, timeout, local_address, socket_options
        )

    @override
    async def sleep(self, seconds: float) -> None:
        await self._backend.sleep(seconds)


RETRIED_STATUSES = frozenset({429, 502, 503, 504})

FIRST_PAUSE_S = 0.25
FACTOR = 1.8
LONGEST_PAUSE_S = 5.0


def session_headers(task: Task) -> dict[str, str]:
    """What tells a running service, in each request, which session it is for and how to reach it.

    A process that runs already has no environment block of the session: it comes along.
    """
    if not task.session:
        return {}
    headers = {"x-mock-session": task.session, "baggage": f"mock.session={task.session}"}
    if url := task.env.get("GOOGLE_API_BASE_URL"):
        headers["x-mock-url"] = url
        headers["baggage"] += f",mock.url={quote(url, safe='')}"
    if task.env:
        headers["x-mock-env"] = json.dumps(dict(task.env), separators=(",", ":"))
    return headers


def agent_headers(task: Task, options: DriverOptions) -> dict[str, str]:
    """The headers of every request to an agent: the session's, its credentials, the user's own."""
    headers = session_headers(task)
    if token := options.token or task.token:
        headers["authorization"] = f"Bearer {token}"
    return headers | {name.lower(): value for name, value in options.headers.items()}


class TransportError(Exception):
    """The turn failed before the first byte of an answer, so that trying again repeats nothing.

    Attributes:
        wait_s: The pause that the agent asks for, seconds, or None.
    """

    def __init__(self, message: str, *, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a turn is tried again, with pauses that grow and differ between trials.

    Attributes:
        times: Further attempts after the first.
        key: What the spread of the pauses is derived from; equal keys pause alike.
    """

    times: int
    key: str = ""

    def pause_s(self, number: int, retry_after_s: float | None = None) -> float:
        """Seconds to wait after a failed attempt (numbered from 1).

        >>> Retries(times=2).pause_s(1) <= Retries(times=2).pause_s(9) <= LONGEST_PAUSE_S
        True
        """
        if retry_after_s is not None:
            return min(retry_after_s, LONGEST_PAUSE_S)
        digest = hashlib.sha256(f"{self.key}/{number}".encode()).digest()
        spread = 0.5 + digest[0] / 510  # 0.5 to 1
        return min(FIRST_PAUSE_S * FACTOR ** (number - 1), LONGEST_PAUSE_S) * spread

    async def turn(
        self, transcript: Transcript, number: int, attempt: Callable[[], Awaitable[None]]
    ) -> None:
        """Try one turn until it is answered; every attempt is noted in the transcript.

        Raises:
            AgentFailedError: The agent failed; that is never tried again.
            AgentUnreachableError: Every attempt met a transport error.
        """
        for tried in range(1, self.times + 2):
            start = perf_counter()
            note = Attempt(turn=number, number=tried)
            try:
                await attempt()
            except TransportError as error:
                last = tried > self.times
                pause = 0.0 if last else self.pause_s(tried, error.wait_s)
                transcript.attempts.append(_finish_attempt(note, start, str(error), pause))
                if last:
                    raise AgentUnreachableError(str(error)) from None
                await asyncio.sleep(pause)
            except (AgentFailedError, AgentUnreachableError) as error:
                transcript.attempts.append(_finish_attempt(note, start, str(error)))
                raise
            else:
                transcript.attempts.append(_finish_attempt(note, start))
                return


def _finish_attempt(note: Attempt, start: float, error: str = "", pause_s: float = 0) -> Attempt:
    took = (perf_counter() - start) * 1000
    return note.model_copy(
        update={"error": error, "duration_ms": took, "waited_ms": pause_s * 1000}
    )


class EventReader:
    """Turns the bytes of a stream into its events, however they are cut into chunks.

    Attributes:
        name: What the event that was yielded last is called; empty: `message`.
    """

    def __init__(self, max_bytes: int) -> None:
        """Refuse a single line longer than `max_bytes`."""
        self._max_bytes = max_bytes
        self._rest = b""
        self.name = ""
        self._next_name = ""
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
        name, _, value = self._decode_line(line).partition(":")
        if name not in {"data", "event", "id", "retry"}:
            raise AgentFailedError(
                f"malformed event stream: line {self._line} starts with {name[:40]!r}, expected"
                " data, event, id or retry"
            )
        if name == "event":
            self._next_name = value.removeprefix(" ")
        if name == "data":
            self._first_line = self._first_line or self._line
            self._data.append(value.removeprefix(" "))
        return None

    def _decode_line(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            raise AgentFailedError(
                f"malformed event stream: line {self._line} is not UTF-8 (byte {error.start})"
            ) from None

    def _event(self) -> tuple[int, str] | None:
        self.name, self._next_name = self._next_name, ""
        if not self._data:
            return None
        event = (self._first_line, "\n".join(self._data))
        self._data, self._first_line = [], 0
        return event
