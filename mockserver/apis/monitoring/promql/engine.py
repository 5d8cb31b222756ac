"""Evaluates a query at every step at once: operators between numbers and lines, aggregations."""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import fmod, fsum, inf, isnan, nan, sqrt

from mockserver.apis.monitoring.promql.functions import FUNCTIONS, quantile, variance
from mockserver.apis.monitoring.promql.nodes import (
    KIND_NAMES,
    Aggregation,
    Binary,
    Call,
    Matching,
    Negation,
    Node,
    Number,
    PromqlError,
    Range,
    Selector,
    Subquery,
    Text,
    execution,
    format_value,
)
from mockserver.apis.monitoring.promql.signatures import kind_of
from mockserver.apis.monitoring.promql.vectors import (
    NAME,
    Context,
    Labels,
    Line,
    Matrix,
    Sample,
    Scalar,
    Source,
    Track,
    Value,
    Vector,
    check_unique,
    labels_text,
    lines_with_samples,
    map_samples,
    only_labels,
    select_lines,
    select_windows,
    with_label,
    without_labels,
)

_Test = Callable[[float, float], bool]
_Operation = Callable[[float, float], Sample]


def _divide(one: float, other: float) -> float:
    if other:
        return one / other
    if isnan(one) or one == 0 or isnan(other):
        return nan
    return math.copysign(inf, one) * math.copysign(1.0, other)


def _remainder(one: float, other: float) -> float:
    try:
        return fmod(one, other)
    except ValueError:
        return nan


def _power(one: float, other: float) -> float:
    try:
        return math.pow(one, other)
    except OverflowError:
        return inf
    except ValueError:
        return inf if one == 0 else nan


