"""The table of formats that traces are read from.

To add one, write a module that recognises a record and reads its spans, and add its line here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mockserver.model import Json, JsonObject
from mockserver.traces.foreign import (
    adk,
    braintrust,
    chat,
    claude,
    langfuse,
    langsmith,
    litellm,
    logfire,
    mastra,
    openai_agents,
    otlp,
    phoenix,
    weave,
)
from mockserver.traces.spans import Span


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """A format of traces.

    Attributes:
        recognises: Whether a record is in it.
        read: The spans of a record; raises SpanError for what it cannot read.
        about: What writes it.
    """

    recognises: Callable[[JsonObject], bool]
    read: Callable[[JsonObject], Iterator[Span]]
    about: str


FORMATS: Mapping[str, TraceFormat] = {
    "otlp": TraceFormat(otlp.recognises, otlp.read, "OpenTelemetry: OTLP as JSON"),
    "langfuse": TraceFormat(langfuse.recognises, langfuse.read, "Langfuse"),
    "phoenix": TraceFormat(phoenix.recognises, phoenix.read, "Phoenix and OpenInference"),
    "langsmith": TraceFormat(langsmith.recognises, langsmith.read, "LangSmith"),
    "logfire": TraceFormat(logfire.recognises, logfire.read, "Logfire"),
    "braintrust": TraceFormat(braintrust.recognises, braintrust.read, "Braintrust"),
    "weave": TraceFormat(weave.recognises, weave.read, "W&B Weave"),
    "mastra": TraceFormat(mastra.recognises, mastra.read, "Mastra"),
    "openai-agents": TraceFormat(openai_agents.recognises, openai_agents.read, "OpenAI Agents"),
    "adk": TraceFormat(adk.recognises, adk.read, "sessions and events of ADK"),
    "claude": TraceFormat(claude.recognises, claude.read, "Claude Code and Agent SDK"),
    "litellm": TraceFormat(litellm.recognises, litellm.read, "logs of LiteLLM"),
    "chat": TraceFormat(chat.recognises, chat.read, "lists of messages"),
}
"""Name to format, in the order in which they are tried."""


def format_of(record: JsonObject, first: str = "") -> str:
    """The name of the format that a record is in; empty where it is in none.

    Args:
        record: A line, or an item of a list.
        first: The format of the record before, which is tried first.
    """
    if first and FORMATS[first].recognises(record):
        return first
    return next((name for name, each in FORMATS.items() if each.recognises(record)), "")


def records_in(value: Json) -> Iterator[JsonObject]:
    """The records of a whole file: itself, or the items of its lists.

    Yields:
        Each, in order.
    """
    if isinstance(value, dict) and format_of(value):
        yield value
    elif isinstance(value, list):
        objects = [each for each in value if isinstance(each, dict)]
        whole: JsonObject = {"messages": value}
        if objects and not any(map(format_of, objects[:20])) and chat.recognises(whole):
            yield whole
        else:
            for each in value:
                yield from records_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            if isinstance(each, dict | list):
                yield from records_in(each)
