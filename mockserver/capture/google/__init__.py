"""Asks live Google APIs by a plan, through google-api-python-client, and records the answers."""

from mockserver.capture.google.capture import (
    CallResult,
    Credentials,
    Failures,
    PlanStep,
    PreparedCapture,
    call_failures,
    call_summary,
    describe_plan,
    google_catalog,
    prepare_capture,
    run_capture,
)

__all__ = [
    "CallResult",
    "Credentials",
    "Failures",
    "PlanStep",
    "PreparedCapture",
    "call_failures",
    "call_summary",
    "describe_plan",
    "google_catalog",
    "prepare_capture",
    "run_capture",
]
