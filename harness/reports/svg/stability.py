"""How alike the trials of each case are."""

from harness.model import RunStatistics
from harness.reports.svg.drawing import Axis, Drawing

MOST = 40
"""So many rows are drawn; the least stable."""

_AXIS = Axis(end=1, ticks=(0, 0.25, 0.5, 0.75, 1), unit=" %", factor=100)
_CSS = {"ideal": "good", "acceptable": "first", "watch": "warn", "problem": "bad"}


def stability_chart(statistics: RunStatistics) -> str:
    """A mark for each thing in which the trials of a case differ; the others share one row.

    What cannot be compared (n/a) is left out.
    """
    rows = [
        (f"{case.case} {figures.name}", figures.value, figures.label)
        for case in statistics.cases
        for figures in case.stability
        if figures.value is not None
    ]
    differing = sorted((row for row in rows if row[1] < 1), key=lambda row: row[1])[:MOST]
    alike = sum(row[1] >= 1 for row in rows)
    shown = [*differing, *([(f"{alike} others", 1.0, "ideal")] if alike else [])]
    if not shown:
        return ""
    drawing = Drawing("Agreement between the trials of a case", _AXIS, len(shown))
    for name, value, label in shown:
        y = drawing.row(name, f"{value:.0%} {label}")
        drawing.span(y, 0, value)
        drawing.dot(y, value, _CSS.get(label, "first"), square=value < 1)
    return drawing.written()
