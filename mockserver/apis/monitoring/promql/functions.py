"""The functions of the language: what each makes of its arguments."""

from collections.abc import Callable, Mapping, Sequence
from math import nan, pi

from mockserver.apis.monitoring.promql.context import Context
from mockserver.apis.monitoring.promql.formats import SECOND
from mockserver.apis.monitoring.promql.histograms import histogram_quantiles
from mockserver.apis.monitoring.promql.labelling import label_join, label_replace
from mockserver.apis.monitoring.promql.maths import CALENDAR, MATHS, clamped, rounded
from mockserver.apis.monitoring.promql.nodes import (
    Call,
    Node,
    Range,
    Selector,
)
from mockserver.apis.monitoring.promql.ranges import (
    KEEP_NAME,
    RANGE_FUNCTIONS,
    Span,
    predict_linear,
    quantile,
)
from mockserver.apis.monitoring.promql.signatures import kind_of
from mockserver.apis.monitoring.promql.tracks import NAME, Labels, Track, without
from mockserver.apis.monitoring.promql.vectors import (
    Line,
    Sample,
    Scalar,
    Value,
    Vector,
    mapped,
    present,
    unique,
)
from mockserver.apis.monitoring.promql.windows import moments, places, windows

Function = Callable[[Call, Context], Value]


def _over_range(node: Call, context: Context) -> Value:
    """A function of a range vector, with a number beside it where it takes one."""
    *before, last = node.arguments
    ranged, number = (last, before) if kind_of(last) == "matrix" else (before[0], [last])
    extra = context.numbers(number[0]) if number else None
    looked_at = windows(ranged, context)
    lines = []
    for track in looked_at.tracks:
        values: list[Sample] = []
        edges = looked_at.edges(track)
        context.budget.spend(sum(high - low for low, high in edges))
        for step, (span, (low, high)) in enumerate(zip(looked_at.spans, edges, strict=True)):
            given = extra[step] if extra else 0.0
            values.append(_ranged(node.function, track, (low, high), span, given))
        dropped = () if node.function in KEEP_NAME else (NAME,)
        lines.append(Line(without(track.labels, *dropped), values))
    if node.function == "absent_over_time":
        return _absent(ranged, lines, context)
    return unique(present(lines))


def _ranged(
    function: str, track: Track, edges: tuple[int, int], span: Span, given: float
) -> Sample:
    low, high = edges
    if function == "quantile_over_time":
        return quantile(given, track.values[low:high]) if high > low else None
    if function == "predict_linear":
        return predict_linear(track, low, high, span, given)
    return RANGE_FUNCTIONS[function](track, low, high, span)


def _absent(node: Node, lines: Vector, context: Context) -> Vector:
    """One line where no line has a sample; with the labels that the selector says for sure."""
    steps = [
        None if any(line.values[step] is not None for line in lines) else 1.0
        for step in range(len(context.times))
    ]
    return [Line(_sure_labels(node), list(steps))]


def _sure_labels(node: Node) -> Labels:
    selector = node.selector if isinstance(node, Range) else node
    if not isinstance(selector, Selector):
        return ()
    matchers = [each for each in selector.matchers if each.label != NAME]
    names = [each.label for each in matchers]
    return tuple(
        sorted(
            (each.label, each.value)
            for each in matchers
            if each.operator == "=" and names.count(each.label) == 1 and each.value
        )
    )


def _of_lines(change: Callable[[Vector, Context, Call], Vector]) -> Function:
    return lambda node, context: change(context.lines(node.arguments[0]), context, node)


def _stepwise(change: Callable[..., float]) -> Function:
    """A function of a sample and of the numbers that follow it."""

    def answer(node: Call, context: Context) -> Value:
        lines = context.lines(node.arguments[0])
        numbers = [context.numbers(each) for each in node.arguments[1:]]
        found = []
        for line in lines:
            steps = zip(line.values, *numbers, strict=True)
            values = [None if each[0] is None else change(*each) for each in steps]
            found.append(Line(without(line.labels, NAME), values))
        return unique(found)

    return answer


def _calendar(node: Call, context: Context) -> Value:
    if node.arguments:
        return mapped(context.lines(node.arguments[0]), CALENDAR[node.function])
    values: list[Sample] = [CALENDAR[node.function](each) for each in context.now()]
    return [Line((), values)]


def _timestamp(node: Call, context: Context) -> Value:
    inner = node.arguments[0]
    if not isinstance(inner, Selector):
        steps = context.now()
        return [
            Line(
                without(line.labels, NAME),
                [None if each is None else at for each, at in zip(line.values, steps, strict=True)],
            )
            for line in context.lines(inner)
        ]
    looked_at = moments(inner.shift, context)
    lines = []
    for track in context.source.select(inner.matchers):
        values: list[Sample] = [
            None if place is None else (track.times[place] + context.shift) / SECOND
            for place in places(track, looked_at)
        ]
        lines.append(Line(without(track.labels, NAME), values))
    return unique(present(lines))


def _scalar(lines: Vector, context: Context, _: Call) -> Scalar:
    found = []
    for step in range(len(context.times)):
        here = [value for line in lines if (value := line.values[step]) is not None]
        found.append(here[0] if len(here) == 1 else nan)
    return Scalar(found)


def _sorted(lines: Vector, _context: Context, node: Call) -> Vector:
    """Lines by their last sample; it matters in instant queries, where there is one."""
    backwards = node.function == "sort_desc"
    return sorted(lines, key=lambda line: line.values[-1] or 0.0, reverse=backwards)


def _labels_changed(change: Callable[[Vector, Sequence[str]], Vector]) -> Function:
    def answer(node: Call, context: Context) -> Value:
        names = [str(context.value(each)) for each in node.arguments[1:]]
        return change(context.lines(node.arguments[0]), names)

    return answer


def _histogram(node: Call, context: Context) -> Value:
    shares = context.numbers(node.arguments[0])
    return histogram_quantiles(shares, context.lines(node.arguments[1]))


def _vector(node: Call, context: Context) -> Value:
    return [Line((), list(context.numbers(node.arguments[0])))]


FUNCTIONS: Mapping[str, Function] = {
    **dict.fromkeys((*RANGE_FUNCTIONS, "quantile_over_time", "predict_linear"), _over_range),
    **{
        name: _of_lines(lambda lines, _context, node: mapped(lines, MATHS[node.function]))
        for name in MATHS
    },
    **dict.fromkeys(CALENDAR, _calendar),
    "absent": lambda node, context: _absent(
        node.arguments[0], context.lines(node.arguments[0]), context
    ),
    "clamp": _stepwise(clamped),
    "clamp_min": _stepwise(lambda value, low: clamped(value, low, float("inf"))),
    "clamp_max": _stepwise(lambda value, high: clamped(value, float("-inf"), high)),
    "round": _stepwise(lambda value, to=1.0: rounded(value, to)),
    "label_replace": _labels_changed(label_replace),
    "label_join": _labels_changed(label_join),
    "histogram_quantile": _histogram,
    "scalar": lambda node, context: _scalar(context.lines(node.arguments[0]), context, node),
    "vector": _vector,
    "sort": _of_lines(_sorted),
    "sort_desc": _of_lines(_sorted),
    "time": lambda _, context: Scalar(context.now()),
    "pi": lambda _, context: Scalar([pi] * len(context.times)),
    "timestamp": _timestamp,
}
"""Function to what it gives; every one of the signatures is here."""
