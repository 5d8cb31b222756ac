"""A script as a `Model` of pydantic-ai."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.errors import MissingExtraError
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    parse_arguments,
    parse_text,
    with_names_of_tools,
)
from mockserver.testing.models.player import ScriptedModelError, ScriptPlayer

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.models.function import AgentInfo

_CUT = 24
"""Characters of a piece of a streamed text."""


def pydantic_ai_model(script: str | Path, name: str = "scripted", *, seed: int = 0) -> "Model":
    """A model that says what a script says.

    Args:
        script: A script, or a suite with a folder `models`.
        name: The model's name, which replies may ask for.
        seed: What ids of tool calls come from.

    Raises:
        MockServerError: The script cannot be played, or pydantic-ai is not installed.
    """
    try:
        from pydantic_ai.models.function import FunctionModel
    except ImportError:
        raise MissingExtraError("pydantic_ai_model needs", "pydantic-ai-slim", "model") from None
    played = _Played(ScriptPlayer(script, seed=seed), name)
    return FunctionModel(played.reply, stream_function=played.stream, model_name=name)


class _Played:
    def __init__(self, player: ScriptPlayer, name: str) -> None:
        self._player = player
        self._name = name

    async def reply(self, messages: "list[ModelMessage]", info: "AgentInfo") -> "ModelResponse":
        from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
        from pydantic_ai.usage import RequestUsage

        request = self._request(messages, info)
        reply = await self._next_reply(request)
        parts: list[Any] = [ThinkingPart(reply.reasoning)] if reply.reasoning else []
        if text := reply.text or reply.refusal:
            parts.append(TextPart(text))
        parts += [ToolCallPart(call.name, call.arguments, call.id) for call in reply.calls]
        used = reply.usage_for(request)
        usage = RequestUsage(input_tokens=used.input, output_tokens=used.output)
        return ModelResponse(parts=parts, usage=usage, model_name=self._name)

    async def stream(self, messages: "list[ModelMessage]", info: "AgentInfo") -> AsyncIterator[Any]:
        from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall

        reply = await self._next_reply(self._request(messages, info))
        if reply.reasoning:
            yield {0: DeltaThinkingPart(content=reply.reasoning)}
        text = reply.text or reply.refusal
        for start in range(0, len(text), _CUT):
            yield text[start : start + _CUT]
        for place, call in enumerate(reply.calls, start=1):
            yield {place: DeltaToolCall(call.name, call.json_text, tool_call_id=call.id)}

    async def _next_reply(self, request: ModelRequest) -> ModelReply:
        from pydantic_ai.exceptions import ModelHTTPError

        try:
            return await self._player.reply(request)
        except ScriptedModelError as error:
            body = {"message": str(error), "type": error.kind}
            raise ModelHTTPError(error.status, self._name, body) from error

    def _request(self, messages: "list[ModelMessage]", info: "AgentInfo") -> ModelRequest:
        found = [Message("system", info.instructions)] if info.instructions else []
        for message in messages:
            found += _messages(message)
        tools = (*info.function_tools, *info.output_tools)
        return ModelRequest(
            self._name, with_names_of_tools(found), tuple(tool.name for tool in tools)
        )


def _messages(message: "ModelMessage") -> Iterable[Message]:
    if message.kind == "response":
        calls = tuple(
            ToolCall(part.tool_name, parse_arguments(part.args), part.tool_call_id)
            for part in message.tool_calls
        )
        yield Message("assistant", message.text or "", calls)
        return
    for part in message.parts:
        match part.part_kind:
            case "system-prompt":
                yield Message("system", part.content)
            case "user-prompt":
                content = part.content
                texts = [content] if isinstance(content, str) else content
                yield Message("user", "\n".join(each for each in texts if isinstance(each, str)))
            case "tool-return":
                value = parse_text(part.model_response_str())
                failed = part.outcome not in {"success"}
                result = ToolResult(value, part.tool_call_id, part.tool_name, failed)
                yield Message("tool", results=(result,))
            case "retry-prompt":
                result = ToolResult(
                    part.model_response(), part.tool_call_id, part.tool_name or "", is_error=True
                )
                yield Message("tool", results=(result,))
            case _:
                pass
