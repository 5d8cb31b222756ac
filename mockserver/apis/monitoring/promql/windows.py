"""What a selector or a range vector holds at every step."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mockserver.apis.monitoring.promql.context import TOO_MANY, Context
from mockserver.apis.monitoring.promql.errors import execution
from mockserver.apis.monitoring.promql.formats import SECOND
from mockserver.apis.monitoring.promql.nodes import (
    Node,
    Range,
    Selector,
    Shift,
    Subquery,
)
from mockserver.apis.monitoring.promql.ranges import (
    LOOKBACK,
    Span,
)
from mockserver.apis.monitoring.promql.tracks import Track
from mockserver.apis.monitoring.promql.vectors import (
    Line,
    Sample,
    Vector,
    present,
)

_DEFAULT_STEP = 60 * SECOND
_MOST_STEPS = 100_000
_MOST_SAMPLES = 5_000_000


def moments(shift: Shift, context: Context) -> Sequence[int]:
    """The moments that a selector looks at, for every step."""
    if shift.at is None:
        return [each - shift.offset for each in context.times] if shift.offset else context.times
    fixed = {"start": context.start, "end": context.end}
    at = fixed[shift.at] if isinstance(shift.at, str) else shift.at - context.shift
    return [at - shift.offset] * len(context.times)


def places(track: Track, looked_at: Sequence[int]) -> list[int | None]:
    """The place of the sample that stands at each moment."""
    times, found, after = track.times, [], 0
    for moment in looked_at:
        after = bisect_right(times, moment, after)
        fresh = after and times[after - 1] > moment - LOOKBACK
        found.append(after - 1 if fresh else None)
    return found


def selected(node: Selector, context: Context) -> Vector:
    """An instant vector: the last sample of the five minutes before each step."""
    looked_at = moments(node.shift, context)
    tracks = context.source.select(node.matchers)
    _check_size(tracks, context)
    lines = []
    for track in tracks:
        values = track.values
        samples: list[Sample] = [
            None if place is None else values[place] for place in places(track, looked_at)
        ]
        lines.append(Line(track.labels, samples))
    return present(lines)


def _check_size(tracks: Sequence[Track], context: Context) -> None:
    if len(tracks) * len(context.times) > _MOST_SAMPLES:
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


def windows(node: Node, context: Context) -> Windows:
    """The tracks of a range vector or a subquery, with the spans that it looks at.

    Raises:
        PromqlError: The expression is neither, or has too many steps.
    """
    match node:
        case Range(selector, span):
            looked_at = moments(selector.shift, context)
            tracks = context.source.select(selector.matchers)
        case Subquery(_, span):
            looked_at = moments(node.shift, context)
            tracks = _stepped(node, context, looked_at)
        case _:
            raise execution("expected a range vector")
    _check_size(tracks, context)
    return Windows(tracks, [(moment - span, moment) for moment in looked_at])


def _stepped(node: Subquery, context: Context, looked_at: Sequence[int]) -> list[Track]:
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
