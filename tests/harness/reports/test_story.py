from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import (
    CheckResult,
    ForkOrigin,
    ForkPoint,
    HeldRecords,
    ReferenceCall,
    ReferenceTurn,
    TrialDecision,
    TrialRecord,
    TrialStatus,
)
from harness.reports.story import (
    Compared,
    Passing,
    Story,
    departure_text,
    explain,
    first_difference,
    passing_trials,
    story_text,
)
from mockserver.model import Journal
from tests.harness.records import call, case, case_decision, entry, record, reply, trial

FAILED = TrialDecision(
    case="C-1",
    number=1,
    status="fail",
    reason="server state",
    checks=(CheckResult(kind="server_state", status="fail", reason="order is open"),),
)


def story_of(failed: TrialRecord, *passed: TrialRecord, **facts: Any) -> Story:
    held = [Passing(each, Compared(kind="run", run="r1", trial=2)) for each in passed]
    return explain(case(**facts), failed, FAILED, held)


def asked(*steps: tuple[str, int, str], text: str = "done") -> TrialRecord:
    """A trial whose agent reports nothing: method, status and answer of each request."""
    entries = tuple(
        entry(method, seq, status=status, response_ref=answer, body={"of": method})
        for seq, (method, status, answer) in enumerate(steps, start=1)
    )
    bodies = {answer: answer for _, _, answer in steps}
    return record(text, session="s1", journal=Journal(entries=entries, bodies=bodies))


LIST, GET = ("orders.list", 200, "two orders"), ("orders.get", 200, "open")
PATCH = ("orders.patch", 200, "cancelled")


@pytest.mark.parametrize(
    ("failed", "passed", "same", "departure", "witness", "expected", "actual"),
    [
        (asked(LIST), asked(LIST, PATCH), 1, "missing", "requests", "PATCH?", "answer"),
        (asked(LIST, GET, PATCH), asked(LIST, PATCH), 1, "extra", "requests", "PATCH?", "GET?"),
        (asked(LIST, GET), asked(LIST, PATCH), 1, "other", "requests", "PATCH?", "GET?"),
        (asked(LIST, ("orders.patch", 503, "no")), asked(LIST, PATCH), 1, "outcome", "requests",
         "PATCH?", "PATCH?"),
        (asked(LIST, text="open"), asked(LIST), 1, "answer", "answer", "answer", "answer"),
        (asked(LIST), asked(LIST), 2, None, None, None, None),
        (asked(LIST, GET, GET), asked(LIST, GET, PATCH), 2, "other", "requests", "PATCH?", "GET?"),
        (record("ok", "more"), record("ok"), 1, "extra", "answer", None, "answer"),
        (record("ok"), record("ok", "more"), 1, "missing", "answer", "answer", None),
        (record(reply("ok", call("look", id=2))), record(reply("ok", call("look", id=1))), 0,
         "arguments", "tool calls", "look", "look"),
    ],
)  # fmt: skip
def test_a_trial_leaves_the_path_of_one_that_passed(
    failed: TrialRecord, passed: TrialRecord, same: int, departure: Any, witness: Any,
    expected: Any, actual: Any,
) -> None:  # fmt: skip
    found = story_of(failed, passed)
    names = {"PATCH?": "GET orders.patch", "GET?": "GET orders.get"}
    shown = [each and each.name for each in (found.expected, found.actual)]
    assert (found.same_steps, found.departure, found.witness, shown) == (
        same, departure, witness, [names.get(each, each) for each in (expected, actual)],
    )  # fmt: skip


def test_the_story_says_what_was_seen() -> None:
    failed = asked(("orders.list", 200, "no order"), ("orders.patch", 404, "not found"))
    found = story_of(failed, asked(LIST, PATCH))
    assert found.sign is not None
    assert found.before is not None
    assert (found.sign.saw, found.before.name) == ("no order", "GET orders.list")
    assert story_text(found) == (
        "C-1 trial 1 of run r1: fail\n"
        "  server state\n"
        "\n"
        "Compared with trial 2 of this run, which passed.\n"
        "The first step is the same; they part at step 2: the same step, and it ended otherwise."
        " Shown by the requests that the server saw.\n"
        '  expected     GET orders.patch {"body":{"of":"orders.patch"}} > 200 state\n'
        '  actual       GET orders.patch {"body":{"of":"orders.patch"}} > 404 state\n'
        "  it saw       404 state not found\n"
        "  instead of   200 state cancelled\n"
        "  seen before  GET orders.list 200 state: no order\n"
        "  earlier      step 1, GET orders.list, was answered otherwise than in the trial that"
        " passed: no order\n"
        "  failed       server state: order is open\n"
    )


