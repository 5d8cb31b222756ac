"""The driver: a model, asked step by step, and the tools of the session, over MCP."""

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl

from typing_extensions import override

from harness.agents.model_loop.providers import (
    MISSING,
    checked_name,
    import_client,
    make_model,
)
from harness.agents.model_loop.rules import Loop, Phase, Step, read_loop
from harness.agents.protocol import (
    AgentDriver,
    AgentFailedError,
    AgentUnreachableError,
    DriverOptions,
    Task,
    Transcript,
)
from harness.agents.replies import plain
from harness.errors import HarnessError, InfrastructureError
from harness.model import Attempt, Json, JsonObject, Reply, ToolCall, Usage
from harness.trials.records import Price
from harness.trials.tracing import PRICES, price_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

_BUSY = (401, 403, 408, 409, 429)
_UNREADABLE = (
    "the model's answer is not in the form of its provider;"
    " does the base URL belong to another one?"
)


@dataclass(frozen=True)
class ServedTool:
    """A tool of the session, as MCP lists it."""

    name: str
    description: str
    parameters: JsonObject


class Tools:
    """The tools of a session: none, where there is no server of them."""

    def __init__(self, client: Any = None) -> None:
        self._client = client

    async def list_all(self) -> tuple[ServedTool, ...]:
        """All of them."""
        if self._client is None:
            return ()
        found = (await self._client.list_tools()).tools
        return tuple(
            ServedTool(each.name, each.description or "", dict(each.input_schema)) for each in found
        )

    async def call(self, name: str, arguments: JsonObject) -> tuple[Json, bool]:
        """What a tool answered, and whether it failed."""
        from mcp import MCPError

        try:
            result = await self._client.call_tool(name, arguments)
        except MCPError as error:
            return str(error), True
        if result.structured_content is not None:
            return result.structured_content, bool(result.is_error)
        texts = [getattr(block, "text", "") for block in result.content]
        return "\n".join(texts), bool(result.is_error)


@asynccontextmanager
async def served_tools(url: str) -> AsyncIterator[Tools]:
    """The tools of an MCP server; none without a URL.

    Yields:
        The tools.
    """
    if not url:
        yield Tools()
        return
    from mcp import Client

    async with Client(url) as client:
        yield Tools(client)


class ModelAgent(AgentDriver):
    """Asks a model until it is done, and calls the tools that it asks for.

    Args:
        rest: `PROVIDER/NAME`, with `?loop=FILE` where a file says how.
        options: Of the driver; `env` comes before the variables of this process.
    """

    holds_conversations = True

    def __init__(self, rest: str, options: DriverOptions) -> None:
        """Look whether the model can be asked.

        Raises:
            HarnessError: Something in the spec makes no sense, or a package is missing.
            InvalidCasesError: The file makes none.
        """
        name, _, query = rest.partition("?")
        asked = dict(parse_qsl(query, keep_blank_values=True))
        if unknown := asked.keys() - {"loop"}:
            hint = "model:PROVIDER/NAME?loop=FILE"
            raise HarnessError(f"model: agents have no option {min(unknown)!r}", hint=hint)
        self._loop = read_loop(options.folder / asked["loop"]) if "loop" in asked else Loop()
        self._model = checked_name(name)
        self._options = options
        for phase in self._loop.phases:
            if phase.model:
                checked_name(phase.model)
        try:
            import mcp  # noqa: F401  (looked for before anything is run)
        except ImportError:
            raise HarnessError("model: agents need mcp", hint=MISSING) from None
        import_client(self._model)

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        environment = {**os.environ, **self._options.env, **task.env}
        models = _Models(self._model, environment)
        start, why = perf_counter(), None
        try:
            async with served_tools(task.env.get("MCP_SERVER_URL", "")) as tools:
                listed = await tools.list_all()
                prices = self._options.prices
                conversation = Conversation(self._loop, models, tools, listed, prices=prices)
                models.get(self._loop.phase([]).model)
                transcript.startup_ms = (perf_counter() - start) * 1000
                why = await _converse_until_failure(conversation, task, transcript)
        except ExceptionGroup as error:
            first = _first_of(error)
            said = f"the tools of the session were not reached: {type(first).__name__}: {first}"
            raise AgentUnreachableError(said) from None
        if why is not None:  # the client's tasks would wrap it
            raise why

    @override
    async def close(self) -> None:
        return


async def _converse_until_failure(
    conversation: "Conversation", task: Task, transcript: Transcript
) -> Exception | None:
    """The same, also where nobody can speak for a simulated user."""
    try:
        return await _converse(conversation, task, transcript)
    except InfrastructureError as error:
        return error


