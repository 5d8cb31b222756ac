"""A span of OpenTelemetry as plain values, and what it means of an agent.

Conventions say what a span of an agent means: those of OpenTelemetry for generative AI
(`gen_ai.*`), OpenInference (`openinference.span.kind`, `llm.*`), the Vercel AI SDK (`ai.*`), and
the names that OpenLLMetry, LangSmith and ADK had before them.
"""

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from pydantic_core import from_json

from mockserver.model import Json, JsonMapping, JsonObject

SpanKind = Literal["agent", "model", "tool", "other"]
SESSION = "mock.session"
"""The attribute by which a span, or what wrote it, names its session; baggage has the same key."""

_OPERATIONS: Mapping[str, SpanKind] = {
    "chat": "model", "text_completion": "model", "generate_content": "model",
    "execute_tool": "tool", "invoke_agent": "agent", "invoke_workflow": "agent",
}  # fmt: skip
_KINDS: Mapping[str, SpanKind] = {
    "llm": "model", "tool": "tool", "agent": "agent", "workflow": "agent", "chain": "agent",
}  # fmt: skip
_KIND_NAMES = ("openinference.span.kind", "traceloop.span.kind", "langsmith.span.kind")
_LONGEST_LITERAL = 20_000


class RequestedCall(NamedTuple):
    """A tool call that a model asks for; its arguments are a text where they are no object."""

    name: str
    arguments: JsonObject | str
    id: str


