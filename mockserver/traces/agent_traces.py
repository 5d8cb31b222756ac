"""What an agent was asked, what it called and what it answered, of the spans of one trace; pure.

Spans tell it twice: models are sent the whole conversation again and again, and each call of a tool
has a span. The conversation says who spoke in which order; the spans of tools say what came back.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic_core import to_json

from mockserver.model import Json, JsonObject
from mockserver.traces.chat_messages import (
    ChatMessage,
    MessageCall,
    MessageResult,
    content_text,
    read_chat,
    unpacked,
)
from mockserver.traces.http_spans import BODIES_SETTING, TracedRequest, traced_requests
from mockserver.traces.spans import Span, distinct_spans, finite

_INPUTS = (
    "gen_ai.input.messages", "pydantic_ai.all_messages", "all_messages_events",
    "ai.prompt.messages", "ai.prompt", "gcp.vertex.agent.llm_request", "langfuse.observation.input",
    "lmnr.span.input", "mlflow.spanInputs", "input.value", "traceloop.entity.input",
    "raw_input", "gen_ai.prompt",
)  # fmt: skip
_OUTPUTS = (
    "gen_ai.output.messages", "final_result", "gcp.vertex.agent.llm_response",
    "langfuse.observation.output", "lmnr.span.output", "mlflow.spanOutputs", "output.value",
    "traceloop.entity.output", "gen_ai.completion", "response", "logfire.final_result",
)  # fmt: skip
_FLAT_INPUTS = ("llm.input_messages.", "gen_ai.prompt.")
_FLAT_OUTPUTS = ("llm.output_messages.", "gen_ai.completion.")
_TOOLS = ("gen_ai.tool.definitions", "gen_ai.request.tools", "llm.tools", "ai.prompt.tools",
          "model_request_parameters", "llm.request.functions", "tools")  # fmt: skip
_CONVERSATION = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread_id")
MESSAGE = "message"
"""The name of a span that stands for a message of a transcript which no model gave."""

_EVALUATION = "gen_ai.evaluation.result"
_SCORE_NAME, _SCORE_REASON = "gen_ai.evaluation.name", "gen_ai.evaluation.explanation"
_SCORE_LABEL, _SCORE_VALUE = "gen_ai.evaluation.score.label", "gen_ai.evaluation.score.value"
_EVENT_ROLES = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}  # fmt: skip
_LONGEST_NAME = 120

CONTENT_SETTINGS: Mapping[str, str] = {
    "pydantic-ai": "InstrumentationSettings(include_content=True)",
    "ai": "experimental_telemetry: {isEnabled: true, recordInputs: true, recordOutputs: true}",
    "openinference": "OPENINFERENCE_HIDE_INPUTS=false OPENINFERENCE_HIDE_OUTPUTS=false",
    "opentelemetry.instrumentation.openai": "TRACELOOP_TRACE_CONTENT=true",
    "traceloop": "TRACELOOP_TRACE_CONTENT=true",
    "langsmith": "LANGSMITH_HIDE_INPUTS=false LANGSMITH_HIDE_OUTPUTS=false",
    "gcp.vertex.agent": "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true",
    "openai.agents": "RunConfig(trace_include_sensitive_data=True)",
}
"""The beginning of an instrumentation's name to what makes it keep the content of messages."""

_USUAL_SETTING = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only"


@dataclass(frozen=True, slots=True)
class TracedCall:
    """One call of a tool.

    Attributes:
        name: The tool's.
        arguments: A text where they are no object.
        id: What the model calls it; empty where it is not told.
        result: What it gave.
        has_result: Whether that is told.
        error: What it failed with; None where it did not fail.
        start_ns: Nanoseconds since 1970; 0 where it is not told.
        duration_ms: How long it took.
    """

    name: str
    arguments: JsonObject | str
    id: str = ""
    result: Json = None
    has_result: bool = False
    error: str | None = None
    start_ns: int = 0
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """What the user said, what was called then, and what was answered."""

    user: str
    calls: tuple[TracedCall, ...] = ()
    answer: str = ""


