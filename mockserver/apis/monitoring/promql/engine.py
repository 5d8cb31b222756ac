"""Evaluates a query at every step at once."""

from collections.abc import Sequence

from mockserver.apis.monitoring.promql.functions import FUNCTIONS
from mockserver.apis.monitoring.promql.nodes import (
    KIND_NAMES,
    Aggregation,
    Binary,
    Call,
    Negation,
    Node,
    Number,
    PromqlError,
    Range,
    Selector,
    Subquery,
    Text,
    execution,
)
from mockserver.apis.monitoring.promql.operators import aggregate, combine
from mockserver.apis.monitoring.promql.signatures import kind_of
from mockserver.apis.monitoring.promql.vectors import (
    Context,
    Line,
    Matrix,
    Scalar,
    Source,
    Track,
    Value,
    Vector,
    lines_with_samples,
    map_samples,
    select_lines,
    select_windows,
)


def context_of(source: Source, times: Sequence[int], *, shift: int = 0) -> Context:
    """What a query is evaluated over.

    Args:
        source: Where tracks come from.
        times: The steps, ascending, in the source's microseconds; at least one.
        shift: What is added to the source's times to give those of the caller.
    """
    return Context(source, times, times[0], times[-1], shift, evaluate)


def evaluate_range(node: Node, context: Context) -> Vector:
    """The lines of a range query, those without samples left out.

    Raises:
        PromqlError: The query gives neither numbers nor an instant vector, or cannot be carried
            out.
    """
    kind = kind_of(node)
    if kind not in {"scalar", "vector"}:
        text = f'invalid expression type "{KIND_NAMES[kind]}" for range query, must be Scalar or '
        raise PromqlError(text + "instant Vector")
    if kind == "scalar":
        return [Line((), list(context.numbers(node)))]
    return lines_with_samples(context.lines(node))


def evaluate_instant(node: Node, context: Context) -> Value | Matrix:
    """What a query gives at one moment: a number, a text, lines of one sample, or tracks.

    Raises:
        PromqlError: The query cannot be carried out.
    """
    if isinstance(node, Range | Subquery):
        looked_at = select_windows(node, context)
        tracks = [
            Track(track.labels, track.times[low:high], track.values[low:high])
            for track in looked_at.tracks
            for low, high in looked_at.edges(track)
            if high > low
        ]
        return Matrix(tracks)
    value = context.value(node)
    return lines_with_samples(value) if isinstance(value, list) else value


def evaluate(node: Node, context: Context) -> Value:
    """The value of an expression at every step.

    Raises:
        PromqlError: It cannot be carried out.
    """
    match node:
        case Number(number):
            return Scalar([number] * len(context.times))
        case Selector():
            return select_lines(node, context)
        case Negation(inner):
            return _negate(inner, context)
        case Binary():
            return combine(node, context.value(node.left), context.value(node.right))
        case _:
            return _evaluate_derived(node, context)


def _negate(inner: Node, context: Context) -> Value:
    if kind_of(inner) == "scalar":
        return Scalar([-each for each in context.numbers(inner)])
    return map_samples(context.lines(inner), lambda sample: -sample)


def _evaluate_derived(node: Node, context: Context) -> Value:
    match node:
        case Aggregation():
            parameter = context.value(node.parameter) if node.parameter else ""
            return aggregate(node, context.lines(node.inner), parameter)
        case Text(text):
            return text
        case Call():
            return FUNCTIONS[node.function](node, context)
        case _:
            raise execution("a range vector has no value of its own")
