"""Answers that a session is told to fail with."""

from typing import Literal

from pydantic import Field

from mockserver.model.values import Frozen


class Fault(Frozen):
    """One fault: which method, how, how often.

    Attributes:
        method: A method id (`reports.activities.list`, `tools.enrollBrowser`) or a glob
            (`directory.*`).
        status: The HTTP status it answers with. None delays the call and lets it through.
        reason: The API's reason (`rateLimitExceeded`, `authError`); derived from the status when
            empty.
        message: The API's message; derived from status and reason when empty.
        times: How many calls it meets, or `always`.
        latency_ms: How long the answer is held back, in milliseconds.
        origin: Where it was written down (`errors.chromeEvents`, `faults[0]`, `control`).
    """

    method: str = Field(min_length=1, max_length=200)
    status: int | None = Field(default=None, ge=400, le=599)
    reason: str = ""
    message: str = ""
    times: int | Literal["always"] = "always"
    latency_ms: float = Field(default=0, ge=0, le=600_000)
    origin: str = ""


class FaultReport(Frozen):
    """What became of one fault in a session.

    Attributes:
        fault: The fault.
        met: How many calls it met.
    """

    fault: Fault
    met: int