class TracedScore(NamedTuple):
    """What somebody thought of the trace: a figure, a label, or both."""

    name: str
    value: float | None
    label: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AgentTrace:
    """What an agent did.

    Attributes:
        id: The trace's.
        agent: The agent's name, or an empty string.
        system: What it was told beside what the user said.
        turns: In order; empty where nothing tells what was asked.
        tools: Name to definition, `{name, description, inputSchema}`, of the tools it was given.
        models: The models that were asked, each once.
        rounds: How often they were.
        scores: What people and evaluations said.
        error: What the trace ended with; empty where it did not fail.
        start_ns: Nanoseconds since 1970; 0 where it is not told.
        duration_ms: How long it took.
        conversation: What joins several traces, or an empty string.
        missing: What could not be told, a sentence each.
        agents: The names of all agents in it.
        place: Where it was read.
        requests: What it asked over HTTP, in order.
    """

    id: str
    agent: str = ""
    system: str = ""
    turns: tuple[TracedTurn, ...] = ()
    tools: Mapping[str, JsonObject] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    rounds: int = 0
    scores: tuple[TracedScore, ...] = ()
    error: str = ""
    start_ns: int = 0
    duration_ms: float = 0.0
    conversation: str = ""
    missing: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    place: str = ""
    requests: tuple[TracedRequest, ...] = ()

    @property
    def calls(self) -> tuple[TracedCall, ...]:
        """Every call, in order."""
        return tuple(call for turn in self.turns for call in turn.calls)


def agent_trace(spans: Sequence[Span], *, place: str = "") -> AgentTrace | None:
    """What the spans of a trace tell of an agent; None where they tell of none.

    Args:
        spans: Of one trace, in any order; a span that came twice counts once.
        place: Where they were read.
    """
    known = {span.id: span for span in spans}
    ordered = sorted(known.values(), key=lambda span: (span.start_ns, span.parent in known))
    if all(span.kind == "other" for span in ordered):
        return None
    root = _root(ordered, known)
    models = list(distinct_spans(ordered, "model"))
    tools = list(distinct_spans(ordered, "tool"))
    told = [(_inputs(span), _outputs(span)) for span in _of_first_agent(models, known)]
    agents = [span for span in ordered if span.kind == "agent"]
    if not any(each.role == "user" and each.text for asked, _ in told for each in asked):
        several = (_inputs(span, is_root=True) for span in (root, *agents, *models))
        asked = next((found for found in several if any(each.role == "user" for each in found)), [])
        told = [([each for each in asked if each.role in {"system", "user"}], []), *told]
    conversation = _Conversation()
    for asked, answered in told:
        conversation.add(asked, answered)
    if not tools and not conversation.calls:
        for span in models:
            conversation.add_calls(_inputs(span), _outputs(span))
    turns = conversation.turns()
    turns = _with_spans(turns, tools)
    turns = _with_answer(turns, root, agents, models)
    error = next((each for each in _errors(root, ordered)), "")
    starts = [span.start_ns for span in ordered if span.start_ns]
    ends = [span.end_ns for span in ordered if span.end_ns]
    names = dict.fromkeys(str(name) for span in (root, *ordered) if (name := _agent_name(span)))
    trace = AgentTrace(
        id=root.trace,
        agent=next(iter(names), "") or str(root.resource.get("service.name") or ""),
        system="\n\n".join(dict.fromkeys((*_instructions(ordered), *conversation.system))),
        turns=turns,
        tools=_definitions(ordered),
        models=tuple(dict.fromkeys(span.model for span in models if span.model)),
        rounds=sum(span.name != MESSAGE for span in models),
        scores=tuple(scores_of(ordered)),
        error=error,
        start_ns=min(starts, default=0),
        duration_ms=max(0, max(ends, default=0) - min(starts, default=0)) / 1_000_000,
        conversation=next(
            (str(told) for span in ordered if (told := span.first(*_CONVERSATION))), ""
        ),
        agents=tuple(names),
        place=place,
        requests=tuple(traced_requests(ordered)),
    )
    return replace(trace, missing=tuple(_missing(trace, ordered, known)))


def _root(ordered: Sequence[Span], known: Mapping[str, Span]) -> Span:
    """The span at the top that has the most to tell: one of an agent before others."""
    tops = [span for span in ordered if span.parent not in known]
    return next((span for span in tops if span.kind == "agent"), (tops or ordered)[0])


