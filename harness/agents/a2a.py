"""Agents behind A2A, `a2a:http://host`, by its official SDK: discovered by their cards.

The agent's contextId makes the turns of a case one conversation. A task that needs input gets the
next turn; one that is still open when a trial is stopped is cancelled.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from time import perf_counter
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx
from typing_extensions import override

from harness.agents.addresses import place_of
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import plain, read_usage
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
from harness.model import Json, JsonObject, Reply, ToolCall

COMPLETED, REJECTED, FAILED, CANCELED = "completed", "rejected", "failed", "canceled"
INPUT_REQUIRED, AUTH_REQUIRED = "input-required", "auth-required"
OPEN_STATES = frozenset({"", "unspecified", "submitted", "working"})
"""States in which the agent still works on a task."""

_ADK_TYPE = "adk_type"
_USAGE_METADATA = "adk_usage_metadata"


class TaskReader:
    """Collects what an agent says in one turn.

    The words are those of A2A 1.0, which the SDK also makes of what agents of 0.3 say. A2A has
    no tool calls; agents of ADK send theirs as data, with `adk_type` in its metadata.

    Attributes:
        task: The id of the task, or an empty string: it answered with a message.
        context: The id of the conversation, which the agent gives.
        state: Of the task: `completed`, `input-required`, ...; empty without one.
    """

    def __init__(self) -> None:
        self.task = ""
        self.context = ""
        self.state = ""
        self._message: JsonObject | None = None
        self._last_words: JsonObject | None = None
        self._artifacts: dict[str, JsonObject] = {}
        self._calls: dict[str, JsonObject] = {}
        self._usage: dict[str, Json] = {}

    @property
    def is_open(self) -> bool:
        """Whether the agent works on a task that has not come to an end yet."""
        return bool(self.task) and self.state in OPEN_STATES

    def take(self, event: JsonObject) -> None:
        """Take one event of a stream, or the answer to a message without one.

        >>> reader = TaskReader()
        >>> reader.take({"message": {"contextId": "c", "parts": [{"text": "12 degrees."}]}})
        >>> reader.context, reader.reply(turn=1, prompt="How warm is it?").text
        ('c', '12 degrees.')
        """
        match event:
            case {"message": dict() as message}:
                self.context = str(message.get("contextId") or self.context)
                self._message = message
                self._note_parts(message)
            case {"task": dict() as task}:
                self.take_task(task)
            case {"statusUpdate": dict() as update}:
                self._identify(update, "taskId")
                self._take_status(update)
            case {"artifactUpdate": dict() as update}:
                self._identify(update, "taskId")
                self._take_artifact(update.get("artifact"), append=bool(update.get("append")))
            case _:
                pass

    def take_task(self, task: JsonObject) -> None:
        """Take a task as it is now."""
        self._identify(task, "id")
        self._artifacts.clear()
        for artifact in _objects(task.get("artifacts")):
            self._take_artifact(artifact, append=False)
        for message in _objects(task.get("history")):
            if message.get("role") == "ROLE_AGENT":
                self._last_words = message
        self._take_status(task)

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """What was said, as a reply: the artifacts, and the message of the last state."""
        texts: list[str] = []
        data: JsonObject = {}
        for artifact in self._artifacts.values():
            texts.append(_text(artifact, between=""))  # it may have come in pieces
            data |= _data(artifact)
        if self._message is not None:
            texts.append(_text(self._message))
            data |= _data(self._message)
        if not any(texts) and self._last_words is not None:
            texts.append(_text(self._last_words))
        calls = [_call(call, turn) for call in self._calls.values()]
        return Reply(
            turn=turn,
            prompt=prompt,
            text="\n\n".join(dict.fromkeys(filter(None, texts))),
            metadata=plain(data) or None,
            tool_calls=tuple(calls),
            reports_calls=bool(calls),
            finish=self.state,
            usage=read_usage(self._usage),
        )

    def _identify(self, event: JsonObject, name: str) -> None:
        self.task = str(event.get(name) or self.task)
        self.context = str(event.get("contextId") or self.context)

    def _take_status(self, holder: JsonObject) -> None:
        status = holder.get("status")
        status = status if isinstance(status, dict) else {}
        if state := status.get("state"):
            self.state = str(state).removeprefix("TASK_STATE_").lower().replace("_", "-")
        self._note_usage(holder.get("metadata"))
        message = status.get("message")
        if isinstance(message, dict):
            self._note_parts(message)
            self._last_words = message
        is_last = self.state not in OPEN_STATES
        self._message = message if is_last and isinstance(message, dict) else None

    def _take_artifact(self, artifact: Json, *, append: bool) -> None:
        if not isinstance(artifact, dict):
            return
        id = str(artifact.get("artifactId") or "")
        parts = _objects(artifact.get("parts"))
        before = self._artifacts[id]["parts"] if append and id in self._artifacts else []
        self._artifacts[id] = artifact | {"parts": [*before, *parts]}
        self._note_parts({"parts": parts})

    def _note_usage(self, metadata: Json) -> None:
        used = metadata.get(_USAGE_METADATA) if isinstance(metadata, dict) else None
        if isinstance(used, dict):
            self._usage = {
                "input_tokens": used.get("promptTokenCount"),
                "output_tokens": used.get("candidatesTokenCount"),
            }

    def _note_parts(self, holder: JsonObject) -> None:
        for part in _objects(holder.get("parts")):
            data = part.get("data")
            if not isinstance(data, dict):
                continue
            key = str(data.get("id") or f"{data.get('name')}-{len(self._calls)}")
            match _adk_type(part):
                case "function_call":
                    self._calls.setdefault(key, data)
                case "function_response":
                    self._calls[key] = self._calls.get(key, data) | {
                        "response": data.get("response")
                    }
                case _:
                    pass


def _call(call: JsonObject, turn: int) -> ToolCall:
    result = call.get("response")
    status: Literal["ok", "error", "unknown"] = "unknown" if result is None else "ok"
    if isinstance(result, dict) and (result.get("error") or result.get("isError")):
        status = "error"
    args = call.get("args")
    return ToolCall(
        name=str(call.get("name") or "tool"),
        args=plain(args) if isinstance(args, dict) else {},
        id=str(call.get("id") or ""),
        turn=turn,
        status=status,
        result=plain(result),
    )


def _adk_type(part: JsonObject) -> str:
    metadata = part.get("metadata")
    return str(metadata.get(_ADK_TYPE) or "") if isinstance(metadata, dict) else ""


def _text(holder: JsonObject, between: str = "\n") -> str:
    """Texts and addresses of files; what is marked as a thought is none."""
    found = [
        str(part.get("text") or part.get("url") or "")
        for part in _objects(holder.get("parts"))
        if not _is_thought(part)
    ]
    return between.join(filter(None, found))


def _is_thought(part: JsonObject) -> bool:
    metadata = part.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("adk_thought"))


def _data(holder: JsonObject) -> JsonObject:
    found: JsonObject = {}
    for part in _objects(holder.get("parts")):
        data = part.get("data")
        if isinstance(data, dict) and not _adk_type(part):
            found |= data
    return found


def _objects(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


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
