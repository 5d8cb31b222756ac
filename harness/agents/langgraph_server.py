"""Agents on a LangGraph server (`langgraph dev`, the platform): `langgraph:http://host:2024`.

Each trial opens a thread, and each turn is a run on it. A run that asks its user something
(`interrupt`) goes on with the next turn; one that still works when a trial is stopped is cancelled.
"""

import asyncio
import contextlib
import json
from functools import partial
from time import perf_counter
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
import orjson
from typing_extensions import override

from harness.agents.langgraph_events import RunReader
from harness.agents.profiles import without_parameter
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
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
from harness.model import Json, JsonObject

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
