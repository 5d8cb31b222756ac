"""Pass rates of cases, each with its interval."""

from harness.model import CaseStatistics, RunStatistics
from harness.reports.svg.drawing import Axis, Drawing

MOST = 40
"""So many cases are drawn; those with the lowest rates."""

_AXIS = Axis(end=1, ticks=(0, 0.25, 0.5, 0.75, 1), unit=" %", factor=100)


def rates_chart(statistics: RunStatistics) -> str:
    """A mark for the rate of each case with a valid trial, a line for its 95 % interval."""
    cases = [(case, case.rate.rate) for case in statistics.cases if case.rate.rate is not None]
    shown = sorted(cases, key=lambda each: each[1])[:MOST]
    if not shown:
        return ""
    drawing = Drawing("Pass rates with 95 % intervals", _AXIS, len(shown))
    for case, rate in shown:
        y = drawing.row(case.case, f"{case.rate.passed}/{case.rate.valid}")
        drawing.span(y, case.rate.low, case.rate.high)
        drawing.dot(y, rate, _css(case), square=rate < 1)
    return drawing.written()


def _css(case: CaseStatistics) -> str:
    if case.rate.passed == case.rate.valid:
        return "good"
    return "warn" if case.rate.passed else "bad"
