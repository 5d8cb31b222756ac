"""Rows of a chart, drawn: a label each, an axis below, whatever stands in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from harness.reports.texts import one_line, shortened

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

    def written(self, value: float) -> str:
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
        shown = self._text(_LEFT - 10, y + 4, shortened(whole, _LABEL), "end")
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

    def written(self) -> str:
        """The chart as SVG."""
        return Xml.tostring(self._root, "unicode")

    def _grid(self) -> None:
        bottom = _TOP + self._rows * ROW
        for tick in self.axis.ticks:
            x = self.axis.at(tick)
            self._line((x, _TOP, x, bottom), "grid")
            self._text(x, bottom + 16, self.axis.written(tick), "soft mid")

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
