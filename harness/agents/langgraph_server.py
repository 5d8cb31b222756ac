"""Agents on a LangGraph server (`langgraph dev`, the platform): `langgraph:http://host:2024`.

Each trial opens a thread, and each turn is a run on it. A run that asks its user something
(`interrupt`) goes on with the next turn; one that still works when a trial is stopped is cancelled.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from functools import partial
from time import perf_counter
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
import orjson
from typing_extensions import override

from harness.agents.profiles import without_parameter
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import decode_json, plain, read_args
from harness.agents.transport import (
    EventReader,
    agent_headers,
    ask_each_turn,
    client_of,
    exchange_error,
    refuse_failure,
    refuse_flood,
    refuse_status,
    request_json,
)
from harness.model import Json, JsonObject, Reply, ToolCall, Usage

INTERRUPT = "__interrupt__"
INPUT_REQUIRED = "input-required"

_ANSWERS = ("output", "answer", "response", "result")
_QUESTIONS = ("question", "message", "description", "prompt", "text")
_AI = ("ai", "AIMessageChunk")
_DEEPEST = 8


class RunReader:
    """Collects the events of one run into a reply.

    Messages are found in the updates of nodes, those of subgraphs too; the last values are the
    state in the end.

    Attributes:
        run: Its id, once the server has told.
        interrupts: The ids of what it asks the user, in order.
    """

    def __init__(self) -> None:
        self.run = ""
        self.interrupts: list[str] = []
        self._questions: list[str] = []
        self._seen: set[str] = set()
        self._calls: dict[str, JsonObject] = {}
        self._rounds = 0
        self._tokens = {"input_tokens": 0, "output_tokens": 0}
        self._text = ""
        self._finish = ""
        self._state: Json = None

    def take(self, name: str, line: int, data: str) -> None:
        """Take one event.

        Args:
            name: `updates`, `values`, ...; `|` and a namespace follow in those of subgraphs.
            line: The line of the stream that it stands on.
            data: Its JSON.

        Raises:
            AgentFailedError: It is no JSON, or says that the run failed.
        """
        try:
            value = decode_json(data) if data else None
        except ValueError as error:
            raise AgentFailedError(f"malformed event stream: line {line}: {error}") from None
        kind, _, namespace = name.partition("|")
        if kind == "metadata" and isinstance(value, dict):
            self.run = str(value.get("run_id") or self.run)
        elif kind == "updates":
            self._take_update(value)
        elif kind == "values" and not namespace:
            self._state = value
        elif kind == "error":
            raise AgentFailedError(f"the run failed: {_error_text(value)}")

    def reply(self, *, turn: int, prompt: str) -> Reply:
        """What the events add up to."""
        tokens = self._tokens if any(self._tokens.values()) else {}
        return Reply(
            turn=turn,
            prompt=prompt,
            text="\n\n".join(self._questions) or self._answer(),
            metadata=self._metadata(),
            tool_calls=tuple(_call(call, turn) for call in self._calls.values()),
            rounds=self._rounds,
            finish=INPUT_REQUIRED if self._questions else self._finish,
            usage=Usage(**tokens),
        )

    def _take_update(self, value: Json) -> None:
        if not isinstance(value, dict):
            return
        waiting = value.get(INTERRUPT)
        for each in waiting if isinstance(waiting, list) else []:
            if isinstance(each, dict) and str(each.get("id")) not in self.interrupts:
                self.interrupts.append(str(each.get("id")))
                self._questions.append(_question(each.get("value")))
        for message in _messages(value):
            self._take_message(message)

    def _take_message(self, message: JsonObject) -> None:
        if message["type"] == "tool":
            call = self._calls.setdefault(str(message.get("tool_call_id") or ""), {})
            call.setdefault("name", message.get("name") or "tool")
            failed = message.get("status") == "error"
            call |= {"status": "error" if failed else "ok", "result": _content(message["content"])}
            return
        wanted = _objects(message.get("tool_calls")) + _objects(message.get("invalid_tool_calls"))
        key = str(message.get("id") or "") or json.dumps([message["content"], wanted], default=str)
        if key in self._seen:
            return
        self._seen.add(key)
        self._text = _text(message["content"])
        for call in wanted:
            id = str(call.get("id") or f"call-{len(self._calls)}")
            self._calls.setdefault(id, {}).update(
                id=id, name=call.get("name"), args=call.get("args"), step=self._rounds
            )
        self._rounds += 1
        told = message.get("response_metadata")
        told = told if isinstance(told, dict) else {}
        self._finish = str(told.get("finish_reason") or told.get("stop_reason") or "")
        used = message.get("usage_metadata")
        for name in self._tokens:
            count = used.get(name) if isinstance(used, dict) else None
            self._tokens[name] += count if isinstance(count, int) else 0

    def _answer(self) -> str:
        state = self._state
        if not isinstance(state, dict):
            return self._text
        said = [each for each in _objects(state.get("messages")) if each.get("type") in _AI]
        if said and self._rounds:
            return _text(said[-1].get("content"))
        found = next((state[name] for name in _ANSWERS if isinstance(state.get(name), str)), None)
        if found is not None:
            return str(found)
        rest = {name: state[name] for name in state if name not in {"messages", INTERRUPT}}
        if self._text or not rest:
            return self._text
        return json.dumps(plain(rest), ensure_ascii=False)

    def _metadata(self) -> JsonObject | None:
        state = self._state
        answer = state.get("structured_response") if isinstance(state, dict) else None
        return plain(answer) if isinstance(answer, dict) else None


def _messages(value: Json, depth: int = 0) -> Iterator[JsonObject]:
    """The messages of models and tools, wherever a node leaves them.

    Yields:
        Each, in order.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        if value.get("type") in {*_AI, "tool"} and "content" in value:
            yield value
        else:
            for name, item in value.items():
                if name != INTERRUPT:
                    yield from _messages(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _messages(item, depth + 1)


def _call(call: JsonObject, turn: int) -> ToolCall:
    return ToolCall(
        name=str(call.get("name") or "tool"),
        args=plain(read_args(call.get("args"))),
        id=str(call.get("id") or ""),
        turn=turn,
        step=call.get("step") or 0,
        status=call.get("status") or "unknown",
        result=plain(call.get("result")),
    )


def _question(value: Json) -> str:
    """What an interrupt asks: its text, or all of it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        found = next((value[name] for name in _QUESTIONS if isinstance(value.get(name), str)), None)
        if found is not None:
            return str(found)
    return json.dumps(plain(value), ensure_ascii=False)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in _objects(content))


def _content(content: Json) -> Json:
    text = _text(content) if isinstance(content, list) else content
    if isinstance(text, str) and text.lstrip()[:1] in {"{", "["}:
        try:
            return decode_json(text)
        except ValueError:
            return text
    return text


def _error_text(value: Json) -> str:
    if not isinstance(value, dict):
        return str(value)[:500]
    return ": ".join(str(value[name]) for name in ("error", "message") if value.get(name))[:500]


def _objects(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


_SERVER = "the LangGraph server"
_MOST_ASSISTANTS = 100
_MODES = ("updates", "values")


class LangGraphAgent(AgentDriver):
    """Runs an assistant of a server.

    Args:
        url: The server, with `?assistant=NAME` (a graph, a name or an id) where it has several, and
            `&input=NAME` where the graph's input is neither `messages` nor one text.
        options: The same as of `http:` agents.
    """

    holds_conversations = True

    def __init__(self, url: str, options: DriverOptions) -> None:
        url, self._assistant = without_parameter(url, "assistant")
        url, self._input = without_parameter(url, "input")
        parts = urlsplit(url)
        self._server = urlunsplit(
            parts._replace(path=parts.path.rstrip("/"), query="", fragment="")
        )
        self._options = options
        self._client = client_of(options)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        ask = partial(_Thread(self, task).ask, transcript)
        await ask_each_turn(task, transcript, self._options, ask)

    @override
    async def close(self) -> None:
        await self._client.aclose()

    @property
    def options(self) -> DriverOptions:
        """What the user said about the agent."""
        return self._options

    async def find_assistant(self, headers: dict[str, str]) -> str:
        """The id of the assistant that the URL names, or of the only one.

        Raises:
            AgentUnreachableError: There is no such one, or several.
        """
        found = await self.request(
            "POST", "/assistants/search", headers, {"limit": _MOST_ASSISTANTS}
        )
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise AgentFailedError("the LangGraph server answered no list of assistants")
        wanted = self._assistant
        names = ("assistant_id", "graph_id", "name")
        fitting = [each for each in found if not wanted or wanted in map(each.get, names)]
        if len(fitting) == 1 or (wanted and fitting):
            return str(fitting[0].get("assistant_id"))
        known = ", ".join(sorted({str(each.get("graph_id")) for each in found})) or "none"
        what = (
            f"no assistant {wanted!r}; it has {known}" if wanted else f"these assistants: {known}"
        )
        raise AgentUnreachableError(
            f"the LangGraph server has {what}: add ?assistant=NAME to its URL"
        )

    async def input_key(self, assistant: str, headers: dict[str, str]) -> str:
        """Where an assistant takes a prompt: where the URL says, `messages`, or its one text.

        Raises:
            AgentFailedError: It takes something else.
        """
        if self._input:
            return self._input
        path = f"/assistants/{quote(assistant, safe='')}/schemas"
        schemas = await self.request("GET", path, headers)
        schema = schemas.get("input_schema") if isinstance(schemas, dict) else None
        fields = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(schema, dict) or not isinstance(fields, dict) or "messages" in fields:
            return "messages"
        wanted = schema.get("required") or list(fields)
        texts = [
            name
            for name in wanted
            if isinstance(fields.get(name), dict) and fields[name].get("type") == "string"
        ]
        if len(texts) == 1:
            return str(texts[0])
        raise AgentFailedError(
            f"the graph's input has {', '.join(fields) or 'no fields'}: a prompt goes into"
            " 'messages', or into the one text that is required; ?input=NAME names it"
        )

    async def request(
        self, verb: str, path: str, headers: dict[str, str], body: JsonObject | None = None
    ) -> Json:
        """What the server answers.

        Raises:
            TransportError: It was not reached.
            AgentUnreachableError: It refuses.
            AgentFailedError: It fails, or answers no JSON.
        """
        url = f"{self._server}{path}"
        request = self._client.build_request(verb, url, json=body, headers=headers)
        return await request_json(self._client, request, _SERVER)

    async def stream(
        self, path: str, headers: dict[str, str], body: JsonObject, reader: RunReader
    ) -> float:
        """Feed a reader with the events of a run; milliseconds before the first of them.

        Raises:
            TransportError: The server was not reached.
            AgentUnreachableError: It refuses.
            AgentFailedError: The run failed.
        """
        url, start, first_ms, seen = f"{self._server}{path}", perf_counter(), -1.0, 0
        events = EventReader(self._options.max_reply_bytes)
        try:
            async with self._client.stream(
                "POST", url, content=orjson.dumps(body), headers=headers
            ) as response:
                refuse_status(response)
                if response.status_code >= 400:
                    await response.aread()
                    refuse_failure(response.status_code, response.text, _SERVER)
                async for chunk in response.aiter_bytes():
                    first_ms = first_ms if first_ms >= 0 else (perf_counter() - start) * 1000
                    seen += len(chunk)
                    refuse_flood(seen, self._options)
                    for line, data in events.feed(chunk):
                        reader.take(events.name, line, data)
                for line, data in events.end():
                    reader.take(events.name, line, data)
        except httpx.RequestError as error:
            raise exchange_error(error, url, answering=first_ms >= 0) from None
        return first_ms


class _Thread:
    """The turns of one trial."""

    def __init__(self, agent: LangGraphAgent, task: Task) -> None:
        self._agent = agent
        self._headers = {"content-type": "application/json", "accept": "text/event-stream, */*"}
        self._headers |= agent_headers(task, agent.options)
        self._config = {"configurable": _configurable(task)}
        self._path = ""
        self._assistant = ""
        self._key = ""
        self._interrupts: list[str] = []

    async def ask(self, transcript: Transcript, turn: int, prompt: str) -> None:
        """Run the assistant, and note the reply, also of a run that failed on its way.

        Raises:
            TransportError: The server was not reached.
            AgentUnreachableError: It refuses.
            AgentFailedError: The run failed.
        """
        if not self._path:
            await self._open(transcript)
        start, reader = perf_counter(), RunReader()
        body = {
            "assistant_id": self._assistant,
            "config": self._config,
            "stream_mode": list(_MODES),
            "stream_subgraphs": True,
            "on_disconnect": "cancel",
            **self._input(prompt),
        }
        try:
            first_ms = await self._agent.stream(
                f"{self._path}/runs/stream", self._headers, body, reader
            )
        except asyncio.CancelledError:
            await self._cancel(reader.run)
            raise
        except AgentFailedError:
            transcript.replies.append(reader.reply(turn=turn, prompt=prompt))
            raise
        took = (perf_counter() - start) * 1000
        reply = reader.reply(turn=turn, prompt=prompt)
        timed = {"duration_ms": took, "first_byte_ms": max(first_ms, 0)}
        transcript.replies.append(reply.model_copy(update=timed))
        self._interrupts = reader.interrupts

    async def _open(self, transcript: Transcript) -> None:
        start = perf_counter()
        self._assistant = await self._agent.find_assistant(self._headers)
        self._key = await self._agent.input_key(self._assistant, self._headers)
        thread = await self._agent.request("POST", "/threads", self._headers, {})
        id = thread.get("thread_id") if isinstance(thread, dict) else None
        if not isinstance(id, str) or not id:
            raise AgentFailedError("the LangGraph server opened a thread without an id")
        self._path = f"/threads/{quote(id, safe='')}"
        transcript.startup_ms = (perf_counter() - start) * 1000

    def _input(self, prompt: str) -> JsonObject:
        if not self._interrupts:
            said = [{"role": "user", "content": prompt}] if self._key == "messages" else prompt
            return {"input": {self._key: said}}
        answer = _answer(prompt)
        if len(self._interrupts) == 1:
            return {"command": {"resume": answer}}
        return {"command": {"resume": dict.fromkeys(self._interrupts, answer)}}

    async def _cancel(self, run: str) -> None:
        """Stop a run that nobody waits for any more; it may be over."""
        if not run:
            return
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._agent.options.grace_s):
                path = f"{self._path}/runs/{quote(run, safe='')}/cancel"
                await self._agent.request("POST", path, self._headers)


def _configurable(task: Task) -> JsonObject:
    """What a graph reads as `config["configurable"]`: the case's variables, and its session."""
    session: JsonObject = {}
    if task.session:
        session = {"mock_session": task.session, "mock_env": dict(task.env)}
    return {**task.case.variables, **session}


def _answer(prompt: str) -> Json:
    """A turn as the answer to an interrupt: JSON where it is an object or a list, else its text."""
    if prompt.lstrip()[:1] in {"{", "["}:
        with contextlib.suppress(ValueError):
            return json.loads(prompt)
    return prompt