def _of_first_agent(models: Sequence[Span], known: Mapping[str, Span]) -> list[Span]:
    """The calls of models of the agent that is nearest the top."""
    groups: dict[str, list[Span]] = {}
    depths: dict[str, int] = {}
    for span in models:
        owner, depth, at, seen = "", 0, span.parent, set[str]()
        while at in known and at not in seen:
            seen.add(at)
            above = known[at]
            if above.kind == "agent" and not owner and _is_named_agent(above):
                owner = above.id
            depth += above.kind in {"agent", "tool"}
            at = above.parent
        groups.setdefault(owner, []).append(span)
        depths[owner] = min(depth, depths.get(owner, depth))
    if not groups:
        return []
    chosen = min(groups, key=lambda owner: (depths[owner], groups[owner][0].start_ns))
    return groups[chosen]


def _is_named_agent(span: Span) -> bool:
    operation = str(span.first("gen_ai.operation.name") or "").lower()
    named = str(span.first("openinference.span.kind", "traceloop.span.kind") or "").lower()
    return operation == "invoke_agent" or named == "agent" or bool(_agent_name(span))


def _agent_name(span: Span) -> str:
    return str(span.first("gen_ai.agent.name", "agent_name", "agent.name") or "")


def _inputs(span: Span, *, is_root: bool = False) -> list[ChatMessage]:
    found = read_chat(flat_messages(span, _FLAT_INPUTS)) or _event_messages(span, ends=False)
    for name in () if found else _INPUTS:
        told = span.attributes.get(name)
        if told in (None, ""):
            continue
        found = read_chat(told)
        if not found and (is_root or name == "ai.prompt"):
            text = _asked_text(unpacked(told))
            found = [ChatMessage("user", text)] if text else []
        if found:
            break
    return found


