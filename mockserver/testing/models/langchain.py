"""A script as a `BaseChatModel` of LangChain."""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mockserver.errors import MockServerError
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    parse_text,
    with_names_of_tools,
)
from mockserver.testing.models.player import ScriptPlayer

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def langchain_model(script: str | Path, name: str = "scripted", *, seed: int = 0) -> Any:
    """A chat model that says what a script says; errors of the script are `ScriptedModelError`.

    Args:
        script: A script, or a suite with a folder `models`.
        name: The model's name, which replies may ask for.
        seed: What ids of tool calls come from.

    Returns:
        A `BaseChatModel` that takes tools by `bind_tools`.

    Raises:
        MockServerError: The script cannot be played, or LangChain is not installed.
    """
    try:
        from langchain_core.language_models.chat_models import BaseChatModel
        from langchain_core.messages import AIMessage
        from langchain_core.outputs import ChatGeneration, ChatResult
        from langchain_core.utils.function_calling import convert_to_openai_tool
    except ImportError:
        hint = "pip install langchain-core"
        raise MockServerError("langchain_model needs LangChain", hint=hint) from None
    player = ScriptPlayer(script, seed=seed)

    async def agenerate(_self: Any, messages: Any, **given: Any) -> Any:
        request = _request(name, messages, given.get("tools", ()))
        reply = await player.reply(request)
        message = AIMessage(**_message_fields(reply, request, name))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def generate(self: Any, messages: Any, **given: Any) -> Any:
        with ThreadPoolExecutor(1) as aside:  # an event loop may be running in this thread
            return aside.submit(asyncio.run, agenerate(self, messages, **given)).result()

    def bind_tools(self: Any, tools: Sequence[Any], **given: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **given)

    parts = {
        "_agenerate": agenerate,
        "_generate": generate,
        "bind_tools": bind_tools,
        "_llm_type": property(lambda _self: "understudy-script"),
        "__module__": __name__,
    }
    return type("ScriptedChatModel", (BaseChatModel,), parts)()


def _request(name: str, messages: Iterable[Any], tools: Iterable[Any]) -> ModelRequest:
    found = [_message(each) for each in messages]
    names = tuple(str(tool["function"]["name"]) for tool in tools)
    return ModelRequest(name, with_names_of_tools(found), names)


def _message(message: Any) -> Message:
    text = message.text
    text = str(text() if callable(text) and not isinstance(text, str) else text)
    match _ROLES.get(message.type, "user"):
        case "tool":
            content = parse_text(text) if text else message.content
            failed = message.status == "error"
            result = ToolResult(content, message.tool_call_id, message.name or "", failed)
            return Message("tool", results=(result,))
        case "assistant":
            calls = tuple(
                ToolCall(call["name"], call["args"], call["id"] or "")
                for call in message.tool_calls
            )
            return Message("assistant", text, calls)
        case "system":
            return Message("system", text)
        case _:
            return Message("user", text)


def _message_fields(reply: ModelReply, request: ModelRequest, name: str) -> dict[str, Any]:
    """What an `AIMessage` is made of."""
    good = [call for call in reply.calls if isinstance(call.arguments, dict)]
    broken = [call for call in reply.calls if not isinstance(call.arguments, dict)]
    used = reply.usage_for(request)
    return {
        "content": reply.text or reply.refusal,
        "tool_calls": [
            {"name": call.name, "args": call.arguments, "id": call.id, "type": "tool_call"}
            for call in good
        ],
        "invalid_tool_calls": [
            {"name": call.name, "args": call.json_text, "id": call.id, "error": "no JSON object",
             "type": "invalid_tool_call"}
            for call in broken
        ],
        "usage_metadata": {
            "input_tokens": used.input,
            "output_tokens": used.output,
            "total_tokens": used.input + used.output,
        },
        "response_metadata": {"finish_reason": reply.finish, "model_name": name},
    }  # fmt: skip
