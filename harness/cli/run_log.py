"""Lines of a run's log, a trial each: for people, or as objects for programs."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal

import orjson

from harness.model import TrialDecision, TrialRecord

if TYPE_CHECKING:
    from mockserver.redaction import Redactor

LogFormat = Literal["text", "json"]
TrialLine = Callable[[TrialRecord, TrialDecision], str]

_KEY = b"a log is no recording: its pseudonyms join nothing"


def text_line(record: TrialRecord, decision: TrialDecision) -> str:
    """A trial as people read it: case, number, status, duration, and below it what failed."""
    said = f"{record.case} #{record.number} {decision.status} {record.duration_ms:.0f} ms"
    retried = _retries(record)
    said += f", retried {retried}x" if retried else ""
    return "\n    ".join([said, *filter(None, [record.error, *_reasons(decision)])])


def json_line(record: TrialRecord, decision: TrialDecision) -> str:
    """A trial as programs read it: one object, its texts without secrets."""
    redact = _redactor().redact_text
    return orjson.dumps(
        {
            "time": record.started_at,
            "event": "trial",
            "case": record.case,
            "trial": record.number,
            "status": decision.status,
            "duration_ms": round(record.duration_ms, 3),
            "retries": _retries(record),
            "error": redact(record.error),
            "reasons": [redact(each) for each in _reasons(decision)],
        }
    ).decode()


LINES: dict[LogFormat, TrialLine] = {"text": text_line, "json": json_line}


def _retries(record: TrialRecord) -> int:
    return max(0, len(record.attempts) - len({attempt.turn for attempt in record.attempts}))


def _reasons(decision: TrialDecision) -> list[str]:
    return [check.reason for check in decision.checks if check.status == "fail"]


@cache
def _redactor() -> "Redactor":
    from mockserver.redaction import Redactor, RuleSet

    return Redactor(RuleSet.default(), _KEY)