def _asked_text(value: Json) -> str:
    """What was asked, of the input of an agent that holds no messages."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in ("input", "query", "question", "prompt", "message", "task", "user", "text"):
            held = value.get(name)
            if isinstance(held, str) and held:
                return held
    return "" if value in (None, {}, []) else to_json(value, inf_nan_mode="constants").decode()


def _outputs(span: Span) -> list[ChatMessage]:
    found = read_chat(flat_messages(span, _FLAT_OUTPUTS)) or _event_messages(span, ends=True)
    if found:
        return [each._replace(role="assistant") for each in found if each.role != "system"]
    calls = span.first("ai.response.toolCalls")
    text = span.first("ai.response.text")
    if calls is not None or text:
        told: JsonObject = {"role": "assistant", "content": str(text or "")}
        held = unpacked(calls)
        told["tool_calls"] = held if isinstance(held, list) else []
        return read_chat([told])
    for name in _OUTPUTS:
        told_value = span.attributes.get(name)
        if told_value in (None, ""):
            continue
        found = [each for each in read_chat(told_value) if each.role != "user"]
        if not found and (text := content_text(unpacked(told_value))):
            found = [ChatMessage("assistant", text)]
        if found:
            return found
    return []


def flat_messages(span: Span, beginnings: Iterable[str]) -> list[Json]:
    """Messages that stand in attributes, one for each of their fields, `llm.x.0.message.role`."""
    for beginning in beginnings:
        tree: JsonObject = {}
        for key, value in span.attributes.items():
            if key.startswith(beginning):
                place = key.removeprefix(beginning).split(".")
                at = tree
                for step in place[:-1]:
                    held = at.setdefault(step, {})
                    if not isinstance(held, dict):
                        break
                    at = held
                else:
                    at.setdefault(place[-1], value)
        if tree:
            nested = _as_lists(tree)
            return nested if isinstance(nested, list) else [nested]
    return []


def _as_lists(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [_as_lists(value[key]) for key in sorted(value, key=int)]
    return {key: _as_lists(each) for key, each in value.items()}


def _event_messages(span: Span, *, ends: bool) -> list[ChatMessage]:
    """Messages that stand in the events of a span, as earlier conventions have them."""
    told: list[Json] = []
    for event in span.events:
        role = _EVENT_ROLES.get(event.name)
        if role is None or (event.name == "gen_ai.choice") != ends:
            continue
        held = {name: unpacked(value) for name, value in event.attributes.items()}
        inner = held.get("message")
        told.append({"role": role, **held, **(inner if isinstance(inner, dict) else {})})
    return read_chat(told)


class _Conversation:
    """Messages in their order, each once, though models are sent them again and again."""

    def __init__(self) -> None:
        self._messages: list[ChatMessage] = []
        self._seen: Counter[tuple[str, ...]] = Counter()
        self.system: dict[str, None] = {}

    @property
    def calls(self) -> list[MessageCall]:
        """Every call that was asked for."""
        return [call for each in self._messages for call in each.calls]

    def add(self, asked: Sequence[ChatMessage], answered: Sequence[ChatMessage]) -> None:
        """Add what one call of a model was sent, and what it answered."""
        local: Counter[tuple[str, ...]] = Counter()
        for message in (*asked, *answered):
            if message.role == "system":
                self.system.setdefault(message.text)
                continue
            new = self._new_parts(message, local)
            if new is not None:
                self._messages.append(new)
        for key, count in local.items():
            self._seen[key] = max(self._seen[key], count)

    def add_calls(self, asked: Sequence[ChatMessage], answered: Sequence[ChatMessage]) -> None:
        """Add only the calls of tools of a call of a model, and their results."""
        self.add(
            [each._replace(text="") for each in asked if each.calls or each.results],
            [each._replace(text="") for each in answered if each.calls],
        )

    def _new_parts(
        self, message: ChatMessage, local: "Counter[tuple[str, ...]]"
    ) -> ChatMessage | None:
        """What of a message was not there before."""

        def is_new(*key: str) -> bool:
            local[key] += 1
            return local[key] > self._seen[key]

        text = message.text
        if text and not is_new(message.role, text):
            text = ""
        calls = tuple(each for each in message.calls if is_new("call", *_call_key(each)))
        results = tuple(
            each for each in message.results
            if is_new("result", each.id or f"{each.name} {_canonical(each.value)}")
        )  # fmt: skip
        found = ChatMessage(message.role, text, calls, results)
        return found if text or calls or results else None

    def turns(self) -> tuple[TracedTurn, ...]:
        """The conversation turn by turn."""
        turns: list[TracedTurn] = []
        calls: list[list[TracedCall]] = []
        answered = True
        for message in self._messages:
            if message.role == "user" and message.text:
                if answered or not turns:
                    turns.append(TracedTurn(message.text))
                    calls.append([])
                else:
                    turns[-1] = replace(turns[-1], user=f"{turns[-1].user}\n\n{message.text}")
                answered = False
            if not turns:
                turns, calls = [TracedTurn("")], [[]]
            for result in message.results:
                _settle(calls, result)
            if message.role == "assistant":
                answered = True
                calls[-1] += [TracedCall(each.name, each.arguments, each.id)
                              for each in message.calls]  # fmt: skip
                if message.text:
                    turns[-1] = replace(turns[-1], answer=message.text)
        return tuple(
            replace(turn, calls=tuple(made)) for turn, made in zip(turns, calls, strict=True)
        )


def _call_key(call: MessageCall) -> tuple[str, ...]:
    return (call.id,) if call.id else (call.name, _canonical(call.arguments))


def _canonical(value: Json) -> str:
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return repr(value)


def _settle(calls: list[list[TracedCall]], result: MessageResult) -> None:
    """Give a result to the call that it is of: by its id, else to the next by its name."""
    for made in reversed(calls):
        for number, call in enumerate(made):
            if call.has_result or call.error is not None:
                continue
            same_name = not result.name or call.name == result.name
            if call.id == result.id if result.id else same_name:
                failed = _text(result.value) if result.failed else None
                made[number] = replace(call, result=result.value, has_result=True, error=failed)
                return


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return to_json(value, inf_nan_mode="constants").decode()


def _with_spans(turns: tuple[TracedTurn, ...], tools: Sequence[Span]) -> tuple[TracedTurn, ...]:
    """The turns with what the spans of tools tell of their calls, and the calls only these know."""
    if not tools:
        return turns
    made = [list(turn.calls) for turn in turns] or [[]]
    taken: set[tuple[int, int]] = set()
    unplaced = []
    for span in tools:
        place = _place_of(span, made, taken)
        if place is None:
            unplaced.append(span)
        else:
            taken.add(place)
            turn, number = place
            made[turn][number] = _from_span(made[turn][number], span)
    for span in unplaced:  # once it is known when the calls of the turns began
        told = _from_span(TracedCall(span.tool_name, {}), span)
        made[_turn_at(made, span.start_ns)].append(told)
    base = turns or (TracedTurn(""),)
    return tuple(
        replace(turn, calls=_in_time(calls)) for turn, calls in zip(base, made, strict=True)
    )


def _in_time(calls: list[TracedCall]) -> tuple[TracedCall, ...]:
    """Calls in the order in which they began, where all of them tell it."""
    if all(call.start_ns for call in calls):
        calls = sorted(calls, key=lambda call: call.start_ns)
    return tuple(calls)


def _turn_at(made: Sequence[Sequence[TracedCall]], start_ns: int) -> int:
    """The turn that a call belongs to which only a span tells of: the last that began before it."""
    latest = len(made) - 1
    for number in range(len(made) - 1, 0, -1):
        times = [call.start_ns for call in made[number] if call.start_ns]
        if times and start_ns:
            if start_ns >= min(times):
                return number
            latest = number - 1
    return latest


def _place_of(
    span: Span, made: Sequence[Sequence[TracedCall]], taken: set[tuple[int, int]]
) -> tuple[int, int] | None:
    name, id, told = span.tool_name, span.tool_call_id, _canonical(_tool_arguments(span))
    free = [
        ((turn, number), call)
        for turn, calls in enumerate(made)
        for number, call in enumerate(calls)
        if (turn, number) not in taken
    ]
    by_id = (place for place, call in free if id and call.id == id)
    alike = (
        place for place, call in free
        if call.name == name and (not id or not call.id) and _canonical(call.arguments) == told
    )  # fmt: skip
    named = (
        place for place, call in free
        if call.name == name and (not id or not call.id) and not span.tool_arguments
    )  # fmt: skip
    return next((place for found in (by_id, alike, named) for place in found), None)


def _from_span(call: TracedCall, span: Span) -> TracedCall:
    result, arguments = span.tool_result, _tool_arguments(span)
    if isinstance(result, dict) and set(result) <= {"content", "isError", "_meta"}:
        result = unpacked(content_text(result.get("content"))) or result  # of MCP
    messages = [each for each in read_chat(result) if each.results] if _may_be_chat(result) else []
    if messages:
        result = messages[0].results[0].value
    has_result = call.has_result or result is not None
    error = call.error
    if span.is_error:
        told = next((str(event.attributes.get("exception.message") or "")
                     for event in span.events if event.name == "exception"), "")  # fmt: skip
        error = told or span.message or (_text(result) if result is not None else "") or "error"
    return replace(
        call,
        arguments=call.arguments or arguments or {},
        id=call.id or span.tool_call_id,
        result=result if result is not None else call.result,
        has_result=has_result,
        error=error,
        start_ns=span.start_ns,
        duration_ms=span.duration_ms,
    )


def _tool_arguments(span: Span) -> JsonObject | str:
    """The arguments of a span's call, without what some frameworks put around them."""
    found = span.tool_arguments
    if isinstance(found, dict) and len(found) == 1:
        inner = unpacked(found.get("input", found.get("args", found.get("kwargs"))))
        return inner if isinstance(inner, dict) else found
    return found