_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "^": _power,
    "atan2": math.atan2,
}
_COMPARISONS: Mapping[str, _Test] = {
    "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _combine(node: Binary, left: Value, right: Value) -> Value:
    """What an operator makes of its two sides.

    Raises:
        PromqlError: Lines of one side have more than one counterpart where only one may be.
    """
    work = _sample_operation(node)
    match left, right:
        case Scalar(ones), Scalar(others):
            pairs = zip(ones, others, strict=True)
            return Scalar(
                [value for one, other in pairs if (value := work(one, other)) is not None]
            )
        case list(), Scalar(others):
            return _combine_with_numbers(node, left, others, work)
        case Scalar(ones), list():
            keep = node.operator in _COMPARISONS and not node.returns_bool
            swapped = _keep_right(node) if keep else lambda one, other: work(other, one)
            return _combine_with_numbers(node, right, ones, swapped)
        case list(), list():
            if node.operator in {"and", "or", "unless"}:
                return _SETS[node.operator](node.matching, left, right)
            return _combine_matched(node, left, right, work)
        case _:
            raise execution(f"operator {node.operator} cannot combine texts")


def _sample_operation(node: Binary) -> _Operation:
    test = _COMPARISONS.get(node.operator)
    if test is None:
        return _ARITHMETIC.get(node.operator, lambda one, _: one)
    if node.returns_bool:
        return lambda one, other: float(test(one, other))
    return lambda one, other: one if test(one, other) else None


def _keep_right(node: Binary) -> _Operation:
    """A comparison `number operator line`, which keeps the line's samples."""
    test = _COMPARISONS[node.operator]
    return lambda line, number: line if test(number, line) else None


def _drops_name(node: Binary) -> bool:
    return node.operator in _ARITHMETIC or node.returns_bool


def _combine_with_numbers(
    node: Binary, lines: Vector, numbers: list[float], work: _Operation
) -> Vector:
    dropped = (NAME,) if _drops_name(node) else ()
    return check_unique(
        Line(
            without_labels(line.labels, *dropped),
            [
                None if value is None else work(value, number)
                for value, number in zip(line.values, numbers, strict=True)
            ],
        )
        for line in lines
    )


def _signature(matching: Matching, labels: Labels) -> Labels:
    if matching.on:
        return only_labels(labels, matching.labels)
    return without_labels(labels, NAME, *matching.labels)


def _combine_matched(node: Binary, left: Vector, right: Vector, work: _Operation) -> Vector:
    """Lines combined with their counterparts; the side that may have several is walked over."""
    matching = node.matching
    swapped = matching.many == "right"
    many, one = (right, left) if swapped else (left, right)
    counterparts = _unique_by_signature(matching, one, "left" if swapped else "right")
    found: dict[Labels, list[tuple[Line, Line]]] = {}
    for line in many:
        other = counterparts.get(_signature(matching, line.labels))
        if other is not None:
            labels = _result_labels(node, line.labels, other.labels)
            found.setdefault(labels, []).append((line, other))
    results = []
    for labels, pairs in found.items():
        for line, other in pairs:
            left_line, right_line = (other, line) if swapped else (line, other)
            results.append(Line(labels, _combine_samples(left_line, right_line, work)))
    try:
        return check_unique(results)
    except ValueError as error:
        text = "multiple matches for labels: many-to-one matching must be explicit "
        raise execution(f"{text}(group_left/group_right)") from error


def _combine_samples(left: Line, right: Line, work: _Operation) -> list[Sample]:
    return [
        None if one is None or other is None else work(one, other)
        for one, other in zip(left.values, right.values, strict=True)
    ]


def _unique_by_signature(matching: Matching, lines: Vector, side: str) -> Mapping[Labels, Line]:
    found: dict[Labels, Line] = {}
    for line in lines:
        key = _signature(matching, line.labels)
        other = found.get(key)
        if other is None:
            found[key] = line
            continue
        if any(
            a is not None and b is not None for a, b in zip(line.values, other.values, strict=True)
        ):
            raise execution(
                f"found duplicate series for the match group {labels_text(key)} on the {side} "
                f"hand-side of the operation: [{labels_text(other.labels)}, "
                f"{labels_text(line.labels)}];many-to-many matching not allowed: matching labels "
                "must be unique on one side"
            )
        values = [b if a is None else a for a, b in zip(line.values, other.values, strict=True)]
        found[key] = Line(other.labels, values)
    return found


def _result_labels(node: Binary, labels: Labels, other: Labels) -> Labels:
    matching = node.matching
    if _drops_name(node):
        labels = without_labels(labels, NAME)
    if not matching.many:
        if matching.on:
            return only_labels(labels, matching.labels)
        return without_labels(labels, *matching.labels)
    values = dict(other)
    for name in matching.include:
        labels = with_label(labels, name, values.get(name, ""))
    return labels


def _present_steps(matching: Matching, lines: Iterable[Line]) -> dict[Labels, list[bool]]:
    """At which steps each signature has a sample."""
    found: dict[Labels, list[bool]] = {}
    for line in lines:
        key = _signature(matching, line.labels)
        here = [value is not None for value in line.values]
        before = found.get(key)
        found[key] = here if before is None else [a or b for a, b in zip(before, here, strict=True)]
    return found


def _keep_where(matching: Matching, lines: Vector, others: Vector, *, where: bool) -> Vector:
    there = _present_steps(matching, others)
    found = []
    for line in lines:
        steps = there.get(_signature(matching, line.labels)) or [False] * len(line.values)
        values = [
            value if there_is == where else None
            for value, there_is in zip(line.values, steps, strict=True)
        ]
        found.append(Line(line.labels, values))
    return found


def _or(matching: Matching, left: Vector, right: Vector) -> Vector:
    return check_unique([*left, *_keep_where(matching, right, left, where=False)])


_SETS: Mapping[str, Callable[[Matching, Vector, Vector], Vector]] = {
    "and": partial(_keep_where, where=True),
    "or": _or,
    "unless": partial(_keep_where, where=False),
}


_Groups = Mapping[Labels, Sequence[Line]]


def _aggregate(node: Aggregation, lines: Vector, parameter: Value) -> Vector:
    """What an aggregation makes of lines.

    Args:
        node: The aggregation.
        lines: The lines.
        parameter: Its parameter, evaluated; an empty text where it has none.
    """
    groups = _group_lines(node, lines)
    if isinstance(parameter, Scalar):
        if node.operator == "quantile":
            shares = parameter.values
            return _summarise_steps(groups, lambda step, values: quantile(shares[step], values))
        return _top_samples(groups, parameter, highest=node.operator == "topk")
    if node.operator == "count_values":
        return _count_values(groups, str(parameter))
    summarise = _SUMMARIES[node.operator]
    return _summarise_steps(groups, lambda _, values: summarise(values))


def _group_lines(node: Aggregation, lines: Vector) -> _Groups:
    groups: dict[Labels, list[Line]] = {}
    for line in lines:
        if node.without:
            key = without_labels(line.labels, NAME, *node.labels)
        else:
            key = only_labels(line.labels, node.labels)
        groups.setdefault(key, []).append(line)
    return groups


def _summarise_steps(groups: _Groups, summarise: Callable[[int, list[float]], float]) -> Vector:
    """A line for each group; what summarises its samples gets the number of the step, too."""
    found = []
    for labels, members in groups.items():
        values: list[Sample] = []
        for number, step in enumerate(zip(*(line.values for line in members), strict=True)):
            here = [value for value in step if value is not None]
            values.append(summarise(number, here) if here else None)
        found.append(Line(labels, values))
    return found


def _top_samples(groups: _Groups, counts: Scalar, *, highest: bool) -> Vector:
    """The lines of each group with all samples but the highest, or lowest, of each step removed."""
    found = []
    for members in groups.values():
        kept = [Line(line.labels, [None] * len(line.values)) for line in members]
        for step, count in enumerate(counts.values):
            here = [
                (_rank_key(value, highest=highest), place)
                for place, line in enumerate(members)
                if (value := line.values[step]) is not None
            ]
            here.sort()
            for _, place in here[: int(count) if count > 0 else 0]:
                kept[place].values[step] = members[place].values[step]
        found += kept
    return found


def _rank_key(value: float, *, highest: bool) -> tuple[bool, float]:
    # NaN comes last whichever way is asked for
    return (True, 0.0) if isnan(value) else (False, -value if highest else value)


def _count_values(groups: _Groups, label: str) -> Vector:
    found: dict[Labels, Line] = {}
    for labels, members in groups.items():
        for line in members:
            for step, value in enumerate(line.values):
                if value is None:
                    continue
                key = with_label(labels, label, format_value(value))
                counted = found.setdefault(key, Line(key, [None] * len(line.values)))
                counted.values[step] = (counted.values[step] or 0) + 1
    return list(found.values())


def _sum(values: list[float]) -> float:
    try:
        return fsum(values)
    except (OverflowError, ValueError):
        return sum(values)  # infinities of both signs, or more than a number holds


_SUMMARIES: Mapping[str, Callable[[list[float]], float]] = {
    "sum": _sum,
    "avg": lambda values: _sum(values) / len(values),
    "min": lambda values: min((each for each in values if not isnan(each)), default=nan),
    "max": lambda values: max((each for each in values if not isnan(each)), default=nan),
    "count": lambda values: float(len(values)),
    "group": lambda _: 1.0,
    "stddev": lambda values: sqrt(variance(values)),
    "stdvar": variance,
}


def context_of(source: Source, times: Sequence[int], *, shift: int = 0) -> Context:
    """What a query is evaluated over.

    Args:
        source: Where tracks come from.
        times: The steps, ascending, in the source's microseconds; at least one.
        shift: What is added to the source's times to give those of the caller.
    """
    return Context(source, times, times[0], times[-1], shift, _evaluate)


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


def _evaluate(node: Node, context: Context) -> Value:
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
            return _combine(node, context.value(node.left), context.value(node.right))
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
            return _aggregate(node, context.lines(node.inner), parameter)
        case Text(text):
            return text
        case Call():
            return FUNCTIONS[node.function](node, context)
        case _:
            raise execution("a range vector has no value of its own")
