"""Reviews for tests: what a service answered, trial by trial."""

import json
from typing import Any

from harness.model import Reply, TrialRecord
from tests.harness.records import record, reply


def observation(ref: str = "NAV-TR-3.1.1", severity: str = "warning", span: str = "x") -> Any:
    return {"standard_ref": ref, "severity": severity, "span": span, "message": "m"}


def review(*observations: Any, status: int = 200) -> Reply:
    body = {"standards_set": "naval_v3", "strictness": "medium", "observations": [*observations]}
    return answer(body, status)


def answer(body: Any, status: int = 200) -> Reply:
    return reply(json.dumps(body), http_status=status, data=body)


def refusal(code: str = "EMPTY_CONTENT", status: int = 422) -> Reply:
    return answer({"error": {"code": code, "message": "no"}}, status)


def trial(case: str, number: int, made: Reply | None = None, **facts: Any) -> TrialRecord:
    replies = [] if made is None else [made]
    outcome = "infra_error" if made is None else "replied"
    known = {"case": case, "number": number, "outcome": outcome, "duration_ms": 100.0 * number}
    return record(*replies, **(known | facts))
