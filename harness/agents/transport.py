"""HTTP to agents: allowed addresses only, retries with pauses, server-sent events."""

import asyncio
import codecs
import hashlib
import json
import os
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from urllib.parse import quote, urlsplit

import httpcore
import httpx
from typing_extensions import override

from harness.agents.addresses import Destinations, place_of
from harness.agents.protocol import (
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import decode_json
from harness.errors import HarnessError
from harness.model import Attempt, Json


def transport_to(destinations: Destinations | None) -> httpx.AsyncBaseTransport | None:
    """What carries requests there; None, which is httpx's own, where an agent may be anywhere.

    Proxies that the environment names are not asked: they would look names up themselves.
    """
    return None if destinations is None else CheckedTransport(destinations)


def client_of(options: DriverOptions) -> httpx.AsyncClient:
    """The connections of all trials of a run to an agent: as many as they need.

    Only connecting has a time limit; how long an answer may take is the trial's concern.
    """
    return httpx.AsyncClient(
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
        limits=httpx.Limits(max_connections=None),
        transport=transport_to(options.destinations),
    )


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


CONNECT_TIMEOUT_S = 10.0
RETRIED_STATUSES = frozenset({429, 502, 503, 504})
_MISCONFIGURED = frozenset({401, 403, 404, 405, 407})

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


def connection_problem(error: BaseException, url: str) -> str:
    """Why no answer came from a URL, in the operating system's own words where it has some.

    Args:
        error: What a client raised: an error of httpx or httpx2, or a group of them.
        url: What was asked.
    """
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return f"the name {parts.hostname!r} has no address"
        if isinstance(cause, OSError) and cause.errno and not isinstance(cause, ssl.SSLError):
            return f"{os.strerror(cause.errno).lower()} at {parts.hostname}:{port}"
    named = next((text for cause in causes if (text := str(cause).strip())), "")
    if not named and any("ConnectTimeout" in type(cause).__name__ for cause in causes):
        return f"no connection within {CONNECT_TIMEOUT_S:g} s at {parts.hostname}:{port}"
    return (named or type(causes[0]).__name__).splitlines()[0]


def exchange_error(error: httpx.RequestError, url: str, *, answering: bool) -> Exception:
    """What to raise for a request without a whole answer.

    Args:
        error: What the client raised.
        url: What was asked; empty where nobody knows.
        answering: Whether the agent had begun to answer, so that asking again may repeat something.
    """
    if isinstance(error, httpx.DecodingError):
        return AgentFailedError(f"the reply is not of the encoding it says: {error_text(error)}")
    if answering:
        return AgentFailedError(f"the connection broke in mid-answer: {error_text(error)}")
    place = f"{place_of(url)}: " if url else ""
    return TransportError(f"{place}{connection_problem(error, url)}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, whatever the libraries between hide of that.

    Yields:
        Each, of a group its first one.
    """
    while error is not None:
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
            continue
        yield error
        error = error.__cause__ or error.__context__


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


def retries_for(task: Task, options: DriverOptions) -> Retries:
    """How the turns of a task are tried again."""
    return Retries(options.retries, key=task.session or task.case.id)


async def ask_each_turn(
    task: Task,
    transcript: Transcript,
    options: DriverOptions,
    ask: Callable[[int, str], Awaitable[None]],
) -> None:
    """Put the turns of a task to an agent, each again after a transport error.

    Args:
        task: Whose turns.
        transcript: Gets each attempt.
        options: How often a turn is tried again.
        ask: Puts one turn, by its number and its text, and notes the reply.

    Raises:
        AgentFailedError: The agent failed.
        AgentUnreachableError: Every attempt at a turn met a transport error.
    """
    retries = retries_for(task, options)
    async for turn, prompt in task.turns(transcript):
        await retries.turn(transcript, turn, partial(ask, turn, prompt))


def refuse_status(response: httpx.Response) -> None:
    """Raise for an answer that says that the agent was not reached, or cannot work now.

    Raises:
        TransportError: It may work when it is asked again.
        AgentUnreachableError: Something is wrong with the URL or the credentials.
    """
    refuse_busy(response)
    if response.status_code in _MISCONFIGURED or response.has_redirect_location:
        raise AgentUnreachableError(
            f"{status_line(response)} (check the agent's URL, --header and --token)"
        )


def refuse_busy(response: httpx.Response) -> None:
    """Raise for an answer that says that the agent cannot work just now.

    Raises:
        TransportError: It says so, perhaps with the pause that it asks for.
    """
    if response.status_code in RETRIED_STATUSES:
        pause = response.headers.get("retry-after", "")
        raise TransportError(
            status_line(response), wait_s=float(pause) if pause.isdigit() else None
        )


def status_line(response: httpx.Response) -> str:
    """Who answered, and the status."""
    place = place_of(str(response.url))
    return f"{place}: HTTP {response.status_code} {response.reason_phrase}".rstrip()


async def request_json(client: httpx.AsyncClient, request: httpx.Request, server: str) -> Json:
    """What a server answers beside its agents' replies.

    Args:
        client: What sends the request.
        request: It, whole.
        server: What the server is called in messages.

    Raises:
        TransportError: It was not reached.
        AgentUnreachableError: It refuses.
        AgentFailedError: It fails, or answers no JSON.
    """
    try:
        response = await client.send(request)
    except httpx.RequestError as error:
        raise exchange_error(error, str(request.url), answering=False) from None
    refuse_status(response)
    refuse_failure(response.status_code, response.text, server)
    try:
        return decode_json(response.content)
    except ValueError as error:
        raise AgentFailedError(f"{server} answered no JSON: {error}") from None


def refuse_failure(status: int, text: str, server: str) -> None:
    """Raise for the answer of a server that failed.

    Raises:
        AgentFailedError: The status says so.
    """
    if status >= 400:
        raise AgentFailedError(f"{server} answered HTTP {status}: {text[:500]}")


def refuse_flood(size: int, options: DriverOptions) -> None:
    """Raise for a reply that goes on and on.

    Raises:
        AgentFailedError: It has more bytes than the options allow.
    """
    if size > options.max_reply_bytes:
        raise AgentFailedError(f"the reply is longer than {options.max_reply_bytes} bytes")


def error_text(error: Exception) -> str:
    """What an error says; its type where it says nothing."""
    return str(error) or type(error).__name__


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
