from harness.model import CheckResult
from harness.reports.html.trials import MOST_ENTRIES, trial_view
from mockserver.model import Journal
from tests.harness.records import case, entry, record, trial


def test_what_failed_comes_first() -> None:
    checks = (
        CheckResult(kind="evidence", status="pass"),
        CheckResult(kind="tool_calls", status="fail", numbers={"alignment": [], "f1": 0.5}),
        CheckResult(kind="budget", status="not_evaluated"),
    )
    view = trial_view(case(), trial("fail", checks=checks), None)
    assert [each.result.kind for each in view.checks] == ["tool_calls", "budget", "evidence"]
    assert view.checks[0].numbers == {"f1": 0.5}
    assert (view.requests, view.changes, view.more_requests) == ((), (), 0)


def test_a_long_journal_is_cut_and_answers_are_found() -> None:
    entries = tuple(
        entry("directory.users.list", number, response_ref="r1" if number == 1 else "")
        for number in range(1, MOST_ENTRIES + 4)
    )
    seen = record("a", journal=Journal(entries=entries, bodies={"r1": '{"users": []}'}))
    view = trial_view(case(), trial("pass"), seen)
    assert len(view.requests) == MOST_ENTRIES
    assert view.more_requests == 3
    assert [view.requests[0].answer, view.requests[1].answer] == ['{"users": []}', ""]


def test_changes_are_told_one_by_one() -> None:
    diff = {"orgUnits": {"added": {"1": {"name": "A"}}, "removed": {"2": {}}}}
    view = trial_view(case(), trial("pass"), record("a", state_diff=diff))
    assert [(each.what, each.key) for each in view.changes] == [("added", "1"), ("removed", "2")]