def _may_be_chat(value: Json) -> bool:
    """Whether a result may be a message around one, as LangChain and Anthropic write them."""
    if isinstance(value, list):
        value = value[0] if len(value) == 1 else None
    return isinstance(value, dict) and bool(
        {"tool_call_id", "kwargs", "tool_use_id", "functionResponse"} & set(value)
    )


def _with_answer(
    turns: tuple[TracedTurn, ...], root: Span, agents: Sequence[Span], models: Sequence[Span]
) -> tuple[TracedTurn, ...]:
    if not turns or turns[-1].answer:
        return turns
    for span in (root, *agents, *reversed(models)):
        texts = [each.text for each in _outputs(span) if each.text and each.role == "assistant"]
        if texts:
            return (*turns[:-1], replace(turns[-1], answer=texts[-1]))
    plain = next((told for name in _OUTPUTS if (told := root.attributes.get(name))), None)
    held = unpacked(plain)
    if held in (None, "", {}, []):
        return turns
    return (*turns[:-1], replace(turns[-1], answer=_text(held)))


def _instructions(spans: Sequence[Span]) -> Iterator[str]:
    for span in spans:
        told = span.first("gen_ai.system_instructions", "system_instructions", "ai.prompt.system")
        text = content_text(unpacked(told))
        if text:
            yield text


