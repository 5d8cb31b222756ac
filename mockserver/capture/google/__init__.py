"""Asks live Google APIs by a plan, through google-api-python-client, and records the answers."""

from mockserver.capture.google.capture import (
    CallResult,
    Credentials,
    Failures,
    PlanStep,
    PreparedCapture,
    capture,
    describe_plan,
    failures,
    google_catalog,
    prepare,
    summary,
)

__all__ = [
    "CallResult",
    "Credentials",
    "Failures",
    "PlanStep",
    "PreparedCapture",
    "capture",
    "describe_plan",
    "failures",
    "google_catalog",
    "prepare",
    "summary",
]
