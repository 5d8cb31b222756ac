"""Agents behind A2A, `a2a:http://host`, by its official SDK: discovered by their cards.

The agent's contextId makes the turns of a case one conversation. A task that needs input gets the
next turn; one that is still open when a trial is stopped is cancelled.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx
from typing_extensions import override

from harness.agents.a2a_tasks import AUTH_REQUIRED, CANCELED, FAILED, INPUT_REQUIRED, TaskReader
from harness.agents.addresses import place_of
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.transport import (
    TransportError,
    agent_headers,
    ask_each_turn,
    client_of,
    exchange_error,
    refuse_flood,
    refuse_status,
)
from harness.errors import HarnessError
from harness.model import Json

MISSING = "pip install 'understudy[a2a]'"
BINDINGS = ("JSONRPC", "HTTP+JSON")
"""The transports that are spoken, the preferred one of the card first."""

_FIRST_POLL_S = 0.1
_LONGEST_POLL_S = 2.0
_ELSEWHERE = ("MethodNotFound", "VersionNotSupported", "ExtensionSupportRequired")
"""Errors of an agent that speaks something else; nothing about its quality."""


class A2aAgent(AgentDriver):
    """Sends each turn as a message, by a stream where the agent's card says that it has them.

    Args:
        url: The agent, or its card where the URL ends with `.json`.
        options: The same as of `http:` agents.
    """

    holds_conversations = True

    def __init__(self, url: str, options: DriverOptions) -> None:
        """Make the connection pool.

        Raises:
            HarnessError: The SDK is not installed.
        """
        try:
            import a2a.client  # noqa: F401  (looked for before anything is run)
        except ImportError:
            raise HarnessError("a2a: agents need a2a-sdk", hint=MISSING) from None
        parts = urlsplit(url)
        self._query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self._url = urlunsplit(parts._replace(query="", fragment=""))
        self._options = options
        self._http = client_of(options)
        self._client: Any = None
        self._lock = asyncio.Lock()

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        ask = partial(_Conversation(self, task).ask, transcript)
        await ask_each_turn(task, transcript, self._options, ask)

    @override
    async def close(self) -> None:
        await self._http.aclose()

    @property
    def options(self) -> DriverOptions:
        """What the user said about the agent."""
        return self._options

    async def connect(self, headers: dict[str, str]) -> Any:
        """The client that the agent's card asks for, one for all trials.

        Raises:
            TransportError: The card cannot be had now.
            AgentUnreachableError: There is no card, or none that can be used.
        """
        async with self._lock:
            if self._client is None:
                self._client = await self._make_client(headers)
            return self._client

    async def _make_client(self, headers: dict[str, str]) -> Any:
        from a2a.client import A2ACardResolver, ClientConfig, ClientFactory

        base, path = self._url, None
        if base.endswith(".json"):
            base, _, path = base.rpartition("/")
        arguments = {"headers": headers, "params": self._query or None}
        resolver = A2ACardResolver(self._http, base)
        try:
            card = await resolver.get_agent_card(path, arguments)
        except Exception as error:  # noqa: BLE001  (whatever the SDK makes of a broken card)
            raise _card_error(place_of(self._url), error) from None
        config = ClientConfig(
            httpx_client=self._http, supported_protocol_bindings=list(BINDINGS), streaming=True
        )
        try:
            return ClientFactory(config).create(card)
        except ValueError:
            offered = ", ".join(each.protocol_binding for each in card.supported_interfaces)
            name = card.name or place_of(self._url)
            raise AgentUnreachableError(
                f"the card of {name} offers {offered or 'no interface'};"
                f" spoken here: {', '.join(BINDINGS)}"
            ) from None


class _Conversation:
    """The turns of one trial."""

    def __init__(self, agent: A2aAgent, task: Task) -> None:
        self._agent = agent
        self._task = task
        self._headers = agent_headers(task, agent.options)
        self._context = ""
        self._open_task = ""

    async def ask(self, transcript: Transcript, turn: int, prompt: str) -> None:
        """Send a turn, and note the reply.

        Raises:
            TransportError: The agent was not reached.
            AgentFailedError: It did not do its part.
            AgentUnreachableError: It cannot work.
        """
        client = await self._agent.connect(self._headers)
        start, reader = perf_counter(), TaskReader()
        first_ms: float | None = None
        seen = 0
        try:
            async with contextlib.aclosing(self._events(client, turn, prompt, reader)) as events:
                async for size in events:
                    if first_ms is None:
                        first_ms = (perf_counter() - start) * 1000
                    seen += size
                    refuse_flood(seen, self._agent.options)
        except asyncio.CancelledError:
            await self._cancel(client, reader)
            raise
        except (AgentFailedError, AgentUnreachableError, TransportError):
            raise
        except Exception as error:  # noqa: BLE001  (whatever the SDK makes of a broken answer)
            raise _call_error(error, begun=first_ms is not None) from None
        took = (perf_counter() - start) * 1000
        reply = reader.reply(turn=turn, prompt=prompt)
        transcript.replies.append(
            reply.model_copy(update={"duration_ms": took, "first_byte_ms": first_ms})
        )
        self._context = reader.context or self._context
        self._open_task = reader.task if reader.state == INPUT_REQUIRED else ""
        _refuse_state(reader.state, reply.text)

    async def _events(
        self, client: Any, turn: int, prompt: str, reader: TaskReader
    ) -> AsyncGenerator[int, None]:
        """Feed the reader, until the task comes to an end or waits for the user.

        Yields:
            The size of each event, bytes.
        """
        from a2a.client import ClientCallContext
        from a2a.types import GetTaskRequest

        context = ClientCallContext(service_parameters=self._headers)
        async for event in client.send_message(self._message(turn, prompt), context=context):
            reader.take(_as_json(event))
            yield event.ByteSize()
        pause = _FIRST_POLL_S
        while reader.is_open:
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_POLL_S)
            task = await client.get_task(GetTaskRequest(id=reader.task), context=context)
            reader.take_task(_as_json(task))
            yield task.ByteSize()

    def _message(self, turn: int, prompt: str) -> Any:
        from a2a.types import Message, Part, Role, SendMessageRequest

        message = Message(
            message_id=f"{self._task.session or self._task.case.id}-{turn}",
            role=Role.ROLE_USER,
            parts=[Part(text=prompt)],
            context_id=self._context,
            task_id=self._open_task,
        )
        return SendMessageRequest(message=message)

    async def _cancel(self, client: Any, reader: TaskReader) -> None:
        """Tell the agent that nobody waits any more; it may not have such a thing."""
        from a2a.client import ClientCallContext
        from a2a.types import CancelTaskRequest

        if not reader.is_open:
            return
        context = ClientCallContext(service_parameters=self._headers)
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._agent.options.grace_s):
                await client.cancel_task(CancelTaskRequest(id=reader.task), context=context)


def _as_json(message: Any) -> Any:
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message)


def _refuse_state(state: str, text: str) -> None:
    said = f": {text}" if text else " and says nothing of why"
    if state in {FAILED, CANCELED}:
        raise AgentFailedError(f"the agent's task is {state}{said}")
    if state == AUTH_REQUIRED:
        raise AgentUnreachableError(f"the agent wants credentials (--token, --header){said}")


def _card_error(url: str, error: Exception) -> Exception:
    cause = error.__cause__
    if isinstance(cause, httpx.HTTPStatusError):
        refused = _status_error(cause.response)
        if isinstance(refused, TransportError):
            return refused
    elif isinstance(cause, httpx.RequestError):
        return exchange_error(cause, url, answering=False)
    place = url if url.endswith(".json") else f"{url.rstrip('/')}/.well-known/agent-card.json"
    why: Json = _first_line(cause or error)
    if isinstance(cause, httpx.HTTPStatusError):
        why = f"HTTP {cause.response.status_code}"
    return AgentUnreachableError(f"no agent card at {place}: {why}")


def _call_error(error: Exception, *, begun: bool) -> Exception:
    """What an error of the SDK says about the agent."""
    cause = error.__cause__
    if isinstance(cause, httpx.HTTPStatusError):
        return _status_error(cause.response) or AgentFailedError(
            f"the agent answered HTTP {cause.response.status_code}"
        )
    if isinstance(cause, httpx.RequestError):
        return exchange_error(cause, _requested_url(cause), answering=begun)
    kind = type(error).__name__
    if kind.startswith(_ELSEWHERE):
        return AgentUnreachableError(f"the agent does not speak this A2A: {_first_line(error)}")
    return AgentFailedError(f"the agent reports an error: {_first_line(error)}")


def _status_error(response: httpx.Response) -> Exception | None:
    try:
        refuse_status(response)
    except (TransportError, AgentUnreachableError) as error:
        return error
    return None


def _requested_url(error: httpx.RequestError) -> str:
    """Where it was; the card may have led elsewhere than the user did."""
    try:
        return str(error.request.url)
    except RuntimeError:
        return ""


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
