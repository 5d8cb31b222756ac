"""Charts of a run as SVG, in light and dark, of text and plain shapes."""

from collections.abc import Callable, Mapping

from harness.model import RunStatistics
from harness.reports.svg.latency import latency_chart
from harness.reports.svg.rates import rates_chart
from harness.reports.svg.stability import stability_chart
from harness.reports.svg.style import STYLE, standalone

CHARTS: Mapping[str, tuple[str, Callable[[RunStatistics], str]]] = {
    "pass_rates": ("Pass rates, with 95 % intervals", rates_chart),
    "latency": ("Time for a trial: fastest, median, slowest", latency_chart),
    "stability": ("Agreement between the trials of a case", stability_chart),
}
"""Name to title and chart; a chart that has nothing to show is an empty text."""

__all__ = ["CHARTS", "STYLE", "latency_chart", "rates_chart", "stability_chart", "standalone"]
