"""Agents that are a tool of an MCP server: `mcp:URL#TOOL`, `mcp:COMMAND#TOOL`, by the official SDK.

Each trial has a connection of its own; a command is started for it, in its environment. A question
of the tool's to its user (elicitation) is a reply, and the next turn answers it.
"""

import asyncio
import contextlib
import json
import logging
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TextIO
from urllib.parse import parse_qsl

from typing_extensions import override

from harness.agents.addresses import Destinations, checked_url, place_of
from harness.agents.command import (
    agent_environment,
    check_program,
    split_command,
    started_argv,
)
from harness.agents.processes import MARK, kill_marked, new_mark
from harness.agents.protocol import (
    STDERR_TAIL,
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import METADATA, TEXT, TOOL_CALLS, plain, read_reply
from harness.agents.transport import (
    CONNECT_TIMEOUT_S,
    RETRIED_STATUSES,
    CheckedBackend,
    TransportError,
    agent_headers,
    ask_each_turn,
    connection_problem,
)
from harness.errors import HarnessError
from harness.model import JsonObject, Reply

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult, ElicitResult, Tool

MISSING = "pip install 'understudy[mcp]'"
EXAMPLE = "mcp:http://localhost:8000/mcp#TOOL, or mcp:COMMAND#TOOL; #TOOL?argument=NAME"
PROMPTS = ("prompt", "message", "query", "question", "input", "text", "task", "request")
"""Names of the argument that a prompt goes into; the first that a tool has counts."""

CONVERSATIONS = (
    "thread_id", "threadId", "session_id", "sessionId", "conversation_id", "conversationId",
    "context_id", "contextId",
)  # fmt: skip
"""Arguments that are handed back as a result of the turn before named them."""

_OTHER_VERSIONS = (-32601, -32602, -32022)
"""Errors of servers that know no handshake: no such method, invalid parameters, another version."""

_YES = {"yes", "y", "true", "ok", "okay", "sure", "accept", "confirm", "confirmed"}
_NO = {"no", "n", "false", "cancel", "decline", "stop", "reject"}


@dataclass(frozen=True, slots=True)
class Target:
    """A tool, and where it is.

    Attributes:
        server: A URL, or a command line.
        tool: Its name; empty: the only one that the server has.
        argument: What the prompt is called; empty: found in the tool's schema.
    """

    server: str
    tool: str = ""
    argument: str = ""

    @property
    def is_url(self) -> bool:
        """Whether the server runs already."""
        return self.server.startswith(("http://", "https://"))


def parse_target(rest: str) -> Target:
    """What follows `mcp:` in a spec.

    Raises:
        HarnessError: It names no server, or has an option that there is not.

    >>> parse_target("python desk.py --fast#ask?argument=question")
    Target(server='python desk.py --fast', tool='ask', argument='question')
    """
    server, _, named = rest.rpartition("#") if "#" in rest else (rest, "", "")
    tool, _, query = named.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := options.keys() - {"argument"}:
        raise HarnessError(f"mcp: agents have no option {min(unknown)!r}", hint=EXAMPLE)
    if not server.strip():
        raise HarnessError(f"'mcp:{rest}' names no server", hint=EXAMPLE)
    return Target(server.strip(), tool, options.get("argument", ""))


class McpAgent(AgentDriver):
    """Calls one tool, once a turn.

    Args:
        rest: What follows `mcp:` in the spec.
        options: Of the driver: headers and token go to a URL, `env` to a command.
    """

    holds_conversations = True

    def __init__(self, rest: str, options: DriverOptions) -> None:
        """Look whether it can be asked at all.

        Raises:
            HarnessError: The spec makes no sense, or the SDK is not installed.
        """
        self._target = parse_target(rest)
        self._options = options
        self._argv: list[str] = []
        if self._target.is_url:
            checked_url(self._target.server, EXAMPLE)
        else:
            self._argv = split_command(self._target.server)
            check_program(self._argv[0], agent_environment(os.environ, options.env, {}), options)
        try:
            import mcp  # noqa: F401  (looked for before anything is run)
        except ImportError:
            raise HarnessError("mcp: agents need mcp", hint=MISSING) from None
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # errors are told, once

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        why: Exception | None = None
        conversations: list[_Conversation] = []
        try:
            async with AsyncExitStack() as stack:

                async def ask(turn: int, prompt: str) -> None:
                    if not conversations:
                        start = perf_counter()
                        conversations.append(await self._connect(task, transcript, stack))
                        transcript.startup_ms = (perf_counter() - start) * 1000
                    transcript.replies.append(await conversations[0].ask(turn, prompt))

                try:
                    await ask_each_turn(task, transcript, self._options, ask)
                except (AgentFailedError, AgentUnreachableError) as error:
                    why = error  # the client's tasks would wrap it
                finally:
                    for conversation in conversations:
                        await conversation.end()
        except ExceptionGroup as error:
            why = why or AgentFailedError(f"the connection broke: {_line(error)}")
        if why is not None:
            raise why

    @override
    async def close(self) -> None:
        return

    async def _connect(
        self, task: Task, transcript: Transcript, stack: AsyncExitStack
    ) -> "_Conversation":
        """Connect, and find the tool.

        Raises:
            TransportError: The server is not reached now.
            AgentUnreachableError: It cannot be, or has no such tool.
        """
        refusals: list[int] = []
        questions = _Questions()
        own = AsyncExitStack()
        try:
            client = await self._open(own, questions, task, transcript, refusals)
            tools = (await client.list_tools()).tools
        except BaseException as error:
            with contextlib.suppress(Exception):
                await own.aclose()
            if not isinstance(error, Exception):
                raise
            raise self._connect_error(error, refusals) from None
        stack.push_async_callback(own.aclose)
        tool = _find_tool(tools, self._target)
        return _Conversation(self._target, self._options, task, client, tool, questions)

    async def _open(
        self,
        stack: AsyncExitStack,
        questions: "_Questions",
        task: Task,
        transcript: Transcript,
        refusals: list[int],
    ) -> "Client":
        """A client by the handshake, which has a way back for questions, else by what there is."""
        from mcp import Client, MCPError

        async def connect(stack: AsyncExitStack, mode: Literal["legacy", "auto"]) -> Client:
            server = await stack.enter_async_context(self._server(task, transcript, refusals))
            return await stack.enter_async_context(
                Client(
                    server,
                    elicitation_callback=questions.put,
                    cache=None,
                    mode=mode,
                )
            )

        first = AsyncExitStack()
        try:
            client = await connect(first, "legacy")
        except MCPError as error:
            await first.aclose()
            if error.code not in _OTHER_VERSIONS:
                raise
            return await connect(stack, "auto")
        except BaseException:
            await first.aclose()
            raise
        stack.push_async_callback(first.aclose)
        return client

    def _connect_error(self, error: Exception, refusals: list[int]) -> Exception:
        server = self._argv[0] if self._argv else place_of(self._target.server)
        if not refusals:
            if self._target.is_url:
                why = connection_problem(error, self._target.server)
                return TransportError(f"no MCP server at {server}: {why}")
            return AgentUnreachableError(f"no MCP server at {server}: {_line(error)}")
        said = f"{server}: HTTP {refusals[0]}"
        if refusals[0] in RETRIED_STATUSES:
            return TransportError(said)
        return AgentUnreachableError(f"{said} (check the agent's URL, --header and --token)")

    @asynccontextmanager
    async def _server(
        self, task: Task, transcript: Transcript, refusals: list[int]
    ) -> AsyncIterator[Any]:
        """What a client connects to.

        Args:
            task: Whose session it is.
            transcript: Where stderr of a command goes.
            refusals: Gets the statuses of requests that a URL refused.

        Yields:
            A transport.
        """
        if self._target.is_url:
            from mcp.client.streamable_http import streamable_http_client

            headers = agent_headers(task, self._options)
            destinations = self._options.destinations
            async with _http_client(headers, destinations, refusals) as client:
                yield streamable_http_client(self._target.server, http_client=client)
            return
        from mcp.client.stdio import StdioServerParameters, stdio_client

        mark = new_mark()
        program, *arguments = started_argv(self._argv, self._options, task)
        command = StdioServerParameters(
            command=program,
            args=arguments,
            env={**agent_environment(os.environ, self._options.env, task.env), MARK: mark},
            cwd=self._options.working_folder(task),
        )
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            try:
                yield stdio_client(command, errlog=said)
            finally:
                kill_marked(mark)
                transcript.stderr_tail = _tail(said)


@dataclass
class _Question:
    """What a tool asks its user."""

    message: str
    schema: JsonObject
    answer: "asyncio.Future[ElicitResult]"


class _Questions:
    """What a tool asks its user while it is called; the user of a conversation has turns for it."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[_Question] = asyncio.Queue()

    async def put(self, context: Any, params: Any) -> Any:
        """Put a question, and wait for its answer; as an elicitation callback has it."""
        from mcp.types import ElicitResult

        if params.mode != "form":  # nobody goes to a page
            return ElicitResult(action="decline")
        answer = asyncio.get_running_loop().create_future()
        await self._waiting.put(_Question(params.message, dict(params.requested_schema), answer))
        return await answer

    async def next(self) -> _Question:
        """The next one."""
        return await self._waiting.get()


@dataclass
class _Conversation:
    """The turns of one trial, by one connection."""

    target: Target
    options: DriverOptions
    task: Task
    client: "Client"
    tool: "Tool"
    questions: _Questions
    _call: "asyncio.Task[CallToolResult] | None" = None
    _question: _Question | None = None
    _handed_back: JsonObject = field(default_factory=dict)
    _said: list[JsonObject] = field(default_factory=list)

    async def ask(self, turn: int, prompt: str) -> Reply:
        """Call the tool, or answer what it asked, and wait for an end or for a question.

        Raises:
            AgentFailedError: The tool failed.
        """
        start = perf_counter()
        first: list[float] = []
        self._said.append({"role": "user", "content": prompt})
        call = self._call
        if call is not None and self._question is not None:
            self._question.answer.set_result(_answer(self._question, prompt))
            self._question = None
        else:
            call = self._call = asyncio.create_task(self._start(prompt, first))
        reply = await self._next(call, turn, prompt)
        took = (perf_counter() - start) * 1000
        first_ms = (first[0] - start) * 1000 if first else None
        self._said.append({"role": "assistant", "content": reply.text})
        return reply.model_copy(update={"duration_ms": took, "first_byte_ms": first_ms})

    async def end(self) -> None:
        """Stop a call that nobody waits for any more; the server is told."""
        if self._call is not None and not self._call.done():
            self._call.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._call

    async def _start(self, prompt: str, first: list[float]) -> "CallToolResult":
        async def note_progress(progress: float, total: float | None, message: str | None) -> None:
            if not first:
                first.append(perf_counter())

        arguments = self._arguments(self.tool.input_schema, prompt)
        return await self.client.call_tool(
            self.tool.name, arguments, progress_callback=note_progress
        )

    async def _next(self, call: "asyncio.Task[CallToolResult]", turn: int, prompt: str) -> Reply:
        from mcp import MCPError

        asked = asyncio.create_task(self.questions.next())
        try:
            await asyncio.wait((call, asked), return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        if not call.done():
            self._question = asked.result()
            return Reply(
                turn=turn,
                prompt=prompt,
                text=self._question.message,
                finish="input-required",
                reports_calls=False,
            )
        try:
            return self._read(call.result(), turn, prompt)
        except MCPError as error:
            raise AgentFailedError(f"the tool reports an error: {_line(error)}") from None
        except AgentFailedError:
            raise
        except Exception as error:  # noqa: BLE001  (whatever the SDK makes of a broken answer)
            raise AgentFailedError(f"the call was not answered: {_line(error)}") from None

    def _arguments(self, schema: Mapping[str, Any], prompt: str) -> JsonObject:
        fields = schema.get("properties") or {}
        arguments: JsonObject = {
            name: value for name, value in self.task.case.variables.items() if name in fields
        }
        arguments |= {name: value for name, value in self._handed_back.items() if name in fields}
        if not self.target.argument and "messages" in fields:
            return arguments | {"messages": list(self._said)}
        arguments[self.target.argument or find_argument(schema)] = prompt
        missing = [name for name in schema.get("required") or () if name not in arguments]
        if missing:
            raise AgentFailedError(
                f"the tool also requires {', '.join(missing)}: give the case variables of these"
                " names"
            )
        return arguments

    def _read(self, result: "CallToolResult", turn: int, prompt: str) -> Reply:
        texts = [text for block in result.content if (text := getattr(block, "text", ""))]
        text, value = "\n".join(texts), result.structured_content
        if len(text) > self.options.max_reply_bytes:
            raise AgentFailedError(f"the reply is longer than {self.options.max_reply_bytes} bytes")
        if result.is_error:
            raise AgentFailedError(f"the tool reports an error: {text or 'and says nothing of it'}")
        fields: JsonObject = dict(value) if isinstance(value, dict) else {}
        self._handed_back |= {
            name: fields[name] for name in CONVERSATIONS if isinstance(fields.get(name), str)
        }
        reply = read_reply(_reply_fields(fields, text), turn=turn, prompt=prompt)
        if reply.metadata is None and fields and not isinstance(fields.get("result"), str):
            return reply.model_copy(update={"metadata": plain(fields)})
        return reply


def find_argument(schema: Mapping[str, Any]) -> str:
    """The argument of a tool that a prompt goes into.

    Raises:
        AgentFailedError: It cannot be told which.

    >>> find_argument({"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}})
    'city'
    """
    fields: Mapping[str, Any] = schema.get("properties") or {}
    texts = [name for name, field in fields.items() if _takes_text(field)]
    named = [name for name in PROMPTS if name in texts]
    required = [name for name in texts if name in (schema.get("required") or ())]
    for names in (named[:1], required, texts):
        if len(names) == 1:
            return names[0]
    known = ", ".join(fields) or "none"
    raise AgentFailedError(
        f"no argument of the tool is one for prompts; it has {known}: write #TOOL?argument=NAME"
    )


def _takes_text(field: Any) -> bool:
    if not isinstance(field, dict):
        return False
    kinds = field.get("anyOf") or [field]
    return any(isinstance(each, dict) and each.get("type") == "string" for each in kinds)


def _find_tool(tools: Sequence["Tool"], target: Target) -> "Tool":
    names = ", ".join(each.name for each in tools) or "none"
    if not target.tool:
        if len(tools) == 1:
            return tools[0]
        raise AgentUnreachableError(f"the server has these tools: {names}; add #TOOL to the agent")
    for each in tools:
        if each.name == target.tool:
            return each
    raise AgentUnreachableError(f"the server has no tool {target.tool!r}; it has {names}")


def _reply_fields(fields: JsonObject, text: str) -> JsonObject:
    """What of a structured answer is a part of a reply by its name, with a text in any case."""
    is_report = any(name in fields for name in (*TOOL_CALLS, *METADATA))
    texts = {name: fields[name] for name in TEXT if isinstance(fields.get(name), str)}
    return (texts or {"text": text}) | (fields if is_report else {})


def _answer(question: _Question, prompt: str) -> "ElicitResult":
    """A turn as the answer to a question: of one field its value, of several a JSON object.

    Raises:
        AgentFailedError: It says nothing of the fields.
    """
    from mcp.types import ElicitResult

    fields: JsonObject = question.schema.get("properties") or {}
    word = prompt.strip().rstrip(".!").lower()
    with contextlib.suppress(ValueError):
        told = json.loads(prompt)
        if isinstance(told, dict):
            return ElicitResult(action="accept", content=told)
    if not fields:
        return ElicitResult(action="decline" if word in _NO else "accept", content={})
    if len(fields) > 1:
        names = ", ".join(fields)
        raise AgentFailedError(f"the agent asks for {names}: a turn that answers is a JSON object")
    [(name, schema)] = fields.items()
    value = _value(schema if isinstance(schema, dict) else {}, prompt, word)
    if value is None:
        return ElicitResult(action="decline")
    return ElicitResult(action="accept", content={name: value})


def _value(schema: JsonObject, prompt: str, word: str) -> Any:
    """What a text is as a value of a schema; None where it is none."""
    match schema.get("type"):
        case "boolean":
            first = word.replace(",", " ").split()[:1]
            return True if set(first) & _YES else False if set(first) & _NO else None
        case "integer" | "number" as kind:
            try:
                return int(word) if kind == "integer" else float(word)
            except ValueError:
                return None
        case _:
            known = schema.get("enum") or ()
            return next((each for each in known if str(each).lower() == word), prompt)


def _http_client(
    headers: dict[str, str], destinations: Destinations | None, refusals: list[int]
) -> Any:
    import httpx2

    async def note_status(response: Any) -> None:
        if response.request.method == "POST" and response.status_code >= 300:
            refusals.append(response.status_code)

    more: dict[str, Any] = {"event_hooks": {"response": [note_status]}}
    if destinations is not None:
        backend = CheckedBackend(destinations)

        class Checked(httpx2.AsyncHTTPTransport):
            """Connects to addresses that were checked."""

            def __init__(self) -> None:
                super().__init__()
                pool: Any = type(self._pool)
                context = httpx2.create_ssl_context()
                self._pool = pool(ssl_context=context, network_backend=backend)

        more["transport"] = Checked()
    timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S)
    return httpx2.AsyncClient(headers=headers, timeout=timeout, **more)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _line(error: BaseException) -> str:
    """An error in one line; of a group its first one."""
    first = _first(error)
    return (str(first).strip() or type(first).__name__).splitlines()[0]


def _tail(said: TextIO) -> str:
    said.seek(0, os.SEEK_END)
    said.seek(max(0, said.tell() - STDERR_TAIL))
    return said.read()
