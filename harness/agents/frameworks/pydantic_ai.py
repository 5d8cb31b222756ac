"""Agents of pydantic-ai: an `Agent`, or a function that makes one."""

import json
import typing
from collections.abc import Iterable
from typing import Any

PACKAGE = "pydantic-ai-slim"
MODULES = ("pydantic_ai",)
WANTED = "agent of pydantic-ai (Agent)"

_OUTPUT = "understudy: the agent's output"
_OK = {"success": "ok"}


def recognises(value: Any) -> bool:
    """Whether a value is an agent."""
    from pydantic_ai.agent import AbstractAgent

    return isinstance(value, AbstractAgent)


def dependency_type(agent: Any) -> Any:
    """The type of the dependencies that an agent hands to its tools; None for one without."""
    wanted = getattr(agent, "deps_type", None)
    return None if wanted in (type(None), object, Any) else wanted


def is_dependency(wanted: Any, value: Any) -> bool:
    """Whether a value is of such a type, as far as that can be told."""
    try:
        return isinstance(value, wanted)
    except TypeError:  # list[str], a TypedDict
        kind = typing.get_origin(wanted) or (dict if typing.is_typeddict(wanted) else None)
        return isinstance(value, kind) if isinstance(kind, type) else value is not None


def connect(agent: Any, deps: Any = None) -> Any:
    """The function that hands messages to an agent, with its dependencies."""
    return _Conversation(agent, deps)


class _Conversation:
    def __init__(self, agent: Any, deps: Any) -> None:
        self._agent = agent
        self._deps = deps
        self._history: list[Any] = []

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        from pydantic_ai import capture_run_messages

        with capture_run_messages() as seen:
            try:
                result = await self._agent.run(
                    messages[-1]["content"],
                    message_history=self._history or None,
                    deps=self._deps,
                )
            except Exception as error:
                partial = _reply(seen[len(self._history) :])
                error.understudy_partial = partial  # type: ignore[attr-defined]
                raise
        try:
            new = result.new_messages(output_tool_return_content=_OUTPUT)
        except ValueError:  # its output is no call of a tool
            new = result.new_messages()
        self._history = result.all_messages()
        usage = result.usage
        if not hasattr(usage, "input_tokens"):  # it was a method before version 2
            usage = usage()
        reply = _reply(new) | {
            "text": _text(result.output),
            "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        }
        value = _plain(result.output)
        return reply | {"metadata": value} if isinstance(value, dict) else reply


def _reply(messages: Iterable[Any]) -> dict[str, Any]:
    """What the messages of a run tell: tool calls, but for the one that is the output."""
    calls: list[dict[str, Any]] = []
    rounds, text, finish = 0, "", ""
    for message in messages:
        if message.kind == "response":
            for part in message.parts:
                if part.part_kind in {"tool-call", "builtin-tool-call"}:
                    calls.append({
                        "id": part.tool_call_id,
                        "name": part.tool_name,
                        "args": part.args,
                        "step": rounds,
                        "status": "unknown",
                    })  # fmt: skip
                elif part.part_kind == "text":
                    text = part.content
            rounds += 1
            finish = getattr(message, "finish_reason", None) or finish
            continue
        for part in message.parts:
            call = _open_call(calls, getattr(part, "tool_call_id", ""))
            if call is None:
                continue
            if part.part_kind == "tool-return":
                if part.content == _OUTPUT:
                    calls.remove(call)
                    continue
                outcome = getattr(part, "outcome", "success")
                call |= {"status": _OK.get(outcome, "error"), "result": _plain(part.content)}
            elif part.part_kind == "retry-prompt":
                call |= {"status": "error", "result": _plain(part.content)}
    return {"text": text, "toolCalls": calls, "rounds": rounds, "finish": finish}


def _open_call(calls: list[dict[str, Any]], id: str) -> dict[str, Any] | None:
    """The first call of an id that has no result yet: a model may give two calls one id."""
    return next((each for each in calls if (each["id"], each["status"]) == (id, "unknown")), None)


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=str)


def _text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(_plain(output), ensure_ascii=False)