async def _converse(
    conversation: "Conversation", task: Task, transcript: Transcript
) -> Exception | None:
    """Go through all turns; why it ended early, or None."""
    async for turn, prompt in task.turns(transcript):
        start = perf_counter()
        why: AgentFailedError | AgentUnreachableError | None = None
        try:
            await conversation.answer(prompt, turn)
        except (AgentFailedError, AgentUnreachableError) as error:
            why = error
        took = (perf_counter() - start) * 1000
        reply = conversation.reply.model_copy(update={"duration_ms": took})
        if why is None:
            transcript.note_reply(reply)
            continue
        failed = Attempt(turn=turn, number=1, error=str(why), duration_ms=took)
        transcript.attempts.append(failed)
        if reply.tool_calls or reply.text:
            transcript.replies.append(reply)
        return why
    return None


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Models:
    """The models of a trial, made when a step asks for them."""

    def __init__(self, default: str, environment: Mapping[str, str]) -> None:
        self._default = default
        self._environment = environment
        self._made: dict[str, Model] = {}

    def get(self, name: str) -> "Model":
        wanted = checked_name(name) if name else self._default
        if wanted not in self._made:
            try:
                self._made[wanted] = make_model(wanted, self._environment)
            except HarnessError as error:
                raise AgentUnreachableError(str(error)) from None
        return self._made[wanted]


@dataclass
class _Turn:
    """What came of a turn so far."""

    steps: list[Step] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    text: str = ""
    answer: JsonObject | None = None
    finish: str = ""


