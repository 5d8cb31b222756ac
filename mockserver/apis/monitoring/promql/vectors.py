"""What a query is evaluated over, and the values of an expression at every step."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mockserver.apis.monitoring.promql.nodes import (
    SECOND,
    Matcher,
    Node,
    Range,
    Selector,
    Shift,
    Subquery,
    execution,
)
from mockserver.stubs import compile_pattern

TOO_MANY = "query processing would load too many samples into memory in query execution"
"""Prometheus' own words."""

_MOST_SAMPLES_OF_QUERY = 50_000_000
"""Prometheus' own limit."""


class Budget:
    """How many samples a query may still look at."""

    def __init__(self) -> None:
        self._left = _MOST_SAMPLES_OF_QUERY

    def spend(self, samples: int) -> None:
        """Look at some samples.

        Raises:
            PromqlError: The query has looked at as many as it may.
        """
        self._left -= samples
        if self._left < 0:
            raise execution(TOO_MANY)


Labels = tuple[tuple[str, str], ...]
"""Label names and values, sorted by name."""


@dataclass(slots=True, eq=False)
class Track:
    """Samples of one series, oldest first; times are microseconds.

    Attributes:
        labels: Its labels, with its name.
        times: Times of the samples, ascending.
        values: Their values.
        memo: What functions computed of the samples.
    """

    labels: Labels
    times: Sequence[int]
    values: Sequence[float]
    memo: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """Where tracks come from."""

    def select(self, matchers: Sequence[Matcher]) -> Sequence[Track]:
        """The tracks whose labels meet all matchers."""
        ...


Sample = float | None
"""None where there is none."""


@dataclass(slots=True)
class Line:
    """One series of a result: a sample, or None, for every step."""

    labels: Labels
    values: list[Sample]


Vector = list[Line]


@dataclass(slots=True)
class Scalar:
    """A number for every step."""

    values: list[float]


Value = Scalar | Vector | str


@dataclass(frozen=True)
class Context:
    """Over what, and when, an expression is evaluated.

    Attributes:
        source: Where tracks come from.
        times: The steps, ascending, in the source's microseconds.
        start: The first step of the whole query (`@ start()`).
        end: The last step of the whole query (`@ end()`).
        shift: What is added to the source's times to give those of the caller.
        evaluate: Evaluates an expression.
        budget: How much the whole query may look at.
    """

    source: Source
    times: Sequence[int]
    start: int
    end: int
    shift: int
    evaluate: Callable[[Node, "Context"], Value]
    budget: Budget = field(default_factory=Budget)

    def value(self, node: Node) -> Value:
        """The value of an expression at every step."""
        value = self.evaluate(node, self)
        self.budget.spend(len(self.times) * (len(value) if isinstance(value, list) else 1))
        return value

    def lines(self, node: Node) -> Vector:
        """The lines of an instant vector.

        Raises:
            PromqlError: The expression is none.
        """
        value = self.value(node)
        if not isinstance(value, list):
            raise execution("expected an instant vector")
        return value

    def numbers(self, node: Node) -> list[float]:
        """The numbers of a scalar.

        Raises:
            PromqlError: The expression is none.
        """
        value = self.value(node)
        if not isinstance(value, Scalar):
            raise execution("expected a scalar")
        return value.values

    def now(self) -> list[float]:
        """The caller's time at every step, in seconds."""
        return [(each + self.shift) / SECOND for each in self.times]


NAME = "__name__"
LOOKBACK = 300 * SECOND
Span = tuple[int, int]
"""Start and end, in microseconds."""


def without_labels(labels: Labels, *names: str) -> Labels:
    """Labels without some.

    >>> without_labels((("__name__", "up"), ("job", "a")), "__name__")
    (('job', 'a'),)
    """
    return tuple(pair for pair in labels if pair[0] not in names)


def only_labels(labels: Labels, names: Sequence[str]) -> Labels:
    """Some of the labels."""
    return tuple(pair for pair in labels if pair[0] in names)


def with_label(labels: Labels, name: str, value: str) -> Labels:
    """Labels with one set; an empty value removes it."""
    rest = without_labels(labels, name)
    return tuple(sorted((*rest, (name, value)))) if value else rest


def matches(matchers: Sequence[Matcher], labels: Labels) -> bool:
    """Whether labels meet all matchers; a label that is absent is empty."""
    values = dict(labels)
    return all(matches_text(matcher, values.get(matcher.label, "")) for matcher in matchers)


def matches_text(matcher: Matcher, value: str) -> bool:
    """Whether a label's value meets a matcher; expressions are anchored at both ends."""
    if matcher.operator == "=":
        return value == matcher.value
    if matcher.operator == "!=":
        return value != matcher.value
    found = compile_pattern(f"(?s){matcher.value}").fullmatch(value) is not None
    return found == (matcher.operator == "=~")


def check_matcher(matcher: Matcher, refused: Callable[[str], Exception]) -> None:
    """Check a matcher's regular expression; raises what `refused` makes of the reason."""
    if matcher.operator in {"=~", "!~"}:
        try:
            compile_pattern(f"(?s){matcher.value}")
        except ValueError as error:
            why = matcher.value.join("``")
            raise refused(f"error parsing regexp: {why} is none that RE2 reads") from error


