"""The reports that can be asked for by name."""

from collections.abc import Callable, Mapping

from harness.model import RunResult
from harness.reports.annotations import github_annotations
from harness.reports.csv_tables import checks_csv, trials_csv
from harness.reports.html import html_report
from harness.reports.json_report import json_report
from harness.reports.junit import junit_report
from harness.reports.markdown import markdown_report
from harness.reports.svg import CHARTS, standalone

Report = Callable[[RunResult], str]


def chart_report(name: str) -> Report:
    """A chart as a file of its own; an empty text where it has nothing to show."""
    _, draw = CHARTS[name]

    def report(result: RunResult) -> str:
        drawn = draw(result.statistics) if result.statistics else ""
        return standalone(drawn) if drawn else ""

    return report


FORMATS: Mapping[str, Mapping[str, Report]] = {
    "html": {"report.html": html_report},
    "junit": {"junit.xml": junit_report},
    "markdown": {"summary.md": markdown_report},
    "csv": {"trials.csv": trials_csv, "checks.csv": checks_csv},
    "json": {"report.json": json_report},
    "charts": {f"charts/{name}.svg": chart_report(name) for name in CHARTS},
    "github": {"annotations.txt": github_annotations},
}
"""Name to the files it is made of; a report that is empty is not written."""
