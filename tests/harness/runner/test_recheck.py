import pytest

from harness.errors import HarnessError
from harness.model import Case, TextContains, Turn
from harness.runner import Flip, check_recheckable, find_flips
from tests.harness.records import case, case_decision, manifest

FIRST = case(TextContains(needles=("quota",)))


def test_other_expectations_are_taken_over() -> None:
    now = case(TextContains(needles=("limit",)))
    assert check_recheckable(manifest(["C-1"]), [FIRST], [case(id="C-9"), now]) == (now,)


def test_a_case_that_is_gone_stays_as_it_was() -> None:
    assert check_recheckable(manifest(["C-1"]), [FIRST], []) == (FIRST,)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(FIRST.model_copy(update={"turns": (Turn(user="How?"),)}), id="prompt"),
        pytest.param(FIRST.model_copy(update={"timeout_s": 3.0}), id="time"),
    ],
)
def test_other_inputs_are_refused(now: Case) -> None:
    with pytest.raises(HarnessError, match="cannot be rechecked"):
        check_recheckable(manifest(["C-1"]), [FIRST], [now])


def test_what_flips_is_told_with_its_trials() -> None:
    before = [case_decision("A", ["pass", "fail"]), case_decision("B", ["pass"])]
    after = [case_decision("A", ["pass", "pass"]), case_decision("B", ["pass"])]
    assert find_flips(before, after) == (Flip("A", "flaky", "passed", (2,), ""),)


def test_a_trial_may_flip_below_a_verdict_that_does_not() -> None:
    before = [case_decision("A", ["fail", "fail", "pass"])]
    after = [case_decision("A", ["fail", "pass", "fail"])]
    assert [(flip.after, flip.trials) for flip in find_flips(before, after)] == [("flaky", (2, 3))]


def test_nothing_flips_where_nothing_was_decided() -> None:
    assert find_flips(None, [case_decision("A", ["pass"])]) == ()
