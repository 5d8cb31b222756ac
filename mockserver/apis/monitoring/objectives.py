"""Time series of a service level objective: `select_slo_burn_rate("...", "3600s")` and its like.

They are computed minute by minute from the series that the objective's indicator names. What each
selector means is what the SLO documentation says; the resource of the answered series, and that
points lie at whole minutes, are not verified against the live API.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mockserver.apis.monitoring.filters import Selection, refused
from mockserver.apis.monitoring.indicators import Events, events_of
from mockserver.apis.monitoring.moments import MINUTE, read_duration
from mockserver.apis.monitoring.selection import Query, select
from mockserver.apis.monitoring.series import Series, Stored
from mockserver.apis.monitoring.snapshot import OBJECTIVES
from mockserver.googleapi import nearest, not_found
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import World, project_names

_CALENDAR = {"DAY": 1, "WEEK": 7, "FORTNIGHT": 14, "MONTH": 30}
_DAY = 24 * 60 * MINUTE


@dataclass(frozen=True)
class Asked:
    """What a selector asks: an objective and how far to look back."""

    goal: float
    period: int
    lookback: int


def select_objective(stored: Stored, world: World, name: str, query: Query) -> list[Series]:
    """The series that a selector of an objective gives; stored ones go before computed ones.

    Raises:
        ApiError: 404 for an unknown objective, 400 for an unknown selector or wrong arguments.
    """
    selection = query.selection
    if selection is None or stored.of_type(query.metric):
        return select(stored, world, name, query)
    make = _SELECTORS.get(selection.name)
    if make is None or len(selection.arguments) != 1 + (selection.name in _LOOKING_BACK):
        raise refused(query.text, f"no such selector, or wrong arguments: {query.metric}")
    objective = _objective(world, str(selection.arguments[0]))
    events = events_of(stored, world, name, objective)
    if not events.ends:
        return []
    return make(query.metric, events, _asked(query.text, selection, objective))


def _asked(text: str, selection: Selection, objective: JsonMapping) -> Asked:
    try:
        lookback = (
            read_duration(str(selection.arguments[-1])) if len(selection.arguments) > 1 else 0
        )
        period = read_duration(objective.get("rollingPeriod") or "0s")
    except ValueError as error:
        raise refused(text, str(error)) from error
    days = _CALENDAR.get(str(objective.get("calendarPeriod")), 28)
    return Asked(float(objective.get("goal", 0)), period or days * _DAY, lookback)


def _objective(world: World, name: str) -> JsonObject:
    table = world.table(OBJECTIVES)
    for each in project_names(world, name):
        found = table.get(each)
        if found is not None:
            return found
    raise not_found(asked=name, nearest=nearest(name, table.rows()))


def _over(events: Events, span: int) -> list[tuple[float, float]]:
    """Good and bad events of the span before the end of each minute."""
    goods, bads = [0.0, *accumulate(events.good)], [0.0, *accumulate(events.bad)]
    found = []
    for place, end in enumerate(events.ends):
        first = bisect_right(events.ends, end - span)
        found.append((goods[place + 1] - goods[first], bads[place + 1] - bads[first]))
    return found


def _gauge(metric: str, ends: Sequence[int], values: Sequence[float]) -> Series:
    moments = list(ends)
    return Series(metric, {}, "global", {}, starts=moments, ends=moments, values=list(values))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _of(
    compute: Callable[[float, float, Asked], float], span: Callable[[Asked], int]
) -> Callable[[str, Events, Asked], list[Series]]:
    def make(metric: str, events: Events, asked: Asked) -> list[Series]:
        values = [compute(good, bad, asked) for good, bad in _over(events, span(asked))]
        return [_gauge(metric, events.ends, values)]

    return make


def _counts(metric: str, events: Events, _: Asked) -> list[Series]:
    found = []
    for kind, values in (("good", events.good), ("bad", events.bad)):
        series = _gauge(metric, events.ends, values)
        series.metric_labels = {"event_type": kind}
        series.kind = "DELTA"
        series.starts = [end - MINUTE for end in events.ends]
        found.append(series)
    return found


def _whole(asked: Asked) -> int:
    return asked.period


_SELECTORS: Mapping[str, Callable[[str, Events, Asked], list[Series]]] = {
    "select_slo_counts": _counts,
    "select_slo_health": _of(lambda good, bad, _: _share(good, good + bad), lambda _: MINUTE),
    "select_slo_compliance": _of(lambda good, bad, _: _share(good, good + bad), _whole),
    "select_slo_budget_total": _of(
        lambda good, bad, asked: (good + bad) * (1 - asked.goal), _whole
    ),
    "select_slo_budget": _of(
        lambda good, bad, asked: (good + bad) * (1 - asked.goal) - bad, _whole
    ),
    "select_slo_budget_fraction": _of(
        lambda good, bad, asked: 1 - _share(bad, (good + bad) * (1 - asked.goal)), _whole
    ),
    "select_slo_burn_rate": _of(
        lambda good, bad, asked: _share(_share(bad, good + bad), 1 - asked.goal),
        lambda asked: asked.lookback or 60 * MINUTE,
    ),
}
_LOOKING_BACK = frozenset({"select_slo_burn_rate"})