_ARGUMENTS = (
    "gen_ai.tool.call.arguments", "ai.toolCall.args", "tool_arguments", "input.value",
    "traceloop.entity.input", "gcp.vertex.agent.tool_call_args", "gen_ai.prompt",
)  # fmt: skip
_ADK_RESULT = "gcp.vertex.agent.tool_response"
_RESULTS = (
    "gen_ai.tool.call.result", "ai.toolCall.result", "tool_response", "output.value",
    "traceloop.entity.output", _ADK_RESULT, "gen_ai.completion",
)  # fmt: skip
_FLAT = (
    # OpenInference, and OpenLLMetry with LangSmith
    ("llm.output_messages.", ".message.tool_calls.", ".tool_call.",
     ("function.name", "function.arguments", "id")),
    ("gen_ai.completion.", ".tool_calls.", ".", ("name", "arguments", "id")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """An event of a span: its name, and its attributes as plain values."""

    name: str
    attributes: JsonMapping


@dataclass(frozen=True, slots=True)
class Span:
    """A span.

    Attributes:
        trace: The trace's id, lower case.
        id: Its own.
        parent: Its parent's; empty for a root.
        name: Its name.
        start_ns: Nanoseconds since 1970; 0 where it is not told.
        end_ns: The same, of its end.
        attributes: As plain values.
        events: In order.
        is_error: Whether its status is an error.
        message: What its status says.
        resource: The attributes of what wrote it.
        scope: The name of the instrumentation.
    """

    trace: str
    id: str
    parent: str
    name: str
    start_ns: int = 0
    end_ns: int = 0
    attributes: JsonMapping = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    is_error: bool = False
    message: str = ""
    resource: JsonMapping = field(default_factory=dict)
    scope: str = ""

    def first(self, *names: str) -> Json:
        """The value of the first of these attributes that it has; None where it has none."""
        return next((self.attributes[name] for name in names if name in self.attributes), None)

    def as_json(self) -> JsonObject:
        """All of it as JSON, which `from_json` reads."""
        return {
            "trace": self.trace,
            "id": self.id,
            "parent": self.parent,
            "name": self.name,
            "kind": self.kind,
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "attributes": dict(self.attributes),
            "events": [{"name": each.name, "attributes": dict(each.attributes)}
                       for each in self.events],
            "is_error": self.is_error,
            "message": self.message,
            "resource": dict(self.resource),
            "scope": self.scope,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: JsonMapping) -> "Span":
        """The span that `as_json` wrote."""
        fields = {name: value[name] for name in cls.__slots__ if name != "events"}
        events = tuple(SpanEvent(**each) for each in value["events"])
        return cls(**fields, events=events)

    @property
    def session(self) -> str:
        """The session that it names, by itself or by what wrote it; an empty string for none."""
        return str(self.attributes.get(SESSION) or self.resource.get(SESSION) or "")

    @property
    def kind(self) -> SpanKind:
        """What it is of an agent, by the convention that it follows."""
        operation = str(self.first("gen_ai.operation.name") or "").lower()
        if operation in _OPERATIONS:
            return _OPERATIONS[operation]
        named = str(self.first(*_KIND_NAMES) or "").lower()
        if named:
            return _KINDS.get(named, "other")
        vercel = str(self.first("ai.operationId", "operation.name") or "").partition(" ")[0]
        if vercel == "ai.toolCall":
            return "tool"
        if vercel.startswith("ai."):
            return "model" if vercel.endswith((".doGenerate", ".doStream")) else "agent"
        if "gen_ai.tool.name" in self.attributes:
            return "tool"
        asks = "llm.request.type" in self.attributes or "gen_ai.request.model" in self.attributes
        return "model" if asks else "other"

    @property
    def duration_ms(self) -> float:
        """Milliseconds; 0 where its end is not told."""
        return max(0, self.end_ns - self.start_ns) / 1_000_000

    @property
    def tool_name(self) -> str:
        """The tool that it called."""
        named = self.first(
            "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"
        )
        return str(named) if named else self.name.removeprefix("execute_tool ")

    @property
    def tool_call_id(self) -> str:
        """What the model calls this call, or an empty string."""
        return str(self.first("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id") or "")

    @property
    def tool_arguments(self) -> JsonObject | str:
        """The arguments of the call; a text where they are no JSON object."""
        found = self.first(*_ARGUMENTS)
        value = _object_of(found)
        if not isinstance(value, dict):
            # some instrumentations write the parameters of a call there, some their schema
            value = _object_of(self.first("tool.parameters"))
        if isinstance(value, dict):
            # arguments of a Python call, as OpenLLMetry has them
            inputs = value.get("inputs") if "traceloop.entity.input" in self.attributes else None
            return inputs if isinstance(inputs, dict) else value
        return "" if found is None else str(found)

    @property
    def tool_result(self) -> Json:
        """What the tool gave; None where it is not told."""
        found = _unpacked(self.first(*_RESULTS))
        if _ADK_RESULT in self.attributes and isinstance(found, dict) and len(found) == 1:
            value = found.get("result")  # what is no object is put into one
            return found if value is None or isinstance(value, dict) else value
        return found

    @property
    def input_tokens(self) -> int | None:
        """Tokens that went into the model."""
        return _count(self.first(
            "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens",
            "llm.usage.prompt_tokens",
        ))  # fmt: skip

    @property
    def output_tokens(self) -> int | None:
        """Tokens that came out of it."""
        return _count(self.first(
            "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
            "llm.token_count.completion", "ai.usage.outputTokens", "ai.usage.completionTokens",
            "llm.usage.completion_tokens",
        ))  # fmt: skip

    @property
    def cost_usd(self) -> float | None:
        """What it cost, where the span says so."""
        found = self.first("gen_ai.usage.cost", "llm.cost.total", "operation.cost")
        cost = finite(found)
        return cost if cost is not None and cost >= 0 else None

    @property
    def model(self) -> str:
        """The model that was asked."""
        named = self.first(
            "gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"
        )
        return str(named or "")

    @property
    def provider(self) -> str:
        """Whose the model is, in the words of the convention."""
        named = self.first("gen_ai.provider.name", "gen_ai.system", "llm.provider",
                           "llm.system", "ai.model.provider")  # fmt: skip
        return str(named or "")

    def requested_calls(self) -> "list[RequestedCall]":
        """The tool calls that a model asks for in its answer, as far as the span tells."""
        parts = list(_parts_of(_unpacked(self.first("gen_ai.output.messages"))))
        if not parts:
            held = _unpacked(self.first("ai.response.toolCalls"))
            parts = (
                [each for each in held if isinstance(each, dict)]
                if isinstance(held, list)
                else _flat_calls(self.attributes)
            )
        return [
            RequestedCall(
                str(name), _arguments(each), str(each.get("id") or each.get("toolCallId") or "")
            )
            for each in parts
            if (name := each.get("name") or each.get("toolName"))
        ]

    def prompts(self) -> list[str]:
        """What the user said, as far as the span tells."""
        told = self.first("gen_ai.input.messages", "ai.prompt", "ai.prompt.messages")
        value = _unpacked(told)
        if isinstance(value, dict):
            value = value.get("messages") or value.get("prompt")
        texts = _texts(value, "user")
        if not texts and (plain := self.first("input.value")) and self.kind != "tool":
            inner = _unpacked(plain)
            held = inner.get("messages") if isinstance(inner, dict) else inner
            texts = _texts(held, "user") or [str(plain)]
        return texts

    def answers(self) -> list[str]:
        """What was answered, as far as the span tells."""
        texts = _texts(_unpacked(self.first("gen_ai.output.messages")), "assistant")
        plain = self.first("ai.response.text", "output.value")
        return texts or ([str(plain)] if plain and self.kind != "tool" else [])


def _unpacked(value: Json) -> Json:
    """Conventions put JSON into texts."""
    if not isinstance(value, str):
        return value
    if value[:1] in {"{", "[", '"'}:
        try:
            return from_json(value)
        except ValueError:
            return value
    return value


def _texts(messages: Json, role: str) -> list[str]:
    """The texts of a role's messages, in any of the shapes that conventions give them."""
    found = []
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, dict):
            continue
        message = message.get("message", message)
        if not isinstance(message, dict) or message.get("role") != role:
            continue
        parts = message.get("parts", message.get("content"))
        parts = [parts] if isinstance(parts, str) else parts if isinstance(parts, list) else []
        texts = [
            part if isinstance(part, str) else str(part.get("content") or part.get("text") or "")
            for part in parts
            if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
        ]
        if text := "\n".join(each for each in texts if each):
            found.append(text)
    return found


def finite(value: object) -> float | None:
    """A figure as a number; None for what is none, and for one beyond what a number can be.

    >>> finite(2), finite(10**400), finite(True), finite("2")
    (2.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _object_of(value: Json) -> Json:
    """What should be an object: as JSON, or as Python writes one."""
    held = _unpacked(value)
    is_literal = isinstance(held, str) and held[:1] == "{" and len(held) <= _LONGEST_LITERAL
    if not is_literal:
        return held
    try:
        found = ast.literal_eval(str(held))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return held
    return found if _is_json(found) else held


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(each) for key, each in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float)


def _arguments(call: JsonObject) -> JsonObject | str:
    names = ("arguments", "input", "args")
    held = _unpacked(next((call[name] for name in names if name in call), None))
    return held if isinstance(held, dict) else "" if held is None else str(held)


def _parts_of(messages: Json) -> Iterator[JsonObject]:
    """The parts of answers that are tool calls.

    Yields:
        Each as it stands there.
    """
    for message in messages if isinstance(messages, list) else []:
        parts = message.get("parts") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, dict) and part.get("type") == "tool_call":
                yield part


def _flat_calls(attributes: JsonMapping) -> list[JsonObject]:
    """Tool calls that stand in attributes, one for each of their fields."""
    found: dict[tuple[str, str], JsonObject] = {}
    for beginning, middle, end, fields in _FLAT:
        for key, value in attributes.items():
            if not key.startswith(beginning):
                continue
            message, has_calls, rest = key.removeprefix(beginning).partition(middle)
            number, _, name = rest.partition(end)
            if has_calls and name in fields:
                call = found.setdefault((message, number), {})
                call[name.rpartition(".")[2]] = value
    return list(found.values())


def distinct_spans(spans: Sequence[Span], kind: str) -> Iterator[Span]:
    """The spans of a kind, without those inside another that tell the same call again.

    A model's span inside another model's, and a tool's inside one of the same tool, are such.

    Yields:
        Each, in order; what only the inner span tells is in the outer one.
    """
    known = {(span.trace, span.id): span for span in spans}
    inner: dict[tuple[str, str], list[Span]] = {}
    outer = []
    for span in spans:
        if span.kind != kind:
            continue
        found = _outer_span(span, known)
        if found is None:
            outer.append(span)
        else:
            inner.setdefault((found.trace, found.id), []).append(span)
    for span in outer:
        yield _merge_spans(span, inner.get((span.trace, span.id), ()))


def _outer_span(span: Span, known: Mapping[tuple[str, str], Span]) -> Span | None:
    """The outermost span around a span that tells of the same call."""
    found, seen, at = None, {span.id}, span.parent
    while at and at not in seen and (above := known.get((span.trace, at))) is not None:
        seen.add(at)
        if above.kind == span.kind and (span.kind == "model" or above.tool_name == span.tool_name):
            found = above
        at = above.parent
    return found


def _merge_spans(span: Span, inner: Sequence[Span]) -> Span:
    if not inner:
        return span
    attributes: dict[str, object] = {}
    for each in (*inner[::-1], span):
        attributes |= each.attributes
    return Span.from_json({**span.as_json(), "attributes": attributes})


def moment(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as RFC 3339, milliseconds; empty where they tell no moment."""
    if not nanoseconds:
        return ""
    try:
        moment = datetime.fromtimestamp(nanoseconds / 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
