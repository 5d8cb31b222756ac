"""Aggregations: one line for each group of lines, or the first few of each group."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, isnan, nan, sqrt

from mockserver.apis.monitoring.promql.formats import format_value
from mockserver.apis.monitoring.promql.nodes import Aggregation
from mockserver.apis.monitoring.promql.ranges import quantile, variance
from mockserver.apis.monitoring.promql.tracks import NAME, Labels, only, with_label, without
from mockserver.apis.monitoring.promql.vectors import Line, Sample, Scalar, Value, Vector

_Groups = Mapping[Labels, Sequence[Line]]


def aggregate(node: Aggregation, lines: Vector, parameter: Value) -> Vector:
    """What an aggregation makes of lines.

    Args:
        node: The aggregation.
        lines: The lines.
        parameter: Its parameter, evaluated; an empty text where it has none.
    """
    groups = _grouped(node, lines)
    if isinstance(parameter, Scalar):
        if node.operator == "quantile":
            return _quantiles(groups, parameter)
        return _ranked(groups, parameter, highest=node.operator == "topk")
    if node.operator == "count_values":
        return _counted_values(groups, str(parameter))
    summarise = _SUMMARIES[node.operator]
    return [Line(labels, _column(members, summarise)) for labels, members in groups.items()]


def _grouped(node: Aggregation, lines: Vector) -> _Groups:
    groups: dict[Labels, list[Line]] = {}
    for line in lines:
        if node.without:
            key = without(line.labels, NAME, *node.labels)
        else:
            key = only(line.labels, node.labels)
        groups.setdefault(key, []).append(line)
    return groups


def _column(members: Sequence[Line], summarise: Callable[[list[float]], float]) -> list[Sample]:
    found: list[Sample] = []
    for step in zip(*(line.values for line in members), strict=True):
        values = [value for value in step if value is not None]
        found.append(summarise(values) if values else None)
    return found


def _quantiles(groups: _Groups, shares: Scalar) -> Vector:
    found = []
    for labels, members in groups.items():
        values: list[Sample] = []
        for share, step in zip(
            shares.values, zip(*(line.values for line in members), strict=True), strict=True
        ):
            here = [value for value in step if value is not None]
            values.append(quantile(share, here) if here else None)
        found.append(Line(labels, values))
    return found


def _ranked(groups: _Groups, counts: Scalar, *, highest: bool) -> Vector:
    """The lines of each group with all samples but the highest, or lowest, of each step removed."""
    found = []
    for members in groups.values():
        kept = [Line(line.labels, [None] * len(line.values)) for line in members]
        for step, count in enumerate(counts.values):
            here = [
                (_rank(value, highest=highest), place)
                for place, line in enumerate(members)
                if (value := line.values[step]) is not None
            ]
            here.sort()
            for _, place in here[: int(count) if count > 0 else 0]:
                kept[place].values[step] = members[place].values[step]
        found += kept
    return found


def _rank(value: float, *, highest: bool) -> tuple[bool, float]:
    # NaN comes last whichever way is asked for
    return (True, 0.0) if isnan(value) else (False, -value if highest else value)


def _counted_values(groups: _Groups, label: str) -> Vector:
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


def _least(values: list[float]) -> float:
    return min((value for value in values if not isnan(value)), default=nan)


def _most(values: list[float]) -> float:
    return max((value for value in values if not isnan(value)), default=nan)


def _sum(values: list[float]) -> float:
    try:
        return fsum(values)
    except (OverflowError, ValueError):
        return sum(values)  # infinities of both signs, or more than a number holds


_SUMMARIES: Mapping[str, Callable[[list[float]], float]] = {
    "sum": _sum,
    "avg": lambda values: _sum(values) / len(values),
    "min": _least,
    "max": _most,
    "count": lambda values: float(len(values)),
    "group": lambda _: 1.0,
    "stddev": lambda values: sqrt(variance(values)),
    "stdvar": variance,
}
