"""Reviews for tests: what a service answered, trial by trial."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from harness.model import (
    Case,
    Expectation,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Reply,
    ReviewResults,
    RunResult,
    ServiceStatus,
    TrialRecord,
    Turn,
)
from harness.runner import review_results
from harness.statistics import summarize
from tests.harness.records import decided, manifest, record, reply


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
    known = {
        "case": case,
        "number": number,
        "outcome": outcome,
        "duration_ms": 100.0 * number,
        "agent_ms": 100.0 * number,
    }
    return record(*replies, **(known | facts))


def expecting(id: str, *expectations: Expectation, **facts: Any) -> Case:
    """A case that a review must pass; without a family of errors it must succeed."""
    request = {"content": "x", "standards_set": "naval_v3", "strictness": "medium"}
    refusal = any(isinstance(item, ServiceStatus) for item in expectations)
    success = () if refusal else (ServiceStatus(),)
    known = {"id": id, "turns": (Turn(user="{}"),), "request": request}
    return Case(**(known | facts | {"expect": (*success, *expectations)}))


def counted(*counts: int | None, case: str) -> list[TrialRecord]:
    """Trials with so many observations; None is one that the service did not answer."""
    return [
        trial(case, number, None if count is None else review(*[observation()] * count))
        for number, count in enumerate(counts, start=1)
    ]


def decided_review(cases: Sequence[Case], records: Iterable[TrialRecord], **more: Any) -> RunResult:
    asked = manifest([case.id for case in cases], **more)
    result = decided(asked, cases, records)
    told = {"statistics": summarize(result.decisions, result.facts)}
    return result.model_copy(update=told)


def results_of(cases: Sequence[Case], records: Iterable[TrialRecord], **more: Any) -> ReviewResults:
    return review_results(decided_review(cases, records, **more))


PUBLISHED = (
    expecting("case_01", ObservationCount(min=0, max=3)),
    expecting(
        "case_04",
        ObservationCount(min=1, max=6),
        ObservationSeverity(severity="warning"),
        ObservationRef(ref="NAV-TR-3.1.1"),
    ),
    expecting("case_06", ObservationCount(min=0, max=5)),
    expecting("case_07", ServiceStatus(family="client_error", code="EMPTY_CONTENT")),
)


def published_records() -> list[TrialRecord]:
    """Counts as the original runner published them: it looked at the first repeat alone."""
    return [
        *counted(2, 2, 4, case="case_01"),
        *counted(7, 3, 5, case="case_04"),
        *(
            trial("case_06", number, time_limit_ms=60_000.0, error="no reply within 60 s")
            for number in (1, 2, 3)
        ),
        *(trial("case_07", number, refusal(), agent_ms=3.0) for number in (1, 2, 3)),
    ]
