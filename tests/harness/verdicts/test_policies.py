import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import Policy
from harness.statistics import pass_hat_k
from harness.verdicts import decide_case
from harness.verdicts.decisions import holds, too_few
from tests.harness.records import case, trial

THREE = Policy(pass_hat=3, min=0.7)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_pass_hat_is_the_unbiased_estimate(valid: int, k: int, data: st.DataObject) -> None:
    """Pass^k of fewer than k trials is undefined, and decides nothing."""
    passed = data.draw(st.integers(0, valid))
    estimate = pass_hat_k(passed, valid, k)
    found = holds(Policy(pass_hat=k, min=0.7), passed, valid)
    assert found == (None if estimate is None else estimate >= 0.7)


def test_a_share_is_no_victim_of_rounding() -> None:
    assert holds(Policy(rate=0.1), 3, 30)


@pytest.mark.parametrize(
    ("policy", "valid", "said"),
    [
        (THREE, 2, "undefined for 2 valid trials"),
        (THREE, 3, ""),
        (THREE, 0, ""),
        (Policy(rate=1), 1, ""),
    ],
    ids=["few", "enough", "none", "other"],
)
def test_too_few_trials_are_told(policy: Policy, valid: int, said: str) -> None:
    assert said in too_few(policy, valid)
    assert bool(said) == bool(too_few(policy, valid))


def test_a_case_with_too_few_valid_trials_says_so() -> None:
    found = decide_case(case(), [trial("pass", 1), trial("infra_error", 2)], THREE)
    assert found.verdict == "inconclusive"
    assert "pass_hat 3" in found.reason
