from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.reports.svg.drawing import Axis, Drawing, ticks_to


@pytest.mark.parametrize(
    ("end", "ticks"),
    [
        (0, (0.0,)),
        (5e-324, (0.0,)),
        (0.3, (0.0, 0.1, 0.2, 0.3)),
        (1, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (47, (0.0, 10.0, 20.0, 30.0, 40.0)),
        (12345, (0.0, 5000.0, 10000.0)),
    ],
    ids=str,
)
def test_ticks_are_round(end: float, ticks: tuple[float, ...]) -> None:
    assert ticks_to(end) == ticks


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_ticks_are_few_and_inside(end: float) -> None:
    ticks = ticks_to(end)
    assert 2 <= len(ticks) <= 6
    assert ticks[-1] <= end * (1 + 1e-6)


def test_a_value_beyond_the_axis_stays_in_the_plot() -> None:
    axis = Axis(end=10, ticks=(0, 10), unit=" s")
    assert axis.at(-1) == axis.at(0)
    assert axis.at(99) == axis.at(10)
    assert Axis(end=0, ticks=()).at(5) == axis.at(0)
    assert axis.written(2.5) == "2.5 s"


def test_labels_are_texts_whatever_is_in_them() -> None:
    drawing = Drawing("a < b", Axis(end=1, ticks=(0, 1)), 1)
    y = drawing.row("</text><script>alert(1)</script>\x1b", "n")
    drawing.span(y, 0, 1)
    drawing.dot(y, 0.5, "good")
    drawing.dot(y, 1, "bad", square=True)
    text = drawing.written()
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "line", "text", "circle", "rect"}