def test_an_answer_is_told_in_one_line() -> None:
    text = story_text(story_of(asked(LIST, text="open\nstill"), asked(LIST)))
    assert '  expected     the answer "done"\n  actual       the answer "open still"\n' in text
    assert "they part at step 2, turn 1: the same steps, and another answer" in text
    more = story_text(story_of(record("ok", "more"), record("ok")))
    assert '  expected  nothing more\n  actual    the answer "more"\n' in more
    assert "they part at step 2, turn 2: the trial did something more" in more


@pytest.mark.parametrize(
    ("turn", "reason", "told"),
    [
        (None, "it is open", "server state: it is open"),
        (None, "server state: it is open", "server state: it is open"),
        (2, "it is open", "server state (turn 2): it is open"),
        (2, "server state: it is open", "server state (turn 2): server state: it is open"),
    ],
)
def test_a_check_is_named_once(turn: int | None, reason: str, told: str) -> None:
    check = CheckResult(kind="server_state", status="fail", reason=reason, turn=turn)
    failed = FAILED.model_copy(update={"checks": (check,)})
    assert explain(case(), asked(LIST), failed).checks == (told,)


def test_the_trial_that_goes_along_longest_is_compared() -> None:
    far, near = asked(GET, PATCH), asked(LIST, PATCH)
    held = [Passing(each, Compared(kind="baseline", run="r0", trial=number))
            for number, each in enumerate((far, near), start=1)]  # fmt: skip
    found = explain(case(), asked(LIST, GET), FAILED, held)
    assert found.compared == Compared(kind="baseline", run="r0", trial=2)
    assert "compared with trial 2 of the baseline r0" in story_text(found)


def test_the_reference_stands_in_where_no_trial_passed() -> None:
    turn = ReferenceTurn(calls=(ReferenceCall(name="look", args={"id": 1}),), answer="yes")
    found = story_of(record(reply("yes", call("look", id=3))), reference=(turn,))
    assert (found.compared.kind, found.departure) == ("reference", "arguments")
    assert found.difference == "id is 3, expected 1"
    seen = asked(("tools.look", 200, "x"), text="yes")
    assert story_of(seen, reference=(turn,)).departure == "arguments"


def test_without_anything_to_compare_the_expectations_are_the_story() -> None:
    found = story_of(asked(LIST))
    text = story_text(found)
    assert (found.compared.kind, found.departure, departure_text(found)) == (
        "expectations", None, "",
    )  # fmt: skip
    assert "No trial of this case that passed is known, and the case has no reference" in text
    assert "failed       server state: order is open" in text


def test_a_trial_that_passed_needs_no_story() -> None:
    found = explain(case(), asked(LIST), trial("pass"))
    assert story_text(found) == ("C-1 trial 1 of run r1: pass; there is nothing to explain\n")


@pytest.mark.parametrize("status", ["pass", "fail"])
def test_the_story_of_a_fork_names_its_origin(status: TrialStatus) -> None:
    point = ForkPoint(origin=ForkOrigin(run="r", case="C-1", number=2, turn=3, model="m"))
    found = explain(case(), record("done", fork=point), trial(status))
    assert story_text(found).splitlines()[1] == "  fork of r/C-1/2 from turn 3: m"


def test_moments_and_ids_of_the_trial_make_no_difference() -> None:
    one = record(reply("at 2026-11-20T09:00:00Z", call("look", at="2026-11-20T09:00:00Z")))
    other = record(reply("at 2026-11-21T10:30:00Z", call("look", at="2026-11-21T10:30:00Z")))
    assert story_of(one, other).departure is None


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a[1].b is 3, expected 2"),
        ({"a": 1}, {"a": 1, "b": 2}, "b is 2, expected nothing"),
        ([1], [1, 2], "it is [1,2], expected [1]"),
        ([1], [1], ""),
    ],
)
def test_the_first_difference_is_named(expected: Any, actual: Any, text: str) -> None:
    assert first_difference(expected, actual) == text


VALUES = st.recursive(
    st.integers(0, 2) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=5,
)


@given(VALUES, VALUES)
def test_values_differ_exactly_where_a_difference_is_named(one: Any, other: Any) -> None:
    assert (first_difference(one, other) == "") == (one == other)


def test_passing_trials_are_those_whose_records_are_there() -> None:
    decided = case_decision("C-1", ["pass", "fail", "pass"])
    held = HeldRecords((record("a", number=1), record("b", number=2)))
    found = list(passing_trials(decided, held, "run", "r1"))
    assert [each.compared.trial for each in found] == [1]
