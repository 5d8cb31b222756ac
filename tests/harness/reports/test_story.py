from pathlib import Path
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
    explain,
    first_difference,
    passing_trials,
    story_text,
)
from mockserver.model import Journal, JournalEntry
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


GOLDEN = Path(__file__).with_name("stories.golden.txt")

LIST, GET = ("orders.list", 200, "two orders"), ("orders.get", 200, "open")
PATCH = ("orders.patch", 200, "cancelled")


NESTED = (entry("tools.look", 1), entry("units.list", 2, parent=1))


def served(text: str, entries: tuple[JournalEntry, ...]) -> TrialRecord:
    return record(reply(text, call("look")), session="s1", journal=Journal(entries=entries))


def looked(*turns: str, **args: int) -> TrialRecord:
    first = reply(turns[0], call("look", **args))
    return record(first, *turns[1:])


REFERENCE = (
    ReferenceTurn(calls=(ReferenceCall(name="look", args={"id": 1}),), answer="yes"),
    ReferenceTurn(calls=(ReferenceCall(name="list"),), answer="all"),
)


def _stories() -> dict[str, Story]:
    return {
        "a step is left out": story_of(asked(LIST), asked(LIST, PATCH)),
        "a step more": story_of(asked(LIST, GET, PATCH), asked(LIST, PATCH)),
        "another step": story_of(asked(LIST, GET), asked(LIST, PATCH)),
        "another step later": story_of(asked(LIST, GET, GET), asked(LIST, GET, PATCH)),
        "a step again": story_of(asked(LIST, LIST), asked(LIST, PATCH)),
        "a step not again": story_of(asked(LIST, GET), asked(LIST, LIST)),
        "the first step of all": story_of(asked(GET, LIST), asked(PATCH, LIST)),
        "another outcome": story_of(asked(LIST, ("orders.patch", 503, "no")), asked(LIST, PATCH)),
        "seen otherwise before": story_of(
            asked(("orders.list", 200, "no order"), ("orders.patch", 404, "not found")),
            asked(LIST, PATCH),
        ),
        "another answer": story_of(asked(LIST, text="open\nstill"), asked(LIST)),
        "all the same": story_of(asked(LIST), asked(LIST)),
        "a turn more": story_of(record("ok", "more"), record("ok")),
        "a turn less": story_of(record("ok"), record("ok", "more")),
        "other arguments": story_of(looked("ok", id=2), looked("ok", id=1)),
        "an answer to a reference": story_of(looked("no", id=1), reference=REFERENCE),
        "other arguments than a reference": story_of(looked("yes", id=3), reference=REFERENCE),
        "requests and a reference": story_of(
            asked(("tools.look", 200, "x"), LIST, text="yes"), reference=REFERENCE
        ),
        "a second turn and a reference": story_of(looked("yes", "all", id=1), reference=REFERENCE),
        "what the server asked itself": story_of(served("no", NESTED), served("yes", NESTED[:1])),
        "nothing to compare": story_of(asked(LIST, GET)),
        "nothing done": story_of(record(case="C-1")),
    }


def test_stories_are_told_as_is_written_down() -> None:
    """`python -m tests.harness.reports.test_story` writes them anew."""
    assert _told() == GOLDEN.read_text(encoding="utf-8")


def _told() -> str:
    return "\n".join(f"# {name}\n{story_text(each)}" for name, each in _stories().items())


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


if __name__ == "__main__":
    GOLDEN.write_text(_told(), encoding="utf-8")
