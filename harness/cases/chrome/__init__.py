"""The chrome format: a registry in JSON, a Markdown file for each case, override folders."""

from harness.cases.chrome.suite import CHROME

__all__ = ["CHROME"]
