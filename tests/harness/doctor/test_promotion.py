import pytest

from harness.doctor import promoted_trial, regression_case
from harness.errors import HarnessError
from harness.model import Fixtures, ReferenceTurn, TextContains, ToolCalls, TrialDecision, Turn
from mockserver.model import Journal
from tests.harness.records import call, case, entry, record, reply

FAILED = TrialDecision(case="C-1", number=2, status="fail", reason="not found")
DECIDED = [TrialDecision(case="C-1", number=1, status="pass"), FAILED]
ASKED = case(
    TextContains(needles=("a",)), tags=("units",), fixtures=Fixtures(overrides=("X",), seed=4)
)


def test_the_first_trial_that_failed_is_taken() -> None:
    assert promoted_trial(DECIDED, None) == promoted_trial(DECIDED, 2) == FAILED
    with pytest.raises(HarnessError, match=r"no trial 1 that failed \(failed: 2\)"):
        promoted_trial(DECIDED, 1)
    with pytest.raises(HarnessError, match="--why says what was wrong"):
        promoted_trial(DECIDED[:1], None)


def test_where_it_is_said_what_was_wrong_the_verdict_does_not_matter() -> None:
    assert promoted_trial(DECIDED, 1, "refunded twice") == DECIDED[0]
    made = regression_case(ASKED, DECIDED[0], id="R", run="r1", why="refunded twice")
    assert made.notes == {"Why": "refunded twice"}


def test_a_regression_asks_and_expects_the_same_in_a_world_of_its_own() -> None:
    """CEP-62: a bug that must not regress."""
    made = regression_case(ASKED, FAILED, id="C-1-regression", run="r1")
    assert (made.id, made.tags) == ("C-1-regression", ("units", "regression"))
    assert (made.turns, made.expect) == (ASKED.turns, ASKED.expect)
    assert made.fixtures == Fixtures(overrides=("C-1-regression",), base=False, seed=4)
    assert made.source_refs == ("run r1, C-1 trial 2",)
    assert made.notes["Regression"] == "not found"
    assert made.reference == ()


def test_a_trial_that_passed_gives_reference_and_tool_calls() -> None:
    good = record(
        reply("a", call("look", unit="x"), call("own")),
        journal=Journal(entries=(entry("tools.look"),)),
    )
    made = regression_case(ASKED, FAILED, id="R", run="r1", good=good)
    (turn,) = made.reference
    assert ([each.name for each in turn.calls], [each.name for each in turn.reports]) == (
        ["look"], ["own"],
    )  # fmt: skip
    assert (turn.calls[0].args, turn.answer) == ({"unit": "x"}, "a")
    tools = made.expect[-1]
    assert isinstance(tools, ToolCalls)
    assert [each.name for each in tools.calls] == ["look", "own"]


def test_an_own_reference_and_expected_calls_are_kept() -> None:
    own = case(ToolCalls(), reference=(ReferenceTurn(answer="b"),))
    made = regression_case(own, FAILED, id="R", run="r1", good=record("a"))
    assert (made.reference, made.expect) == (own.reference, own.expect)


def test_turns_are_told_apart_and_half_a_trial_is_no_reference() -> None:
    several = case(turns=(Turn(user="one"), Turn(user="two")))
    good = record(reply("a", "look"), reply("b", turn=2))
    made = regression_case(several, FAILED, id="R", run="r1", good=good)
    assert [item.turn for item in made.expect] == [1]
    assert regression_case(several, FAILED, id="R", run="r1", good=record("a")).reference == ()
