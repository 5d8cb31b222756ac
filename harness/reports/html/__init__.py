"""One page for a run: everything in one file, nothing loaded, nothing that acts."""

from harness.reports.html.page import html_report

__all__ = ["html_report"]
