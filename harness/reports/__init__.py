"""Reports, one module each: pure functions from a run's result to text."""

from collections.abc import Mapping

from harness.reports.annotations import github_annotations
from harness.reports.comparison import (
    ReportComparison,
    compare_reports,
    comparison_text,
    regressions_report,
    regressions_text,
    versus_markdown,
    versus_text,
)
from harness.reports.console import console_report
from harness.reports.formats import (
    FORMATS,
    Content,
    Report,
    make_content,
    replay_name,
    reproducible,
)
from harness.reports.history import history_text, whole_line
from harness.reports.html import html_report
from harness.reports.json_report import json_report, report_of
from harness.reports.junit import junit_report
from harness.reports.markdown import markdown_report
from harness.reports.pull_request import LONGEST_COMMENT, ComparedCase, comparison_comment
from harness.reports.review_charts import REVIEW_CHARTS
from harness.reports.review_text import latency_hint, review_text, review_versus_text
from harness.reports.story import (
    NEVER_EXPLAINED,
    Passing,
    Story,
    explain,
    passing_trials,
    story_text,
)

REPORTS: Mapping[str, Report] = {
    "report.json": json_report,
    "junit.xml": junit_report,
    "summary.md": markdown_report,
}
"""File name in the run directory to the report that is written there."""

__all__ = [
    "FORMATS",
    "LONGEST_COMMENT",
    "NEVER_EXPLAINED",
    "REPORTS",
    "REVIEW_CHARTS",
    "ComparedCase",
    "Content",
    "Passing",
    "Report",
    "ReportComparison",
    "Story",
    "compare_reports",
    "comparison_comment",
    "comparison_text",
    "console_report",
    "explain",
    "github_annotations",
    "history_text",
    "html_report",
    "json_report",
    "latency_hint",
    "make_content",
    "markdown_report",
    "passing_trials",
    "regressions_report",
    "regressions_text",
    "replay_name",
    "report_of",
    "reproducible",
    "review_text",
    "review_versus_text",
    "story_text",
    "versus_markdown",
    "versus_text",
    "whole_line",
]
