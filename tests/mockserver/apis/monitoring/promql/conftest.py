"""A source of tracks by hand: samples a minute apart from minute 1, named by their selectors."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from mockserver.apis.monitoring.promql.engine import context_of, evaluate_instant, evaluate_range
from mockserver.apis.monitoring.promql.nodes import Matcher, format_value
from mockserver.apis.monitoring.promql.parser import parse, parse_selector
from mockserver.apis.monitoring.promql.vectors import Context, Line, Scalar, Track, matches

MINUTE = 60_000_000


class Given:
    """A source of the tracks that were given."""

    def __init__(self, tracks: Sequence[Track]) -> None:
        self.tracks = tracks

    def select(self, matchers: Sequence[Matcher]) -> Sequence[Track]:
        return [track for track in self.tracks if matches(matchers, track.labels)]


def track(name: str, *values: float | None) -> Track:
    """Samples at minutes 1, 2, 3 ...; None is a missing one."""
    labels = tuple(sorted((each.label, each.value) for each in parse_selector(name)))
    pairs = [(at * MINUTE, each) for at, each in enumerate(values, 1) if each is not None]
    return Track(labels, [at for at, _ in pairs], [each for _, each in pairs])


def over(*tracks: Track, minutes: Sequence[float]) -> Context:
    return context_of(Given(tracks), [round(each * MINUTE) for each in minutes])


def text_of(line: Line) -> str:
    name = dict(line.labels).get("__name__", "")
    labels = ",".join(f"{k}={v}" for k, v in line.labels if k != "__name__")
    return name + ("{" + labels + "}" if labels else "")


def at(query: str, *tracks: Track, minute: float = 5) -> dict[str, float] | float | str:
    """What a query gives at one minute: its samples by labels, its number or its text."""
    value: Any = evaluate_instant(parse(query), over(*tracks, minutes=[minute]))
    if isinstance(value, Scalar):
        return value.values[0]
    return value if isinstance(value, str) else {text_of(each): each.values[0] for each in value}


def along(query: str, *tracks: Track, minutes: Sequence[float] = (1, 2, 3, 4, 5)) -> dict[str, str]:
    """What a query gives at several minutes: texts of the samples by labels."""
    lines = evaluate_range(parse(query), over(*tracks, minutes=minutes))
    return {
        text_of(line): " ".join("_" if v is None else format_value(v) for v in line.values)
        for line in lines
    }


def same(one: float, other: float) -> bool:
    return one == other or (isnan(one) and isnan(other))
