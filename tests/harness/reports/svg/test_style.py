from xml.etree import ElementTree

from harness.reports.svg.drawing import Axis, Drawing
from harness.reports.svg.style import standalone


def test_a_chart_of_its_own_is_svg_with_a_style() -> None:
    text = standalone(Drawing("a", Axis(end=1, ticks=(0,)), 0).written())
    root = ElementTree.fromstring(text)
    style = root.find("{http://www.w3.org/2000/svg}style")
    assert style is not None
    assert "--good" in str(style.text)
