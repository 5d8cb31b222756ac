"""Pass rates over time as lines: where the points of a chart are; the templates draw them."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.storage import RunSummary

LEFT = 44.0
"""Room for the labels of the axis."""

_EDGE = 8.0


@dataclass(frozen=True, slots=True)
class Point:
    """One run.

    Attributes:
        x: Pixels from the left.
        y: Pixels from the top.
        run: The run.
    """

    x: float
    y: float
    run: RunSummary


@dataclass(frozen=True, slots=True)
class Trend:
    """A line of pass rates, the oldest run first.

    Attributes:
        width: In pixels.
        height: In pixels.
        points: One for each run that has a rate; at least two.
        grid: Where the lines of the axis are: the rate in percent, and pixels from the top.
        text: The same in words.
    """

    width: float
    height: float
    points: tuple[Point, ...]
    grid: tuple[tuple[int, float], ...]
    text: str

    @property
    def line(self) -> str:
        """The points of a polyline."""
        return " ".join(f"{point.x:g},{point.y:g}" for point in self.points)


def trend_of(runs: Sequence[RunSummary], *, width: float, height: float) -> Trend | None:
    """The chart of some runs, the oldest first; None where it would tell nothing.

    Args:
        runs: Of one suite.
        width: In pixels.
        height: In pixels; with less than 60 there is no room for an axis.
    """
    rated = [(run, run.rate) for run in runs if run.rate is not None]
    if len(rated) < 2:
        return None
    has_axis = height >= 60
    left = LEFT if has_axis else _EDGE / 2
    top, bottom = (_EDGE, height - _EDGE) if has_axis else (_EDGE / 2, height - _EDGE / 2)
    step = (width - left - (_EDGE if has_axis else _EDGE / 2)) / (len(rated) - 1)

    def y_of(rate: float) -> float:
        return round(bottom - rate * (bottom - top), 1)

    points = tuple(
        Point(round(left + step * place, 1), y_of(rate), run)
        for place, (run, rate) in enumerate(rated)
    )
    rates = [rate for _, rate in rated]
    return Trend(
        width=width,
        height=height,
        points=points,
        grid=tuple((each, y_of(each / 100)) for each in (0, 50, 100)) if has_axis else (),
        text=f"Pass rate of the last {len(rated)} runs: from {rates[0]:.0%} to {rates[-1]:.0%},"
        f" lowest {min(rates):.0%}, highest {max(rates):.0%}",
    )
