"""Reports, one module each: pure functions from a run's result to text."""

from collections.abc import Callable, Mapping

from harness.model import RunResult
from harness.reports.comparison import Comparison, compare_reports, comparison_text
from harness.reports.console import console_report
from harness.reports.json_report import json_report, report_of
from harness.reports.junit import junit_report
from harness.reports.markdown import markdown_report
from harness.reports.reproducible import replay_name, reproducible
from harness.reports.versus import versus_markdown, versus_text

Report = Callable[[RunResult], str]

REPORTS: Mapping[str, Report] = {
    "report.json": json_report,
    "junit.xml": junit_report,
    "summary.md": markdown_report,
}
"""File name in the run directory to the report that is written there."""

__all__ = [
    "REPORTS",
    "Comparison",
    "Report",
    "compare_reports",
    "comparison_text",
    "console_report",
    "json_report",
    "replay_name",
    "report_of",
    "reproducible",
    "versus_markdown",
    "versus_text",
]
