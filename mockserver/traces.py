"""Spans of OpenTelemetry as agents' frameworks write them: OTLP as JSON, read into plain values.

Three conventions say what a span of an agent means: those of OpenTelemetry for generative AI
(`gen_ai.*`), OpenInference (`openinference.span.kind`, `llm.*`), and the Vercel AI SDK (`ai.*`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic_core import from_json

from mockserver.model import Json, JsonMapping, JsonObject

SpanKind = Literal["agent", "model", "tool", "other"]
_ERRORS = frozenset({2, "2", "STATUS_CODE_ERROR"})
_DEEPEST = 16
_OPERATIONS: Mapping[str, SpanKind] = {
    "chat": "model", "text_completion": "model", "generate_content": "model",
    "execute_tool": "tool", "invoke_agent": "agent", "invoke_workflow": "agent",
}  # fmt: skip
_OPENINFERENCE: Mapping[str, SpanKind] = {"llm": "model", "tool": "tool", "agent": "agent"}


class SpanError(ValueError):
    """What should be OTLP is not."""


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

    def first(self, *names: str) -> Json:
        """The value of the first of these attributes that it has; None where it has none."""
        return next((self.attributes[name] for name in names if name in self.attributes), None)

    @property
    def kind(self) -> SpanKind:
        """What it is of an agent, by the convention that it follows."""
        operation = str(self.first("gen_ai.operation.name") or "").lower()
        if operation in _OPERATIONS:
            return _OPERATIONS[operation]
        told = str(self.first("openinference.span.kind") or "").lower()
        if told in _OPENINFERENCE:
            return _OPENINFERENCE[told]
        vercel = str(self.first("ai.operationId", "operation.name") or "").partition(" ")[0]
        if vercel == "ai.toolCall":
            return "tool"
        if vercel.startswith("ai.") and vercel.endswith((".doGenerate", ".doStream")):
            return "model"
        return "agent" if vercel.startswith("ai.") else "other"

    @property
    def duration_ms(self) -> float:
        """Milliseconds; 0 where its end is not told."""
        return max(0, self.end_ns - self.start_ns) / 1_000_000

    @property
    def tool_name(self) -> str:
        """The tool that it called."""
        named = self.first("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
        return str(named) if named else self.name.removeprefix("execute_tool ")

    @property
    def tool_arguments(self) -> JsonObject | str:
        """The arguments of the call; a text where they are no JSON object."""
        told = self.first(
            "gen_ai.tool.call.arguments", "ai.toolCall.args", "tool.parameters", "input.value"
        )
        value = _unpacked(told)
        return value if isinstance(value, dict) else "" if told is None else str(told)

    @property
    def tool_result(self) -> Json:
        """What the tool gave; None where it is not told."""
        return _unpacked(
            self.first("gen_ai.tool.call.result", "ai.toolCall.result", "output.value")
        )

    @property
    def input_tokens(self) -> int | None:
        """Tokens that went into the model."""
        return _count(self.first(
            "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens",
        ))  # fmt: skip

    @property
    def output_tokens(self) -> int | None:
        """Tokens that came out of it."""
        return _count(self.first(
            "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
            "llm.token_count.completion", "ai.usage.outputTokens", "ai.usage.completionTokens",
        ))  # fmt: skip

    @property
    def model(self) -> str:
        """The model that was asked."""
        named = self.first(
            "gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"
        )
        return str(named or "")

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


def read_spans(value: Json) -> Iterator[Span]:
    """Read an export request as OTLP's JSON has it: `{"resourceSpans": [...]}`.

    Yields:
        The spans, in order.

    Raises:
        SpanError: It is something else.
    """
    for resource in _objects(value, "resourceSpans"):
        of_resource = _attributes(resource.get("resource", {}), "resource")
        for scope in _objects(resource, "scopeSpans"):
            for span in _objects(scope, "spans"):
                yield _span(span, of_resource)


def _span(span: JsonObject, resource: JsonMapping) -> Span:
    trace, id = span.get("traceId"), span.get("spanId")
    if not isinstance(trace, str) or not isinstance(id, str) or not trace or not id:
        raise SpanError("a span has no traceId or no spanId")
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    return Span(
        trace=trace.lower(),
        id=id.lower(),
        parent=str(span.get("parentSpanId") or "").lower(),
        name=str(span.get("name") or ""),
        start_ns=_nanoseconds(span.get("startTimeUnixNano")),
        end_ns=_nanoseconds(span.get("endTimeUnixNano")),
        attributes=_attributes(span, "span"),
        events=tuple(
            SpanEvent(str(each.get("name") or ""), _attributes(each, "event"))
            for each in _objects(span, "events")
        ),
        is_error=status.get("code") in _ERRORS,
        message=str(status.get("message") or ""),
        resource=resource,
    )


def _objects(value: Json, name: str) -> list[JsonObject]:
    """The objects under a name; a missing list is an empty one."""
    found = value.get(name, []) if isinstance(value, dict) else None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise SpanError(f"{name!r} is no list of objects")
    return found


def _attributes(holder: Json, of: str) -> dict[str, Json]:
    if not isinstance(holder, dict):
        raise SpanError(f"a {of} is no object")
    return {
        str(each.get("key")): _plain(each.get("value")) for each in _objects(holder, "attributes")
    }


def _plain(value: Json, depth: int = 0) -> Json:
    """An `AnyValue` as a plain value."""
    if not isinstance(value, dict) or not value or depth > _DEEPEST:
        return None
    kind, held = next(iter(value.items()))
    if kind == "intValue":
        try:
            return int(held)
        except (TypeError, ValueError):
            raise SpanError(f"{held!r} is no intValue") from None
    if kind == "arrayValue":
        return [_plain(each, depth + 1) for each in _objects(held or {}, "values")]
    if kind == "kvlistValue":
        return {
            str(each.get("key")): _plain(each.get("value"), depth + 1)
            for each in _objects(held or {}, "values")
        }
    return held


def _nanoseconds(value: Json) -> int:
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError):
        raise SpanError(f"{value!r} is no time in nanoseconds") from None


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


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