class Conversation:
    """One conversation with a model.

    Args:
        loop: How it goes.
        models: Gives a model by its name; an empty name is the default.
        tools: The tools of the session.
        listed: The same, as they were listed.
        prices: What models cost.
    """

    def __init__(
        self,
        loop: Loop,
        models: Any,
        tools: Tools,
        listed: Sequence[ServedTool] = (),
        *,
        prices: Mapping[str, Price] = PRICES,
    ) -> None:
        self._loop = loop
        self._prices = prices
        self._models = models
        self._tools = tools
        self._listed = {each.name: each for each in listed}
        self._messages: list[ModelMessage] = []
        self.reply = Reply(turn=1, prompt="")

    async def answer(self, prompt: str, turn: int) -> None:
        """Go on until the model is done or has to stop; `reply` holds what came of it.

        Raises:
            AgentFailedError: The model answered what cannot be used.
            AgentUnreachableError: It was not reached, or has no room now.
        """
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        done = _Turn()
        self._messages.append(ModelRequest(parts=[UserPromptPart(prompt)]))
        try:
            while not done.finish:
                await self._step(done, turn)
        finally:
            self.reply = Reply(
                turn=turn,
                prompt=prompt,
                text=done.text,
                metadata=done.answer,
                tool_calls=tuple(done.calls),
                rounds=len(done.steps) or None,
                finish=done.finish,
                usage=Usage(
                    input_tokens=done.input_tokens,
                    output_tokens=done.output_tokens,
                    cost_usd=_total_cost(done.steps),
                ),
            )

    async def _step(self, done: _Turn, turn: int) -> None:
        from pydantic_ai.messages import ModelRequest, ToolReturnPart

        phase = self._loop.phase(done.steps)
        response = await self._ask(phase)
        self._messages.append(response)
        calls = response.tool_calls
        cost = _cost(response, self._prices)
        used = response.usage
        done.input_tokens += used.input_tokens
        done.output_tokens += used.output_tokens
        done.text = response.text or done.text
        returns: list[Any] = []
        for call in calls:
            content, status = await self._call(call, phase, done)
            if call.tool_name not in self._loop.completion:
                done.calls.append(_tool_call(call, turn, len(done.steps), content, status))
            outcome: Literal["success", "failed"] = "failed" if status == "error" else "success"
            part = ToolReturnPart(call.tool_name, content, call.tool_call_id, outcome=outcome)
            returns.append(part)
        tokens = used.input_tokens + used.output_tokens
        names = tuple(call.tool_name for call in calls)
        done.steps.append(Step(text=response.text or "", tools=names, tokens=tokens, cost_usd=cost))
        if returns:
            self._messages.append(ModelRequest(parts=returns))
        if done.answer is not None:
            done.finish = "completed"
        elif reason := self._loop.stop_reason(done.steps) if calls else "":
            done.finish = reason
        elif not calls:
            done.finish = str(response.finish_reason or "stop")

    async def _ask(self, phase: Phase) -> "ModelResponse":
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import (
            ModelAPIError,
            ModelHTTPError,
            UnexpectedModelBehavior,
            UserError,
        )
        from pydantic_ai.messages import InstructionPart
        from pydantic_ai.models import ModelRequestParameters

        told = "\n\n".join(filter(None, (self._loop.instructions, phase.instructions)))
        parameters = ModelRequestParameters(
            function_tools=[self._definition(name) for name in self._phase_tools(phase)],
            instruction_parts=[InstructionPart(content=told)] if told else None,
        )
        try:
            response = await model_request(
                self._models.get(phase.model),
                self._messages,
                model_settings=self._settings(phase, bool(parameters.function_tools)),
                model_request_parameters=parameters,
            )
        except ModelHTTPError as error:
            said = f"the model answered HTTP {error.status_code}: {_body(error.body)}"
            if error.status_code in _BUSY or error.status_code >= 500:
                raise AgentUnreachableError(said) from None
            raise AgentFailedError(said) from None
        except ModelAPIError as error:
            raise AgentUnreachableError(f"the model was not reached: {error}") from None
        except (UnexpectedModelBehavior, UserError) as error:
            said = str(error).partition("\n")[0]
            if "validation error" in said:
                raise AgentFailedError(_UNREADABLE) from None
            raise AgentFailedError(f"the model cannot be used: {said}") from None
        except (TypeError, AttributeError, KeyError, ValueError):
            raise AgentFailedError(_UNREADABLE) from None  # of another form, and nobody checked it
        if not response.parts and response.finish_reason is None:
            raise AgentFailedError(_UNREADABLE)
        return response

    def _phase_tools(self, phase: Phase) -> list[str]:
        return self._loop.offered(self._listed, phase)

    def _definition(self, name: str) -> Any:
        from pydantic_ai.tools import ToolDefinition

        if name in self._loop.completion:
            own = self._loop.completion[name]
            return ToolDefinition(
                name=name, description=own.description, parameters_json_schema=own.parameters
            )
        tool = self._listed[name]
        return ToolDefinition(
            name=name, description=tool.description, parameters_json_schema=tool.parameters
        )

    def _settings(self, phase: Phase, has_tools: bool) -> "ModelSettings":  # noqa: FBT001
        from pydantic_ai.settings import ModelSettings

        loop, settings = self._loop, ModelSettings()
        if loop.temperature is not None:
            settings["temperature"] = loop.temperature
        if loop.max_tokens is not None:
            settings["max_tokens"] = loop.max_tokens
        if loop.seed is not None:
            settings["seed"] = loop.seed
        if has_tools and phase.tool_choice != "auto":
            settings["tool_choice"] = phase.tool_choice
        return settings

    async def _call(
        self, call: "ToolCallPart", phase: Phase, done: _Turn
    ) -> tuple[Json, Literal["ok", "error"]]:
        offered = self._phase_tools(phase)
        if call.tool_name not in offered:
            known = ", ".join(offered) or "none"
            return f"there is no tool {call.tool_name!r}; there are: {known}", "error"
        arguments = _arguments(call)
        if arguments is None:
            return "the arguments are no JSON object", "error"
        if call.tool_name in self._loop.completion:
            done.answer = arguments
            text = arguments.get("text")
            done.text = text if isinstance(text, str) else json.dumps(arguments)
            return "noted", "ok"
        content, failed = await self._tools.call(call.tool_name, arguments)
        return content, "error" if failed else "ok"


def _arguments(call: "ToolCallPart") -> JsonObject | None:
    value: Any = call.args or {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return plain(value) if isinstance(value, dict) else None


def _tool_call(
    call: "ToolCallPart", turn: int, step: int, content: Json, status: Literal["ok", "error"]
) -> ToolCall:
    arguments = _arguments(call)
    return ToolCall(
        name=call.tool_name,
        args=str(call.args) if arguments is None else arguments,
        id=call.tool_call_id,
        turn=turn,
        step=step,
        status=status,
        result=plain(content),
    )


def _cost(response: "ModelResponse", prices: Mapping[str, Price]) -> float | None:
    price = price_of(response.model_name or "", prices)
    used = response.usage
    return None if price is None else price.cost_usd(used.input_tokens, used.output_tokens)


def _total_cost(steps: Sequence[Step]) -> float | None:
    spent = [step.cost_usd for step in steps]
    known = [each for each in spent if each is not None]
    return sum(known) if known and len(known) == len(spent) else None


def _body(body: object) -> str:
    """What a provider says of an error: its message, where it has one."""
    told = body.get("error", body) if isinstance(body, dict) else body
    return str(told.get("message", told) if isinstance(told, dict) else told)[:500]
