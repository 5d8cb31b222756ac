"""What the spans of a trial say: the tool calls that ran, and the calls of models.

A call that two instrumentations trace, one inside the other, counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from harness.trials.records import ModelCall, Price, Reply, ToolCall, Trace, Usage
from mockserver.model import SpanReport
from mockserver.traces import Span, distinct_spans

_NANOSECONDS_OF_MS = 1_000_000


PRICES: Mapping[str, Price] = {
    "claude-haiku-4*": Price(1, 5),
    "claude-opus-4-5*": Price(5, 25),
    "claude-opus-4*": Price(15, 75),
    "claude-sonnet-4*": Price(3, 15),
    "claude-3-5-haiku*": Price(0.8, 4),
    "claude-3-*-sonnet*": Price(3, 15),
    "gemini-2.5-flash-lite*": Price(0.1, 0.4),
    "gemini-2.5-flash*": Price(0.3, 2.5),
    "gemini-2.5-pro*": Price(1.25, 10),
    "gemini-2.0-flash*": Price(0.1, 0.4),
    "gpt-4.1-mini*": Price(0.4, 1.6),
    "gpt-4.1-nano*": Price(0.1, 0.4),
    "gpt-4.1*": Price(2, 8),
    "gpt-4o-mini*": Price(0.15, 0.6),
    "gpt-4o*": Price(2.5, 10),
    "gpt-5-mini*": Price(0.25, 2),
    "gpt-5-nano*": Price(0.05, 0.4),
    "gpt-5*": Price(1.25, 10),
    "o3*": Price(2, 8),
    "o4-mini*": Price(1.1, 4.4),
}
"""List prices by patterns of models, without discounts; the first that fits counts."""


def price_of(model: str, prices: Mapping[str, Price] = PRICES) -> Price | None:
    """The price of a model; None where it is not known.

    Args:
        model: Its name, with or without its provider before it.
        prices: Patterns of names to prices, in the order in which they are tried.

    >>> price_of("openai/gpt-4o-mini-2024-07-18").output
    0.6
    """
    name = model.lower()
    names = (name, name.rpartition("/")[2], name.rpartition("anthropic.")[2])
    return next(
        (price for glob, price in prices.items() if any(fnmatchcase(each, glob) for each in names)),
        None,
    )


@dataclass(frozen=True, slots=True)
class TurnStart:
    """When a turn began: its number, and milliseconds since 1970."""

    turn: int
    at_ms: float


def turn_starts(began_ms: float, replies: Sequence[Reply]) -> list[TurnStart]:
    """When each turn began.

    Args:
        began_ms: When the first one did, milliseconds since 1970.
        replies: The answers, with how long each took.
    """
    found, at = [TurnStart(1, began_ms)], began_ms
    for reply in replies:
        at += reply.duration_ms
        found.append(TurnStart(reply.turn + 1, at))
    return found[: max(1, len(replies))]


def read_trace(
    report: SpanReport,
    turns: Sequence[TurnStart],
    prices: Mapping[str, Price] = PRICES,
) -> Trace:
    """What the spans of a session say.

    Args:
        report: The spans, as the server reports them.
        turns: When each turn began, in order.
        prices: Prices of models.
    """
    spans = [Span.from_json(each) for each in report.spans]
    rounds: dict[int, list[int]] = {}
    model_calls, tool_calls = [], []
    for span in distinct_spans(spans, "model"):
        turn = _turn_of(span, turns)
        rounds.setdefault(turn, []).append(span.start_ns)
        at_ms = span.start_ns / _NANOSECONDS_OF_MS - turns[0].at_ms
        model_calls.append(model_call_of(span, prices, turn=turn, at_ms=max(0.0, at_ms)))
    for span in distinct_spans(spans, "tool"):
        turn = _turn_of(span, turns)
        before = sum(start <= span.start_ns for start in rounds.get(turn, ()))
        tool_calls.append(tool_call_of(span, turn=turn, step=max(0, before - 1)))
    return Trace(
        tool_calls=tuple(tool_calls),
        model_calls=tuple(model_calls),
        received=report.received,
        rejected=report.rejected,
    )


def tool_call_of(span: Span, *, turn: int = 1, step: int = 0) -> ToolCall:
    """The tool call that a span tells of; `unknown` where neither error nor result stands there."""
    result = span.tool_result
    status = "error" if span.is_error else "unknown" if result is None else "ok"
    return ToolCall(
        name=span.tool_name,
        args=span.tool_arguments,
        id=span.tool_call_id,
        turn=turn,
        step=step,
        status=status,
        result=result,
        witness="spans",
    )


def model_call_of(
    span: Span, prices: Mapping[str, Price] = PRICES, *, turn: int = 1, at_ms: float = 0
) -> ModelCall:
    """The call of a model that a span tells of."""
    return ModelCall(
        model=span.model,
        provider=span.provider,
        turn=turn,
        at_ms=at_ms,
        duration_ms=span.duration_ms,
        status="error" if span.is_error else "ok",
        input_tokens=span.input_tokens,
        output_tokens=span.output_tokens,
        cost_usd=_cost(span, prices),
        requested=tuple(
            ToolCall(name=each.name, args=each.arguments, id=each.id, turn=turn, witness="model")
            for each in span.requested_calls()
        ),
        text="\n".join(span.answers()),
    )


def _cost(span: Span, prices: Mapping[str, Price]) -> float | None:
    if span.cost_usd is not None:
        return span.cost_usd
    price = price_of(span.model, prices)
    if price is None or span.input_tokens is None or span.output_tokens is None:
        return None
    return price.cost_usd(span.input_tokens, span.output_tokens)


def _turn_of(span: Span, turns: Sequence[TurnStart]) -> int:
    """The turn in which a span began; the first one for what began before it."""
    at = span.start_ns / _NANOSECONDS_OF_MS
    return next((each.turn for each in reversed(turns) if each.at_ms <= at), turns[0].turn)


def with_usage(reply: Reply, trace: Trace) -> Reply:
    """A reply with the tokens, cost and rounds that spans tell, where it says nothing of them."""
    calls = [each for each in trace.model_calls if each.turn == reply.turn]
    if not calls:
        return reply
    told: dict[str, object] = {}
    if reply.rounds is None:
        told["rounds"] = len(calls)
    if reply.usage == Usage():
        told["usage"] = Usage(
            input_tokens=_sum([each.input_tokens for each in calls]),
            output_tokens=_sum([each.output_tokens for each in calls]),
            cost_usd=_sum([each.cost_usd for each in calls]),
        )
    return reply.model_copy(update=told) if told else reply


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum, where every call tells its share."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
