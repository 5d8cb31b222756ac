"""Charts of a run as SVG, in light and dark: pass rates, latency, stability.

A chart has one row a case: a label, a mark, and an axis below. It holds only text and plain shapes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from harness.model import CaseStatistics, LatencyFigures, RunStatistics
from harness.reports.texts import one_line, shorten

WIDTH = 760
ROW = 22
_LEFT = 170
_RIGHT = 130
_TOP = 10
_BELOW = 26
_LABEL = 26


@dataclass(frozen=True, slots=True)
class Axis:
    """What the width of the plot stands for, from 0.

    Attributes:
        end: The value at its right edge.
        ticks: Values with a line.
        unit: Behind the number of a tick.
        factor: From a value to the number that is written.
    """

    end: float
    ticks: tuple[float, ...]
    unit: str = ""
    factor: float = 1

    def at(self, value: float) -> float:
        """Where a value is, in pixels."""
        share = min(1.0, max(0.0, value / self.end)) if self.end else 0.0
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    def label(self, value: float) -> str:
        """A value with its unit."""
        return f"{value * self.factor:g}{self.unit}"


class Drawing:
    """A chart of rows, from top to bottom."""

    def __init__(self, title: str, axis: Axis, rows: int) -> None:
        self.axis = axis
        self._rows = rows
        self._drawn = 0
        height = _TOP + rows * ROW + _BELOW
        self._root = Xml.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "class": "chart",
                "viewBox": f"0 0 {WIDTH} {height}",
                "role": "img",
                "aria-label": title,
            },
        )
        Xml.SubElement(self._root, "title").text = title
        self._grid()

    def row(self, label: str, note: str) -> float:
        """Begins a row: what it is on the left, what it says on the right; its middle in pixels."""
        y = _TOP + self._drawn * ROW + ROW / 2
        self._drawn += 1
        whole = one_line(label)
        shown = self._text(_LEFT - 10, y + 4, shorten(whole, _LABEL), "end")
        if len(whole) > _LABEL:
            Xml.SubElement(shown, "title").text = whole
        self._text(WIDTH - _RIGHT + 10, y + 4, note, "soft")
        return y

    def span(self, y: float, start: float, end: float) -> None:
        """A line from one value to another."""
        self._line((self.axis.at(start), y, self.axis.at(end), y), "range")

    def dot(self, y: float, value: float, css: str, *, square: bool = False) -> None:
        """A mark at a value; the shape tells it apart where colours do not."""
        x = self.axis.at(value)
        if square:
            at = {"x": f"{x - 4:g}", "y": f"{y - 4:g}", "width": "8", "height": "8"}
            Xml.SubElement(self._root, "rect", {**at, "class": css})
        else:
            Xml.SubElement(
                self._root, "circle", {"cx": f"{x:g}", "cy": f"{y:g}", "r": "5", "class": css}
            )

    def to_svg(self) -> str:
        """The chart as SVG."""
        return Xml.tostring(self._root, "unicode")

    def _grid(self) -> None:
        bottom = _TOP + self._rows * ROW
        for tick in self.axis.ticks:
            x = self.axis.at(tick)
            self._line((x, _TOP, x, bottom), "grid")
            self._text(x, bottom + 16, self.axis.label(tick), "soft mid")

    def _line(self, ends: Sequence[float], css: str) -> None:
        names = dict(zip(("x1", "y1", "x2", "y2"), (f"{each:g}" for each in ends), strict=True))
        Xml.SubElement(self._root, "line", {**names, "class": css})

    def _text(self, x: float, y: float, text: str, css: str) -> Xml.Element:
        made = Xml.SubElement(self._root, "text", {"x": f"{x:g}", "y": f"{y:g}", "class": css})
        made.text = text
        return made


_LEAST = 1e-9
"""Ticks are rounded to so much; below it there is nothing to see."""


def ticks_to(end: float, most: int = 5) -> tuple[float, ...]:
    """Round values from 0 to at most `end`, few enough to be read.

    >>> ticks_to(870)
    (0.0, 200.0, 400.0, 600.0, 800.0)
    """
    if not end > _LEAST:
        return (0.0,)
    step = 10.0 ** (len(f"{end:.0f}") - 1) if end >= 1 else _small_step(end)
    for factor in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0):
        if end / (step * factor) <= most:
            step *= factor
            break
    return tuple(round(step * number, 9) for number in range(int(end / step + 1e-9) + 1))


def _small_step(end: float) -> float:
    step = 1.0
    while step > end:
        step /= 10
    return step


_LIGHT = (
    "--ink:#1d2330;--soft:#5b6475;--line:#d9dee7;--paper:#fff;"
    "--good:#166d40;--bad:#c4314b;--warn:#8a5c00;--accent:#2f62c9;--second:#8a5cd1"
)
_DARK = (
    "--ink:#e6e9ef;--soft:#9aa4b5;--line:#323a49;--paper:#12161d;"
    "--good:#4cc38a;--bad:#ff7b8e;--warn:#e3b341;--accent:#7aa7ff;--second:#b79aff"
)
COLOURS = f":root{{{_LIGHT}}}@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
STYLE = (
    ".chart text{font:12px system-ui,sans-serif;fill:var(--ink)}"
    ".chart .soft{fill:var(--soft)}.chart .end{text-anchor:end}.chart .mid{text-anchor:middle}"
    ".chart .grid{stroke:var(--line);stroke-width:1}"
    ".chart .range{stroke:var(--soft);stroke-width:2;stroke-linecap:round}"
    ".chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}.chart .warn{fill:var(--warn)}"
    ".chart .none{fill:none;stroke:var(--soft);stroke-width:1.5}"
    ".chart .first{fill:var(--accent)}.chart .second{fill:var(--second)}"
)


def standalone(chart: str) -> str:
    """A chart as a file of its own, with its colours."""
    head, end, rest = chart.partition(">")
    return f"{head}{end}<style>{COLOURS}{STYLE}.chart{{background:var(--paper)}}</style>{rest}\n"


MOST_CASES = 40
"""So many cases are drawn; those with the lowest rates."""

_SHARE_AXIS = Axis(end=1, ticks=(0, 0.25, 0.5, 0.75, 1), unit=" %", factor=100)


def rates_chart(statistics: RunStatistics) -> str:
    """A mark for the rate of each case with a valid trial, a line for its 95 % interval."""
    cases = [(case, case.rate.rate) for case in statistics.cases if case.rate.rate is not None]
    shown = sorted(cases, key=lambda each: each[1])[:MOST_CASES]
    if not shown:
        return ""
    drawing = Drawing("Pass rates with 95 % intervals", _SHARE_AXIS, len(shown))
    for case, rate in shown:
        y = drawing.row(case.case, f"{case.rate.passed}/{case.rate.valid}")
        drawing.span(y, case.rate.low, case.rate.high)
        drawing.dot(y, rate, _rate_class(case), square=rate < 1)
    return drawing.to_svg()


def _rate_class(case: CaseStatistics) -> str:
    if case.rate.passed == case.rate.valid:
        return "good"
    return "warn" if case.rate.passed else "bad"


_STABILITY_CLASSES = {"ideal": "good", "acceptable": "first", "watch": "warn", "problem": "bad"}


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
    differing = sorted((row for row in rows if row[1] < 1), key=lambda row: row[1])[:MOST_CASES]
    alike = sum(row[1] >= 1 for row in rows)
    shown = [*differing, *([(f"{alike} others", 1.0, "ideal")] if alike else [])]
    if not shown:
        return ""
    drawing = Drawing("Agreement between the trials of a case", _SHARE_AXIS, len(shown))
    for name, value, label in shown:
        y = drawing.row(name, f"{value:.0%} {label}")
        drawing.span(y, 0, value)
        drawing.dot(y, value, _STABILITY_CLASSES.get(label, "first"), square=value < 1)
    return drawing.to_svg()


def latency_chart(statistics: RunStatistics) -> str:
    """For each case a line from its fastest to its slowest trial, a dot at the median.

    A square at the end stands for trials that ran into a time limit: they took longer than that.
    """
    cases = [(case.case, case.total) for case in statistics.cases if case.total.n]
    shown = sorted(cases, key=lambda each: _longest(each[1]), reverse=True)[:MOST_CASES]
    longest = max((_longest(each) for _, each in shown), default=0.0)
    if not longest:
        return ""
    drawing = Drawing(
        "Time for a trial: fastest, median, slowest", _latency_axis(longest), len(shown)
    )
    for name, figures in shown:
        y = drawing.row(name, _latency_note(figures))
        drawing.span(y, _shortest(figures), _longest(figures))
        if figures.p50 is not None:
            drawing.dot(y, figures.p50, "first")
        if figures.censored:
            drawing.dot(y, _longest(figures), "bad", square=True)
    return drawing.to_svg()


def _latency_axis(longest: float) -> Axis:
    if longest < 2000:
        return Axis(longest, ticks_to(longest), " ms")
    ticks = tuple(tick * 1000 for tick in ticks_to(longest / 1000))
    return Axis(longest, ticks, " s", 0.001)


def _latency_note(figures: LatencyFigures) -> str:
    if figures.p50 is None:
        return f"{figures.censored} timed out"
    middle = _milliseconds(figures.p50)
    return f"{middle}, {figures.censored} timed out" if figures.censored else middle


def _milliseconds(value: float) -> str:
    return f"{value:.0f} ms" if value < 2000 else f"{value / 1000:.1f} s"


def _shortest(figures: LatencyFigures) -> float:
    return figures.min if figures.min is not None else _longest(figures)


def _longest(figures: LatencyFigures) -> float:
    known = [value for value in (figures.max, figures.limit) if value is not None]
    return max(known, default=0.0)


CHARTS: Mapping[str, tuple[str, Callable[[RunStatistics], str]]] = {
    "pass_rates": ("Pass rates, with 95 % intervals", rates_chart),
    "latency": ("Time for a trial: fastest, median, slowest", latency_chart),
    "stability": ("Agreement between the trials of a case", stability_chart),
}
"""Name to title and chart; a chart that has nothing to show is an empty text."""
