"""The functions of the language: of ranges, samples, labels and histograms.

A span of time is open at its start and closed at its end.
"""

import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from math import floor, fsum, inf, isnan, nan, pi, sqrt
from statistics import median
from typing import Any

import re2

from mockserver.apis.monitoring.promql.nodes import (
    SECOND,
    Call,
    Node,
    PromqlError,
    Range,
    Selector,
    execution,
)
from mockserver.apis.monitoring.promql.signatures import kind_of
from mockserver.apis.monitoring.promql.vectors import (
    LOOKBACK,
    NAME,
    Context,
    Labels,
    Line,
    Sample,
    Scalar,
    Span,
    Track,
    Value,
    Vector,
    check_unique,
    lines_with_samples,
    map_samples,
    sample_places,
    select_windows,
    step_moments,
    with_label,
    without_labels,
)

RangeFunction = Callable[..., float | None]
"""Of a track: places of the first sample and after the last one, the span, and a number."""


def _without_resets(track: Track) -> Sequence[float]:
    """A counter's values as if it had never been reset."""
    found: list[float] | None = track.memo.get("counted")
    if found is None:
        found, lost, last = [], 0.0, 0.0
        for value in track.values:
            if value < last:
                lost += last
            last = value
            found.append(value + lost)
        track.memo["counted"] = found
    return found


def _lengthen_span(track: Track, low: int, high: int, span: Span) -> tuple[int, Span]:
    """The first place and the span, with the sample before it where there is only one."""
    times = track.times
    if high - low != 1 or low == 0 or times[low - 1] <= span[0] - LOOKBACK:
        return low, span
    return low - 1, (times[low - 1], times[low])


def _increase(track: Track, low: int, high: int, span: Span, *, counter: bool) -> float | None:
    """What a track gained in a span, extrapolated to its edges."""
    asked = span
    low, span = _lengthen_span(track, low, high, span)
    if high - low < 2:
        return None
    values = _without_resets(track) if counter else track.values
    gained = values[high - 1] - values[low]
    first, last = track.times[low], track.times[high - 1]
    sampled = last - first
    if span is not asked:
        return gained * (asked[1] - asked[0]) / sampled
    before, after = float(first - span[0]), float(span[1] - last)
    average = sampled / (high - low - 1)
    if before >= average * 1.1:
        before = average / 2
    if counter and gained > 0 and track.values[low] >= 0:
        before = min(before, sampled * track.values[low] / gained)
    if after >= average * 1.1:
        after = average / 2
    return gained * (sampled + before + after) / sampled


def rate(track: Track, low: int, high: int, span: Span) -> float | None:
    """What a counter gained for each second."""
    gained = _increase(track, low, high, span, counter=True)
    return None if gained is None else gained * SECOND / (span[1] - span[0])


def irate(track: Track, low: int, high: int, span: Span) -> float | None:
    """The rate between the last two samples of a counter."""
    low, _ = _lengthen_span(track, low, high, span)
    if high - low < 2:
        return None
    counted, times = _without_resets(track), track.times
    return (counted[high - 1] - counted[high - 2]) * SECOND / (times[high - 1] - times[high - 2])


def idelta(track: Track, low: int, high: int, span: Span) -> float | None:
    """The difference of the last two samples."""
    low, _ = _lengthen_span(track, low, high, span)
    return None if high - low < 2 else track.values[high - 1] - track.values[high - 2]


def deriv(track: Track, low: int, high: int, span: Span) -> float | None:
    """The slope of a line through the samples, for each second."""
    line = _regression(track, low, high, span[1])
    return None if line is None else line[0]


def predict_linear(track: Track, low: int, high: int, span: Span, ahead: float) -> float | None:
    """The value that the line through the samples has some seconds after the span."""
    line = _regression(track, low, high, span[1])
    return None if line is None else line[1] + line[0] * ahead


def _regression(track: Track, low: int, high: int, zero: int) -> tuple[float, float] | None:
    """Slope for each second, and the value at a moment, of the line of least squares."""
    if high - low < 2:
        return None
    xs = [(each - zero) / SECOND for each in track.times[low:high]]
    ys = track.values[low:high]
    count = len(xs)
    mean_x, mean_y = fsum(xs) / count, fsum(ys) / count
    spread = fsum((x - mean_x) ** 2 for x in xs)
    slope = fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
    return slope, mean_y - slope * mean_x


def changes(values: Sequence[float]) -> float:
    """How often the value changed."""
    return float(sum(one != other for one, other in pairwise(values)))


def resets(values: Sequence[float]) -> float:
    """How often the value fell."""
    return float(sum(other < one for one, other in pairwise(values)))


def variance(values: Sequence[float]) -> float:
    """The population variance."""
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / len(values)


