"""Agents of smolagents. What a CodeAgent writes is one call of `python_interpreter` a step."""

import asyncio
import json
from typing import Any

PACKAGE = "smolagents"
MODULES = ("smolagents",)
WANTED = "agent of smolagents (MultiStepAgent)"


def recognises(value: Any) -> bool:
    """Whether a value is an agent."""
    from smolagents import MultiStepAgent

    return isinstance(value, MultiStepAgent)


def connect(agent: Any) -> Any:
    """The function that hands messages to an agent."""
    return _Conversation(agent)


class _Conversation:
    def __init__(self, agent: Any) -> None:
        self._agent = agent

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        before = len(self._agent.memory.steps)
        prompt = messages[-1]["content"]
        try:
            output = await asyncio.to_thread(self._agent.run, prompt, reset=before == 0)
        except Exception as error:
            error.understudy_partial = _reply(self._agent, before)  # type: ignore[attr-defined]
            raise
        text = output if isinstance(output, str) else json.dumps(output, default=str)
        return _reply(self._agent, before) | {"text": text}


def _reply(agent: Any, before: int) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    tokens = {"input_tokens": 0, "output_tokens": 0}
    rounds = 0
    for step in agent.memory.steps[before:]:
        wanted = getattr(step, "tool_calls", None)
        used = getattr(step, "token_usage", None)
        if used is not None:
            tokens["input_tokens"] += used.input_tokens
            tokens["output_tokens"] += used.output_tokens
        if not hasattr(step, "step_number"):
            continue
        own = [call for call in wanted or () if call.name != "final_answer"]
        error = getattr(step, "error", None)
        for call in own:
            result = str(error) if error is not None else getattr(step, "observations", None)
            calls.append(
                {
                    "id": call.id,
                    "name": call.name,
                    "args": call.arguments,
                    "step": rounds,
                    "status": "error" if error is not None else "ok",
                    "result": result if len(own) == 1 else None,
                }
            )
        rounds += 1
    return {"text": "", "toolCalls": calls, "rounds": rounds, "usage": tokens}