@dataclass(slots=True)
class Matrix:
    """The samples of a range vector at one moment."""

    tracks: list[Track]


def map_samples(lines: Iterable[Line], change: Callable[[float], float]) -> Vector:
    """Lines without their name, with every sample changed."""
    return check_unique(
        Line(
            without_labels(line.labels, NAME),
            [None if value is None else change(value) for value in line.values],
        )
        for line in lines
    )


def check_unique(lines: Iterable[Line]) -> Vector:
    """Lines of equal labels become one, as long as they never have a sample at the same step.

    Raises:
        PromqlError: They have.
    """
    found: dict[Labels, Line] = {}
    for line in lines:
        other = found.get(line.labels)
        found[line.labels] = line if other is None else _join_lines(other, line)
    return list(found.values())


def _join_lines(one: Line, other: Line) -> Line:
    values: list[Sample] = []
    for first, second in zip(one.values, other.values, strict=True):
        if first is not None and second is not None:
            raise execution("vector cannot contain metrics with the same labelset")
        values.append(second if first is None else first)
    return Line(one.labels, values)


def lines_with_samples(lines: Iterable[Line]) -> Vector:
    """The lines that have a sample at any step."""
    return [line for line in lines if any(value is not None for value in line.values)]


def labels_text(labels: Sequence[tuple[str, str]]) -> str:
    """Labels as an error shows them.

    >>> labels_text((("job", "a"),))
    '{job="a"}'
    """
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}"


_DEFAULT_STEP = 60 * SECOND
_MOST_STEPS = 100_000
_MOST_SAMPLES_OF_SELECTION = 5_000_000


def step_moments(shift: Shift, context: Context) -> Sequence[int]:
    """The moments that a selector looks at, for every step."""
    if shift.at is None:
        return [each - shift.offset for each in context.times] if shift.offset else context.times
    fixed = {"start": context.start, "end": context.end}
    at = fixed[shift.at] if isinstance(shift.at, str) else shift.at - context.shift
    return [at - shift.offset] * len(context.times)


def sample_places(track: Track, looked_at: Sequence[int]) -> list[int | None]:
    """The place of the sample that stands at each moment."""
    times, found, after = track.times, [], 0
    for moment in looked_at:
        after = bisect_right(times, moment, after)
        fresh = after and times[after - 1] > moment - LOOKBACK
        found.append(after - 1 if fresh else None)
    return found


def select_lines(node: Selector, context: Context) -> Vector:
    """An instant vector: the last sample of the five minutes before each step."""
    looked_at = step_moments(node.shift, context)
    tracks = context.source.select(node.matchers)
    _check_size(tracks, context)
    lines = []
    for track in tracks:
        values = track.values
        samples: list[Sample] = [
            None if place is None else values[place] for place in sample_places(track, looked_at)
        ]
        lines.append(Line(track.labels, samples))
    return lines_with_samples(lines)


def _check_size(tracks: Sequence[Track], context: Context) -> None:
    if len(tracks) * len(context.times) > _MOST_SAMPLES_OF_SELECTION:
        raise execution(TOO_MANY)


@dataclass(frozen=True)
class Windows:
    """Tracks, and the spans that a range vector looks at."""

    tracks: Sequence[Track]
    spans: Sequence[Span]

    def edges(self, track: Track) -> list[tuple[int, int]]:
        """For every span the place of its first sample, and the one after its last."""
        times = track.times
        low = high = 0
        found = []
        for start, end in self.spans:
            low = bisect_right(times, start, low)
            high = bisect_right(times, end, high)
            found.append((low, high))
        return found


def select_windows(node: Node, context: Context) -> Windows:
    """The tracks of a range vector or a subquery, with the spans that it looks at.

    Raises:
        PromqlError: The expression is neither, or has too many steps.
    """
    match node:
        case Range(selector, span):
            looked_at = step_moments(selector.shift, context)
            tracks = context.source.select(selector.matchers)
        case Subquery(_, span):
            looked_at = step_moments(node.shift, context)
            tracks = _subquery_tracks(node, context, looked_at)
        case _:
            raise execution("expected a range vector")
    _check_size(tracks, context)
    return Windows(tracks, [(moment - span, moment) for moment in looked_at])


def _subquery_tracks(node: Subquery, context: Context, looked_at: Sequence[int]) -> list[Track]:
    """The tracks of a subquery; its steps are multiples of their length, whatever the query's."""
    step = node.step or _DEFAULT_STEP
    first = (looked_at[0] - node.span + context.shift) // step * step + step - context.shift
    if (looked_at[-1] - first) // step > _MOST_STEPS:
        raise execution(TOO_MANY)
    times = range(first, looked_at[-1] + 1, step)
    if not times:
        return []
    tracks = []
    for line in replace(context, times=times).lines(node.inner):
        pairs = [
            (at, value) for at, value in zip(times, line.values, strict=True) if value is not None
        ]
        tracks.append(Track(line.labels, [at for at, _ in pairs], [value for _, value in pairs]))
    return tracks
