"""How long the trials of cases took."""

from harness.model import LatencyFigures, RunStatistics
from harness.reports.svg.drawing import Axis, Drawing, ticks_to

MOST = 40
"""So many cases are drawn; the slowest."""


def latency_chart(statistics: RunStatistics) -> str:
    """For each case a line from its fastest to its slowest trial, a dot at the median.

    A square at the end stands for trials that ran into a time limit: they took longer than that.
    """
    cases = [(case.case, case.total) for case in statistics.cases if case.total.n]
    shown = sorted(cases, key=lambda each: _longest(each[1]), reverse=True)[:MOST]
    longest = max((_longest(each) for _, each in shown), default=0.0)
    if not longest:
        return ""
    drawing = Drawing("Time for a trial: fastest, median, slowest", _axis(longest), len(shown))
    for name, figures in shown:
        y = drawing.row(name, _note(figures))
        drawing.span(y, _shortest(figures), _longest(figures))
        if figures.p50 is not None:
            drawing.dot(y, figures.p50, "first")
        if figures.censored:
            drawing.dot(y, _longest(figures), "bad", square=True)
    return drawing.written()


def _axis(longest: float) -> Axis:
    if longest < 2000:
        return Axis(longest, ticks_to(longest), " ms")
    ticks = tuple(tick * 1000 for tick in ticks_to(longest / 1000))
    return Axis(longest, ticks, " s", 0.001)


def _note(figures: LatencyFigures) -> str:
    if figures.p50 is None:
        return f"{figures.censored} timed out"
    middle = _time(figures.p50)
    return f"{middle}, {figures.censored} timed out" if figures.censored else middle


def _time(value: float) -> str:
    return f"{value:.0f} ms" if value < 2000 else f"{value / 1000:.1f} s"


def _shortest(figures: LatencyFigures) -> float:
    return figures.min if figures.min is not None else _longest(figures)


def _longest(figures: LatencyFigures) -> float:
    known = [value for value in (figures.max, figures.limit) if value is not None]
    return max(known, default=0.0)