def _definitions(spans: Sequence[Span]) -> dict[str, JsonObject]:
    """The tools that models were told of."""
    found: dict[str, JsonObject] = {}
    for span in spans:
        flat = flat_messages(span, ("llm.tools.", "gen_ai.tool.definitions.",
                                    "llm.request.functions."))  # fmt: skip
        told = [*flat, *(unpacked(span.attributes.get(name)) for name in _TOOLS)]
        asked = unpacked(span.attributes.get("gen_ai.input.messages"))
        if isinstance(asked, dict):  # a whole request
            told.append(asked.get("tools"))
        for value in told:
            for definition in tool_definitions(value):
                found.setdefault(definition["name"], definition)
    return found


def tool_definitions(value: Json) -> Iterator[JsonObject]:
    """The definitions of tools that a value holds, in any provider's form.

    Yields:
        `{name, description, inputSchema}`, the last two where they are told.
    """
    value = unpacked(value)
    if isinstance(value, dict):
        held = value.get("function")
        if isinstance(held, dict):
            yield from tool_definitions(held)
            return
        schema = next(
            (unpacked(value[key]) for key in ("inputSchema", "input_schema", "parameters",
             "parameters_json_schema", "parametersJsonSchema", "json_schema") if key in value),
            None,
        )  # fmt: skip
        if isinstance(value.get("name"), str) and value["name"]:
            told: JsonObject = {"name": value["name"][:_LONGEST_NAME]}
            if isinstance(value.get("description"), str):
                told["description"] = value["description"]
            if isinstance(schema, dict):
                inner = schema.get("jsonSchema")
                told["inputSchema"] = inner if isinstance(inner, dict) else schema
            yield told
            return
        for name in ("tools", "function_tools", "functionDeclarations", "function_declarations",
                     "tool", "tool.json_schema"):  # fmt: skip
            if name in value:
                yield from tool_definitions(value[name])
    elif isinstance(value, list):
        for each in value:
            yield from tool_definitions(each)


def scores_of(spans: Iterable[Span]) -> Iterator[TracedScore]:
    """What evaluations said, as the conventions for generative AI have it.

    Yields:
        Each in its order; one without a name too.
    """
    for span in spans:
        for event in span.events:
            if event.name == _EVALUATION:
                held = event.attributes
                name, label, reason = (
                    each if isinstance(each, str) else ""
                    for each in map(held.get, (_SCORE_NAME, _SCORE_LABEL, _SCORE_REASON))
                )
                yield TracedScore(name, finite(held.get(_SCORE_VALUE)), label, reason)


def _errors(root: Span, spans: Sequence[Span]) -> Iterator[str]:
    """What the trace ended with: its top failed, or its last call of a model.

    Yields:
        The reasons that are told, the top's first.
    """
    if root.is_error:
        yield root.message or _exception(root) or "error"
    models = [span for span in spans if span.kind == "model"]
    if models and models[-1].is_error:
        yield models[-1].message or _exception(models[-1]) or "the model failed"


def _exception(span: Span) -> str:
    told = (event.attributes for event in span.events if event.name == "exception")
    return next((str(each.get("exception.message") or each.get("exception.type") or "")
                 for each in told), "")  # fmt: skip


def _missing(trace: AgentTrace, spans: Sequence[Span], known: Mapping[str, Span]) -> Iterator[str]:
    """What could not be told, and which setting of its instrumentation would have kept it.

    Yields:
        A sentence each.
    """
    scopes = [span.scope for span in spans if span.kind != "other" and span.scope]
    setting = next(
        (told for scope in scopes for name, told in CONTENT_SETTINGS.items()
         if scope == name or scope.startswith((f"{name}.", f"{name}-"))),
        _USUAL_SETTING,
    )  # fmt: skip
    hint = f"; turn it on with {setting}"
    if not any(turn.user for turn in trace.turns):
        yield f"what the user said was not captured{hint}"
    if trace.turns and not trace.turns[-1].answer and not trace.error:
        yield f"what was answered was not captured{hint}"
    without = dict.fromkeys(
        call.name for call in trace.calls if not call.has_result and call.error is None
    )
    for name in without:
        yield f"what the tool {name} gave was not captured"
    bare = sum(each.answer is None for each in trace.requests)
    if bare:
        yield f"the answers of {bare} requests were not captured; {BODIES_SETTING} keeps them"
    lost = {span.parent for span in spans if span.parent and span.parent not in known}
    if len(lost) > 1:
        yield f"{len(lost)} spans have parents that are not in the trace"
    if len(trace.agents) > 1:
        several = ", ".join(trace.agents)
        yield f"several agents are in it ({several}): the turns are those of {trace.agents[0]}"
