"""Crews of CrewAI, classes of `@CrewBase`, and single agents.

A crew gets the prompt as the input that its tasks name. Tool calls and model calls are those of
CrewAI's event bus. Neither its telemetry nor its traces are sent, unless the user says otherwise.
"""

import json
import os
from typing import Any

PACKAGE = "crewai"
MODULES = ("crewai",)
WANTED = "crew of CrewAI (Crew, a class of @CrewBase), nor an Agent"

_HISTORY = ("history", "conversation")

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")


def recognises(value: Any) -> bool:
    """Whether a value is a crew, one of `@CrewBase`, or an agent."""
    from crewai import Agent, Crew

    is_class = isinstance(value, type)
    return isinstance(value, (Agent, Crew)) or (
        not is_class and bool(getattr(value, "is_crew_class", False))
    )


def connect(agent: Any) -> Any:
    """The function that hands messages to a crew or an agent."""
    return _Conversation(agent.crew() if getattr(agent, "is_crew_class", False) else agent)


class _Conversation:
    def __init__(self, agent: Any) -> None:
        from crewai import Agent

        self._agent = agent
        self._inputs = None if isinstance(agent, Agent) else _input_names(agent)

    async def __call__(
        self, messages: list[dict[str, str]], _environment: dict[str, str]
    ) -> dict[str, Any]:
        from crewai.events import crewai_event_bus

        asked = messages if self._inputs is None else self._inputs_of(messages)
        with _Watch() as watch:
            try:
                output = await self._agent.kickoff_async(asked)
            except Exception as error:
                crewai_event_bus.flush()
                error.understudy_partial = watch.reply()  # type: ignore[attr-defined]
                raise
            crewai_event_bus.flush()
        return watch.reply() | _answer(output)

    def _inputs_of(self, messages: list[dict[str, str]]) -> dict[str, str]:
        prompt, history = self._inputs or ("", "")
        before = "\n".join(f"{each['role']}: {each['content']}" for each in messages[:-1])
        return {prompt: messages[-1]["content"]} | ({history: before} if history else {})


def _input_names(crew: Any) -> tuple[str, str]:
    """The input that a prompt is, and that of what was said before, or an empty string."""
    names = sorted(crew.fetch_inputs())
    history = next((name for name in _HISTORY if name in names), "")
    others = [name for name in names if name != history]
    if len(others) == 1:
        return others[0], history
    known = ", ".join(others) or "none"
    raise TypeError(
        f"its tasks have these inputs: {known}; a prompt is the only one, such as {{prompt}} in the"
        " description of a task: write a function without arguments that makes such a crew"
    )


class _Watch:
    """Keeps what the event bus tells."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def __enter__(self) -> "_Watch":
        from crewai.events import (
            LLMCallCompletedEvent,
            ToolUsageErrorEvent,
            ToolUsageFinishedEvent,
            ToolUsageStartedEvent,
            crewai_event_bus,
        )

        self._bus = crewai_event_bus
        self._kinds = (
            LLMCallCompletedEvent,
            ToolUsageErrorEvent,
            ToolUsageFinishedEvent,
            ToolUsageStartedEvent,
        )
        for kind in self._kinds:
            self._bus.register_handler(kind, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for kind in self._kinds:
            self._bus.off(kind, self._note)

    def _note(self, _source: Any, event: Any) -> None:
        self.events.append(event)

    def reply(self) -> dict[str, Any]:
        """What was done, in the order in which it was."""
        calls: dict[str, dict[str, Any]] = {}
        tokens = {"input_tokens": 0, "output_tokens": 0}
        rounds, finish = 0, ""
        for event in sorted(self.events, key=_place):
            if event.type == "llm_call_completed":
                rounds += 1
                finish = getattr(event, "finish_reason", None) or finish
                _count(getattr(event, "usage", None) or {}, tokens)
            elif event.type == "tool_usage_started":
                calls[event.event_id] = {
                    "id": event.event_id,
                    "name": event.tool_name,
                    "args": event.tool_args,
                    "step": max(rounds - 1, 0),
                    "status": "unknown",
                }
            elif (call := _call_of(event, calls)) is not None:
                failed = event.type == "tool_usage_error" or bool(getattr(event, "failure", None))
                result = event.error if event.type == "tool_usage_error" else event.output
                call |= {"status": "error" if failed else "ok", "result": _plain(result)}
        return {
            "text": "",
            "toolCalls": list(calls.values()),
            "rounds": rounds,
            "finish": finish,
            "usage": tokens,
        }


def _place(event: Any) -> tuple[int, Any]:
    return (getattr(event, "emission_sequence", None) or 0, event.timestamp)


def _call_of(event: Any, calls: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """The call that an event ends: the one it names, else the first of its name that is open."""
    named = calls.get(getattr(event, "started_event_id", None) or "")
    open_calls = (
        call
        for call in calls.values()
        if call["status"] == "unknown" and call["name"] == event.tool_name
    )
    return named or next(open_calls, None)


def _count(usage: dict[str, Any], tokens: dict[str, int]) -> None:
    for ours, theirs in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
        count = usage.get(theirs, usage.get(ours))
        tokens[ours] += count if isinstance(count, int) else 0


def _plain(result: Any) -> Any:
    if isinstance(result, (dict, list)):
        return result
    text = str(result)
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _answer(output: Any) -> dict[str, Any]:
    """The text of an output, and its structured answer."""
    value = getattr(output, "pydantic", None)
    value = value.model_dump(mode="json") if value is not None else None
    value = value or getattr(output, "json_dict", None)
    text = getattr(output, "raw", None)
    answer = {"text": str(output) if text is None else text}
    return answer | {"metadata": value} if isinstance(value, dict) else answer