def quantile(share: float, values: Sequence[float]) -> float:
    """A quantile, interpolated between neighbours.

    >>> quantile(0.5, [1, 2, 3, 4])
    2.5
    """
    if not values or isnan(share):
        return nan
    if not 0 <= share <= 1:
        return float("-inf") if share < 0 else float("inf")
    ordered = sorted(values)
    rank = share * (len(ordered) - 1)
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (rank - low))


def _over_values(summarise: Callable[[Sequence[float]], float]) -> RangeFunction:
    return lambda track, low, high, *_: (
        float(summarise(track.values[low:high])) if high > low else None
    )


def _median_deviation(values: Sequence[float]) -> float:
    middle = median(values)
    return median(abs(value - middle) for value in values)


RANGE_FUNCTIONS: Mapping[str, RangeFunction] = {
    "rate": rate,
    "irate": irate,
    "increase": partial(_increase, counter=True),
    "delta": partial(_increase, counter=False),
    "idelta": idelta,
    "deriv": deriv,
    "predict_linear": predict_linear,
    "quantile_over_time": lambda track, low, high, _, share: (
        quantile(share, track.values[low:high]) if high > low else None
    ),
    "changes": _over_values(changes),
    "resets": _over_values(resets),
    "avg_over_time": _over_values(lambda values: fsum(values) / len(values)),
    "min_over_time": _over_values(min),
    "max_over_time": _over_values(max),
    "sum_over_time": _over_values(fsum),
    "count_over_time": _over_values(len),
    "last_over_time": _over_values(lambda values: values[-1]),
    "stddev_over_time": _over_values(lambda values: sqrt(variance(values))),
    "stdvar_over_time": _over_values(variance),
    "mad_over_time": _over_values(_median_deviation),
    "present_over_time": _over_values(lambda _: 1.0),
    "absent_over_time": _over_values(lambda _: 1.0),
}
KEEP_NAME = frozenset({"last_over_time"})


_LABEL = re.compile(r"[A-Za-z_]\w*$")
_REFERENCE = re.compile(r"\$(?:(\d+)|\{(\d+)\}|(\w+)|\{(\w+)\}|(\$))")


def label_replace(lines: Iterable[Line], names: Sequence[str]) -> Vector:
    """Set a label to what an expression finds in another.

    Args:
        lines: The lines.
        names: The label to set, the replacement with `$1`, the label to look at, the expression.

    Raises:
        PromqlError: A name or the expression is none.
    """
    target, replacement, source, expression = names
    _check_label(target, "label_replace()")
    try:
        pattern = re2.compile(f"^(?s:{expression})$")
    except re2.error as error:
        text = f"invalid regular expression in label_replace(): {expression}"
        raise PromqlError(text) from error
    found = []
    for line in lines:
        match = pattern.search(dict(line.labels).get(source, ""))
        labels = line.labels
        if match is not None:
            labels = with_label(labels, target, _expand_template(replacement, match))
        found.append(Line(labels, line.values))
    return check_unique(found)


def label_join(lines: Iterable[Line], names: Sequence[str]) -> Vector:
    """Set a label to the values of others, joined.

    Args:
        lines: The lines.
        names: The label to set, the separator, the labels to join.

    Raises:
        PromqlError: A name is none.
    """
    target, separator, *sources = names
    _check_label(target, "label_join()")
    found = []
    for line in lines:
        values = dict(line.labels)
        joined = separator.join(values.get(source, "") for source in sources)
        found.append(Line(with_label(line.labels, target, joined), line.values))
    return check_unique(found)


def _check_label(label: str, where: str) -> None:
    if not _LABEL.match(label):
        raise execution(f'invalid destination label name in {where}: "{label}"')


def _expand_template(template: str, match: Any) -> str:
    def value(reference: re.Match[str]) -> str:
        if reference[5]:
            return "$"
        key = reference[1] or reference[2]
        try:
            return str(match.group(int(key) if key else reference[3] or reference[4]) or "")
        except (IndexError, KeyError):
            return ""

    return _REFERENCE.sub(value, template)


def _nan_where_undefined(
    function: Callable[[float], float], at_zero: float = nan
) -> Callable[[float], float]:
    """A function that answers NaN where it is not defined."""

    def answer(value: float) -> float:
        try:
            return float(function(value))
        except ValueError:
            return at_zero if value == 0 else nan
        except OverflowError:
            return inf if value > 0 or function is not math.sinh else -inf

    return answer


