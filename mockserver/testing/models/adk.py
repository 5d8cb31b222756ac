"""A script as a `BaseLlm` of ADK."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from mockserver.errors import MockServerError
from mockserver.models.messages import (
    Message,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
)
from mockserver.testing.models.player import ScriptPlayer

_FINISH = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "refusal": "SAFETY"}


def adk_model(script: str | Path, name: str = "scripted", *, seed: int = 0) -> Any:
    """A model that says what a script says; errors of the script are `ScriptedModelError`.

    Args:
        script: A script, or a suite with a folder `models`.
        name: The model's name, which replies may ask for.
        seed: What ids of tool calls come from.

    Returns:
        A `BaseLlm`.

    Raises:
        MockServerError: The script cannot be played, or ADK is not installed.
    """
    try:
        from google.adk.models.base_llm import BaseLlm
        from google.adk.models.llm_response import LlmResponse
    except ImportError:
        hint = "pip install google-adk"
        raise MockServerError("adk_model needs ADK", hint=hint) from None
    player = ScriptPlayer(script, seed=seed)

    async def generate(self: Any, llm_request: Any, stream: Any = None) -> AsyncIterator[Any]:
        request = _request(self.model, llm_request)
        reply = await player.reply(request)
        if stream and reply.text:
            partial = {"role": "model", "parts": [{"text": reply.text}]}
            yield LlmResponse.model_validate({"content": partial, "partial": True})
        yield LlmResponse.model_validate(_response_fields(reply, request))

    parts = {"generate_content_async": generate, "__module__": __name__}
    return type("ScriptedLlm", (BaseLlm,), parts)(model=name)


def _request(name: str, request: Any) -> ModelRequest:
    told = request.config.system_instruction if request.config else None
    found = [Message("system", str(told))] if told else []
    for content in request.contents:
        found += _messages(content)
    return ModelRequest(name, tuple(found), tuple(request.tools_dict))


def _messages(content: Any) -> Iterable[Message]:
    parts = content.parts or []
    text = "\n".join(part.text for part in parts if part.text and not part.thought)
    results = tuple(
        ToolResult(given.response, given.id or "", given.name or "", _failed(given.response))
        for part in parts
        if (given := part.function_response) is not None
    )
    if content.role == "model":
        calls = tuple(
            ToolCall(call.name or "", dict(call.args or {}), call.id or "")
            for part in parts
            if (call := part.function_call) is not None
        )
        yield Message("assistant", text, calls)
        return
    if results:
        yield Message("tool", results=results)
    if text:
        yield Message("user", text)


def _failed(response: Any) -> bool:
    return isinstance(response, dict) and bool(response.get("error") or response.get("isError"))


def _response_fields(reply: ModelReply, request: ModelRequest) -> dict[str, Any]:
    """What an `LlmResponse` is made of."""
    parts: list[dict[str, Any]] = []
    if reply.reasoning:
        parts.append({"text": reply.reasoning, "thought": True})
    if text := reply.text or reply.refusal:
        parts.append({"text": text})
    parts += [
        {"function_call": {"id": call.id, "name": call.name, "args": _arguments(call)}}
        for call in reply.calls
    ]
    used = reply.usage_for(request)
    return {
        "content": {"role": "model", "parts": parts},
        "finish_reason": _FINISH.get(reply.finish, "STOP"),
        "usage_metadata": {
            "prompt_token_count": used.input,
            "candidates_token_count": used.output,
            "total_token_count": used.input + used.output,
        },
    }


def _arguments(call: ToolCall) -> dict[str, Any]:
    """Arguments as an object; Gemini's form has no place for broken ones."""
    return call.arguments if isinstance(call.arguments, dict) else {}
