from typing import Any

from harness.checks import check
from harness.model import CheckResult, ExpectedCall, ToolCall, ToolCalls
from harness.reports.html.trials import MOST_ENTRIES, align_calls, trial_view
from mockserver.model import Journal
from tests.harness.records import call, case, entry, record, reply, seen, trial


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


def rows(expectation: ToolCalls, *said: Any, **facts: Any) -> list[tuple[str, str, str, str]]:
    trial = record(*said, **facts)
    found = align_calls(check(trial, expectation), trial)
    return [(row.expected, row.actual, row.reason, row.tone) for row in found]


def test_pairs_misses_and_extras_stand_side_by_side() -> None:
    expectation = ToolCalls(
        mode="exact", calls=(ExpectedCall(name="list"), ExpectedCall(name="get", args={"id": "1"}))
    )
    found = rows(expectation, reply("done", call("list"), call("get", id="2"), call("drop")))
    assert found[0] == ("list", "list", "", "good")
    assert found[1] == ("get", "get", "args.id", "bad")
    assert ("", "drop", "extra", "bad") in found


def test_what_does_no_harm_is_no_alarm() -> None:
    expectation = ToolCalls(calls=(ExpectedCall(name="list", optional=True),))
    assert rows(expectation, reply("done")) == [("list", "", "optional", "soft")]


def test_arguments_are_those_of_the_turn() -> None:
    expectation = ToolCalls(calls=(ExpectedCall(name="get"),), turn=2)
    later = ToolCall(name="get", args={"id": "7"}, turn=2)
    trial = record(reply("a", call("other"), turn=1), reply("b", later, turn=2))
    (row,) = align_calls(check(trial, expectation), trial)
    assert (row.args, row.place) == ({"id": "7"}, "turn 2")


def test_calls_that_only_the_server_saw_are_told_by_name() -> None:
    trial = seen(entry("tools.list"))
    (row,) = align_calls(check(trial, ToolCalls(calls=(ExpectedCall(name="list"),))), trial)
    assert (row.actual, row.args, row.tone) == ("list", None, "good")


def test_a_check_without_an_alignment_has_no_rows() -> None:
    assert align_calls(CheckResult(kind="evidence", status="pass"), None) == ()
