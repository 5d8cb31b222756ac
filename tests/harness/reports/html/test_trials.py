from typing import Any

import pytest

from harness.checks import check
from harness.model import (
    CheckResult,
    ExpectedCall,
    Grounding,
    ToolCall,
    ToolCalls,
    TrialRecord,
)
from harness.reports.html.templates import page_templates
from harness.reports.html.trials import (
    GroundingView,
    Segment,
    align_calls,
    grounding_view,
    mark_quotations,
    trial_view,
)
from mockserver.model import Journal
from tests.harness.records import call, case, entry, record, reply, seen, trial


def test_checks_stand_in_the_order_of_the_case() -> None:
    checks = (
        CheckResult(kind="evidence", status="pass"),
        CheckResult(kind="tool_calls", status="fail", numbers={"alignment": [], "f1": 0.5}),
    )
    view = trial_view(case(), trial("fail", checks=checks), None)
    assert [each.result.kind for each in view.checks] == ["evidence", "tool_calls"]
    assert view.checks[1].numbers == {"f1": 0.5}
    assert (view.timeline, view.changes, view.grounding) == (None, (), None)


def test_changes_are_told_one_by_one() -> None:
    diff = {"orgUnits": {"added": {"1": {"name": "A"}}, "removed": {"2": {}}}}
    view = trial_view(case(), trial("pass"), record("a", state_diff=diff))
    assert [(each.what, each.key) for each in view.changes] == [("added", "1"), ("removed", "2")]


def rows(expectation: ToolCalls, *said: Any, **facts: Any) -> list[tuple[str, ...]]:
    trial = record(*said, **facts)
    found = align_calls(check(trial, expectation), expectation, trial)
    return [(row.expected, row.sign, row.actual, row.reason, row.tone) for row in found]


def test_pairs_misses_and_extras_stand_side_by_side() -> None:
    expectation = ToolCalls(
        mode="exact", calls=(ExpectedCall(name="list"), ExpectedCall(name="get", args={"id": "1"}))
    )
    found = rows(expectation, reply("done", call("list"), call("get", id="2"), call("drop")))
    assert found[0] == ("list", "=", "list", "", "good")
    assert found[1] == ("get", "≠", "get", "args.id", "bad")
    assert ("", "+", "drop", "extra", "bad") in found


def test_what_does_no_harm_is_no_alarm() -> None:
    expectation = ToolCalls(calls=(ExpectedCall(name="list", optional=True),))
    assert rows(expectation, reply("done")) == [("list", "-", "", "optional", "soft")]


def test_arguments_are_those_of_the_turn() -> None:
    expectation = ToolCalls(calls=(ExpectedCall(name="get"),), turn=2)
    later = ToolCall(name="get", args={"id": "7"}, turn=2)
    trial = record(reply("a", call("other"), turn=1), reply("b", later, turn=2))
    (row,) = align_calls(check(trial, expectation), expectation, trial)
    assert (row.args, row.place) == ({"id": "7"}, "turn 2")


def test_calls_that_only_the_server_saw_are_told_by_name() -> None:
    trial = seen(entry("tools.list"))
    expectation = ToolCalls(calls=(ExpectedCall(name="list"),))
    (row,) = align_calls(check(trial, expectation), expectation, trial)
    assert (row.actual, row.args, row.tone) == ("list", None, "good")


def test_a_check_without_an_alignment_has_no_rows() -> None:
    assert align_calls(CheckResult(kind="evidence", status="pass"), None, None) == ()


def served(answer: str, body: str = '{"id": "C0123abcd"}', **facts: Any) -> TrialRecord:
    entries = (entry("directory.users.get", response_ref="r", response_bytes=9),)
    journal = Journal(entries=entries, bodies={"r": body})
    return record(answer, session="s1", journal=journal, **facts)


ORIGINS = {"C0123abcd": "request 1: directory.users.get"}


def test_quotations_are_told_apart_by_their_source() -> None:
    found = grounding_view(case(), served("C0123abcd and D9876zyxw"))
    assert found == GroundingView(
        frozenset({"C0123abcd"}), ("D9876zyxw",), required=False, origins=ORIGINS
    )


@pytest.mark.parametrize(
    ("rules", "trial_record", "expected"),
    [
        pytest.param((), record("C0123abcd"), None, id="no session"),
        pytest.param((), served("No codes."), None, id="nothing quoted"),
        pytest.param(
            (Grounding(allow=("d9*",)),),
            served("D9876zyxw C0123abcd"),
            GroundingView(frozenset({"C0123abcd"}), (), required=True, origins=ORIGINS),
            id="what needs no source is not marked",
        ),
        pytest.param((Grounding(turn=2),), served("D9876zyxw"), None, id="another turn"),
    ],
)
def test_grounding_follows_the_rules_of_the_case(
    rules: tuple[Grounding, ...], trial_record: TrialRecord, expected: GroundingView | None
) -> None:
    assert grounding_view(case(*rules), trial_record) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Is C0123abcd, not D9876zyxw.",
            [
                Segment("Is "),
                Segment("C0123abcd", "served"),
                Segment(", not "),
                Segment("D9876zyxw", "unserved"),
                Segment("."),
            ],
        ),
        ("xC0123abcd", [Segment("xC0123abcd")]),
        ("Bearer C0123abcd", [Segment("[redacted]")]),
    ],
)
def test_quotations_are_marked_where_they_stand(text: str, expected: list[Segment]) -> None:
    found = GroundingView(frozenset({"C0123abcd"}), ("D9876zyxw",), required=False)
    assert list(mark_quotations(text, found)) == expected


def test_expected_arguments_stand_beside_those_of_the_call() -> None:
    """A finding on tampering stands before the checks of the case."""
    expectation = ToolCalls(calls=(ExpectedCall(name="get", args={"id": "1"}),))
    told = record(reply("done", call("get", id="2")))
    checks = (CheckResult(kind="tampering", status="fail"), check(told, expectation))
    view = trial_view(case(expectation), trial("fail", checks=checks), told)
    (row,) = view.checks[1].alignment
    assert (row.expected_args, row.args) == ({"id": "1"}, {"id": "2"})


def test_the_witnesses_stand_side_by_side_on_the_page() -> None:
    told = record(
        reply("Done.", call("cancel", status="ok", order="A1"), call("refund")),
        session="s1",
        journal=Journal(entries=(entry("tools.cancel", body={"order": "A1"}, status=409),)),
    )
    view = trial_view(case(), trial("pass"), told)
    page = page_templates("harness.reports.html").get_template("trial.html").render(view=view)
    assert '<th scope="col">Agent says</th><th scope="col">Server sees</th>' in page
    assert "said to have gone well, but it failed: &#39;cancel&#39;" in page
    assert "the case does not ask for it" in page
    assert trial_view(case(), trial("pass"), record("x")).witnesses is None


def test_a_row_that_nobody_can_compare_does_not_stand_below_agreement() -> None:
    told = record(
        reply("Booked.", call("book_flight")),
        session="s1",
        journal=Journal(entries=(entry("flights.book"),)),
    )
    view = trial_view(case(), trial("pass"), told)
    page = page_templates("harness.reports.html").get_template("trial.html").render(view=view)
    assert "They agree" not in page
    assert "no rule says which request `book_flight` makes" in page
    assert '<span class="soft">no rule says</span>' in page