def _finite_rounding(function: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding that leaves infinities and NaN as they are."""
    return lambda value: float(function(value)) if math.isfinite(value) else value


def _sign(value: float) -> float:
    return value if isnan(value) or value == 0 else math.copysign(1.0, value)


def clamp(value: float, low: float, high: float) -> float:
    """A value within bounds; NaN stays, and so it is with a bound that is NaN."""
    if isnan(value) or isnan(low) or isnan(high):
        return nan
    return max(low, min(high, value))


def _calendar_number(read: Callable[[datetime], int]) -> Callable[[float], float]:
    def answer(value: float) -> float:
        try:
            return float(read(datetime.fromtimestamp(value, UTC)))
        except (ValueError, OverflowError, OSError):
            return nan

    return answer


CALENDAR: Mapping[str, Callable[[float], float]] = {
    "minute": _calendar_number(lambda moment: moment.minute),
    "hour": _calendar_number(lambda moment: moment.hour),
    "day_of_week": _calendar_number(lambda moment: moment.isoweekday() % 7),
    "day_of_month": _calendar_number(lambda moment: moment.day),
    "day_of_year": _calendar_number(lambda moment: moment.timetuple().tm_yday),
    "days_in_month": _calendar_number(lambda moment: monthrange(moment.year, moment.month)[1]),
    "month": _calendar_number(lambda moment: moment.month),
    "year": _calendar_number(lambda moment: moment.year),
}


Function = Callable[[Call, Context], Value]


def _evaluate_range_function(node: Call, context: Context) -> Value:
    """A function of a range vector, with a number beside it where it takes one."""
    *before, last = node.arguments
    ranged, number = (last, before) if kind_of(last) == "matrix" else (before[0], [last])
    extra = context.numbers(number[0]) if number else None
    looked_at = select_windows(ranged, context)
    lines = []
    for track in looked_at.tracks:
        values: list[Sample] = []
        edges = looked_at.edges(track)
        context.budget.spend(sum(high - low for low, high in edges))
        for step, (span, (low, high)) in enumerate(zip(looked_at.spans, edges, strict=True)):
            given = (extra[step],) if extra else ()
            values.append(RANGE_FUNCTIONS[node.function](track, low, high, span, *given))
        dropped = () if node.function in KEEP_NAME else (NAME,)
        lines.append(Line(without_labels(track.labels, *dropped), values))
    if node.function == "absent_over_time":
        return _absent_line(ranged, lines, context)
    return check_unique(lines_with_samples(lines))


def _sample_function(change: Callable[..., float]) -> Function:
    """A function of a sample and of the numbers that follow it."""

    def answer(node: Call, context: Context) -> Value:
        lines = context.lines(node.arguments[0])
        numbers = [context.numbers(each) for each in node.arguments[1:]]
        found = []
        for line in lines:
            steps = zip(line.values, *numbers, strict=True)
            values = [None if each[0] is None else change(*each) for each in steps]
            found.append(Line(without_labels(line.labels, NAME), values))
        return check_unique(found)

    return answer


def _evaluate_calendar(node: Call, context: Context) -> Value:
    if node.arguments:
        return map_samples(context.lines(node.arguments[0]), CALENDAR[node.function])
    values: list[Sample] = [CALENDAR[node.function](each) for each in context.now()]
    return [Line((), values)]


def _evaluate_timestamp(node: Call, context: Context) -> Value:
    inner = node.arguments[0]
    if not isinstance(inner, Selector):
        steps = context.now()
        return [
            Line(
                without_labels(line.labels, NAME),
                [None if each is None else at for each, at in zip(line.values, steps, strict=True)],
            )
            for line in context.lines(inner)
        ]
    looked_at = step_moments(inner.shift, context)
    lines = []
    for track in context.source.select(inner.matchers):
        values: list[Sample] = [
            None if place is None else (track.times[place] + context.shift) / SECOND
            for place in sample_places(track, looked_at)
        ]
        lines.append(Line(without_labels(track.labels, NAME), values))
    return check_unique(lines_with_samples(lines))


def _sort_lines(node: Call, context: Context) -> Value:
    """Lines by their last sample; it matters in instant queries, where there is one."""
    lines, backwards = context.lines(node.arguments[0]), node.function == "sort_desc"
    return sorted(lines, key=lambda line: line.values[-1] or 0.0, reverse=backwards)


def _label_function(change: Callable[[Vector, Sequence[str]], Vector]) -> Function:
    def answer(node: Call, context: Context) -> Value:
        names = [str(context.value(each)) for each in node.arguments[1:]]
        return change(context.lines(node.arguments[0]), names)

    return answer


_ANGLES = "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
MATHS: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "ceil": _finite_rounding(math.ceil),
    "floor": _finite_rounding(math.floor),
    "sgn": _sign,
    "sqrt": _nan_where_undefined(math.sqrt),
    "exp": _nan_where_undefined(math.exp),
    "ln": _nan_where_undefined(math.log, -inf),
    "log2": _nan_where_undefined(math.log2, -inf),
    "log10": _nan_where_undefined(math.log10, -inf),
    "deg": math.degrees,
    "rad": math.radians,
    **{name: _nan_where_undefined(getattr(math, name)) for name in _ANGLES.split()},
}


FUNCTIONS: Mapping[str, Function] = {
    **dict.fromkeys(RANGE_FUNCTIONS, _evaluate_range_function),
    **{name: _sample_function(change) for name, change in MATHS.items()},
    **dict.fromkeys(CALENDAR, _evaluate_calendar),
    "absent": lambda node, context: _absent_line(
        node.arguments[0], context.lines(node.arguments[0]), context
    ),
    "clamp": _sample_function(clamp),
    "clamp_min": _sample_function(lambda value, low: clamp(value, low, float("inf"))),
    "clamp_max": _sample_function(lambda value, high: clamp(value, float("-inf"), high)),
    "round": _sample_function(lambda value, to=1.0: round_to(value, to)),
    "label_replace": _label_function(label_replace),
    "label_join": _label_function(label_join),
    "histogram_quantile": lambda node, context: histogram_quantiles(
        context.numbers(node.arguments[0]), context.lines(node.arguments[1])
    ),
    "scalar": lambda node, context: _to_scalar(context.lines(node.arguments[0]), context),
    "vector": lambda node, context: [Line((), list(context.numbers(node.arguments[0])))],
    "sort": _sort_lines,
    "sort_desc": _sort_lines,
    "time": lambda _, context: Scalar(context.now()),
    "pi": lambda _, context: Scalar([pi] * len(context.times)),
    "timestamp": _evaluate_timestamp,
}
"""Function to what it gives; every one of the signatures is here."""


def round_to(value: float, to: float) -> float:
    """The nearest multiple; halves go up.

    >>> round_to(2.5, 1.0), round_to(13, 5)
    (3.0, 15.0)
    """
    if not math.isfinite(value) or to == 0:
        return value if to else nan
    inverse = 1 / to
    return floor(value * inverse + 0.5) / inverse


BOUND = "le"
Buckets = Sequence[tuple[float, float]]
"""Upper bounds, ascending, with the count of everything up to them."""


def histogram_quantiles(shares: Sequence[float], lines: Iterable[Line]) -> Vector:
    """The quantile of each histogram at every step; lines without a bound are dropped."""
    groups: dict[Labels, list[tuple[float, Line]]] = {}
    for line in lines:
        bound = _parse_bound(dict(line.labels).get(BOUND, ""))
        if bound is not None:
            groups.setdefault(without_labels(line.labels, NAME, BOUND), []).append((bound, line))
    return [
        Line(labels, _quantiles(shares, sorted(members, key=lambda each: each[0])))
        for labels, members in groups.items()
    ]


def _parse_bound(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _quantiles(shares: Sequence[float], members: Sequence[tuple[float, Line]]) -> list[Sample]:
    found: list[Sample] = []
    for step, share in enumerate(shares):
        counts = [(bound, line.values[step]) for bound, line in members]
        buckets = [(bound, count) for bound, count in counts if count is not None]
        found.append(bucket_quantile(share, buckets) if buckets else None)
    return found


def bucket_quantile(share: float, buckets: Buckets) -> float:
    """A quantile of one histogram, interpolated within its bucket.

    NaN without samples or without the bucket of everything; the highest finite bound when the
    quantile is above it.

    >>> bucket_quantile(0.5, [(1.0, 5.0), (2.0, 10.0), (inf, 10.0)])
    1.0
    """
    buckets = _rising_counts(buckets)
    total = buckets[-1][1]
    if isnan(share) or buckets[-1][0] != inf or len(buckets) < 2 or not total > 0:
        return nan
    if not 0 <= share <= 1:
        return -inf if share < 0 else inf
    rank = share * total
    at = next(place for place, (_, count) in enumerate(buckets) if count >= rank)
    upper, count = buckets[at]
    if upper == inf:
        return buckets[at - 1][0]
    if at == 0 and upper <= 0:
        return upper
    lower, below = buckets[at - 1] if at else (0.0, 0.0)
    held = count - below
    return lower + (upper - lower) * ((rank - below) / held if held else 1.0)


def _rising_counts(buckets: Buckets) -> list[tuple[float, float]]:
    """Buckets whose counts never fall; equal bounds are added up."""
    found: list[tuple[float, float]] = []
    for bound, count in buckets:
        if found and found[-1][0] == bound:
            found[-1] = (bound, found[-1][1] + count)
        else:
            found.append((bound, count))
    highest = 0.0
    for place, (bound, count) in enumerate(found):
        highest = max(highest, count)
        found[place] = (bound, highest)
    return found


def _absent_line(node: Node, lines: Vector, context: Context) -> Vector:
    """One line where no line has a sample, with the labels that the selector fixes."""
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


def _to_scalar(lines: Vector, context: Context) -> Scalar:
    found = []
    for step in range(len(context.times)):
        here = [value for line in lines if (value := line.values[step]) is not None]
        found.append(here[0] if len(here) == 1 else nan)
    return Scalar(found)
