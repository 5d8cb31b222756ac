from typing import Any

from harness.checks import check
from harness.model import CheckResult, ExpectedCall, ToolCall, ToolCalls
from harness.reports.html.alignments import aligned
from tests.harness.records import call, entry, record, reply, seen


def rows(expectation: ToolCalls, *said: Any, **facts: Any) -> list[tuple[str, str, str, str]]:
    trial = record(*said, **facts)
    found = aligned(check(trial, expectation), trial)
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
    (row,) = aligned(check(trial, expectation), trial)
    assert (row.args, row.place) == ({"id": "7"}, "turn 2")


def test_calls_that_only_the_server_saw_are_told_by_name() -> None:
    trial = seen(entry("tools.list"))
    (row,) = aligned(check(trial, ToolCalls(calls=(ExpectedCall(name="list"),))), trial)
    assert (row.actual, row.args, row.tone) == ("list", None, "good")


def test_a_check_without_an_alignment_has_no_rows() -> None:
    assert aligned(CheckResult(kind="evidence", status="pass"), None) == ()
