from harness.model import Attempt, HeldRecords
from harness.reports.console import console_report
from harness.reports.json_report import report_of
from harness.reports.markdown import markdown_report
from harness.reports.retrying import retries
from tests.harness.records import case_decision, record, result


def attempts(*numbers: int) -> tuple[Attempt, ...]:
    return tuple(Attempt(turn=1, number=number) for number in numbers)


def test_every_retry_is_shown_with_its_case() -> None:
    """Pitfall 13: retries hide instability where nobody sees them."""
    records = (
        record("fine", case="A", attempts=attempts(1, 2, 3)),
        record(case="A", number=2, outcome="infra_error", attempts=attempts(1, 2)),
        record("fine", case="B", attempts=attempts(1)),
    )
    decisions = (case_decision("A", ["pass", "infra_error"]), case_decision("B", ["pass"]))
    made = result(*decisions, records=HeldRecords(records))
    assert retries(made) == {"A": 3}
    assert report_of(made)["summary"]["retries"] == {"A": 3}
    assert "retried: A 3x" in console_report(made)
    assert "- Retried: A 3x" in markdown_report(made)


def test_a_trial_that_was_never_tried_has_no_retries() -> None:
    skipped = record(case="A", outcome="infra_error")
    made = result(case_decision("A", ["infra_error"]), records=HeldRecords((skipped,)))
    assert retries(made) == {}
