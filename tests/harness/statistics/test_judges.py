import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.judges import corrected_rate, judge_agreement, kappa

PAIRS = [(True, True)] * 40 + [(True, False)] * 10 + [(False, False)] * 24 + [(False, True)] * 6


def test_golden_values() -> None:
    """statistics.md 10, checked by hand: TPR 40/50, TNR 24/30, kappa and the corrected rate"""
    found = judge_agreement(PAIRS, (60, 100), seed=1)
    assert (found.positives, found.negatives) == (50, 30)
    assert [round(value, 4) for value in found.tpr] == [0.8, 0.6696, 0.8876]
    assert [round(value, 4) for value in found.tnr] == [0.8, 0.6269, 0.9049]
    assert found.kappa == pytest.approx((0.5844, 0.394, 0.756), abs=0.001)
    assert found.corrected == pytest.approx((0.6667, 0.435, 0.899), abs=0.001)
    assert (found.true_positive, found.true_negative) == (40, 24)
    assert found == judge_agreement(PAIRS, (60, 100), seed=1)


def test_agreement_of_a_judge_that_always_says_yes_is_worth_nothing() -> None:
    """Pitfall 10: 96.6 % agreement, kappa 0"""
    pairs = [(True, True)] * 86 + [(False, True)] * 3
    found = judge_agreement(pairs, (89, 89))
    assert found.kappa[0] == pytest.approx(0)
    assert found.tnr[0] == 0
    assert found.corrected is None


def test_without_either_kind_of_label_nothing_is_known() -> None:
    for pairs in ([], [(True, True)], [(False, False)]):
        with pytest.raises(ValueError, match="items that fail"):
            judge_agreement(pairs, (1, 1))


def test_a_perfect_judge_needs_no_correction() -> None:
    found = judge_agreement([(True, True)] * 5 + [(False, False)] * 5, (7, 10))
    assert found.kappa[0] == 1
    assert found.corrected is not None
    assert found.corrected[0] == pytest.approx(0.7)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_kappa_is_at_most_one(pairs: list[tuple[bool, bool]]) -> None:
    assert -1 <= kappa(pairs) <= 1


@given(st.floats(0, 1), st.floats(0.51, 1), st.floats(0.51, 1))
def test_a_corrected_rate_is_a_rate(measured: float, tpr: float, tnr: float) -> None:
    found = corrected_rate(measured, tpr, tnr)
    assert found is not None
    assert 0 <= found <= 1
