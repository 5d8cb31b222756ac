"""Asks live Google APIs by a plan, through google-api-python-client, and records the answers."""

from mockserver.errors import require_extra

require_extra(
    "capture-google",
    "captures of plans need",
    {"googleapiclient": "google-api-python-client", "vcr": "vcrpy"},
)

from mockserver.capture.google.capture import (  # noqa: E402  (it imports what may be missing)
    CallResult,
    Credentials,
    PlanStep,
    PreparedCapture,
    authorize,
    call_failures,
    call_summary,
    describe_plan,
    prepare_capture,
    run_capture,
)

__all__ = [
    "CallResult",
    "Credentials",
    "PlanStep",
    "PreparedCapture",
    "authorize",
    "call_failures",
    "call_summary",
    "describe_plan",
    "prepare_capture",
    "run_capture",
]
