"""Asks live Google APIs by a plan, through google-api-python-client, and records the answers."""

from mockserver.capture.google.capturing import (
    Credentials,
    Prepared,
    capture,
    google_catalog,
    planned_lines,
    prepare,
)
from mockserver.capture.google.running import Done, Step
from mockserver.capture.google.summing import Failures, failures, summary

__all__ = [
    "Credentials",
    "Done",
    "Failures",
    "Prepared",
    "Step",
    "capture",
    "failures",
    "google_catalog",
    "planned_lines",
    "prepare",
    "summary",
]
