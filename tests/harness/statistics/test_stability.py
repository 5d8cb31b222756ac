import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.stability import (
    Items,
    agreement,
    first_run_stability,
    share_of_equal,
    stability,
)

ITEMS = st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 2)), max_size=4)
A, B = ("A", 1), ("B", 1)


@pytest.mark.parametrize(
    ("trials", "value"),
    [
        ([[A], []], 0.0),
        ([[], []], None),
        ([], None),
        ([[A], [B]], 0.0),
        ([[A, A], [A]], 0.5),
        ([[A], [A], [("A", 2)]], 1 / 3),
        ([[A, B], [B, A]], 1.0),
    ],
)
def test_what_is_missing_counts_as_disagreement(trials: list[Items], value: float | None) -> None:
    """Pitfall 2, CSRR-04, CSRR-05."""
    assert stability(trials).value == (None if value is None else pytest.approx(value))


def test_numerator_and_denominator_are_told() -> None:
    found = stability([[A, B], [A], []])
    assert (found.numerator, found.denominator, found.label) == (1, 5, "problem")


@given(ITEMS, ITEMS)
def test_agreement_is_symmetric_and_bounded(one: Items, other: Items) -> None:
    same, total = agreement(one, other)
    assert agreement(other, one) == (same, total)
    assert 0 <= same <= total


@given(ITEMS)
def test_a_trial_agrees_with_itself(items: Items) -> None:
    assert stability([items, list(reversed(items))]).value in {1.0, None}


def test_equal_answers_are_counted_in_pairs() -> None:
    assert share_of_equal(["a", "a", "a"]).label == "ideal"
    assert share_of_equal(["a"]).value is None


def test_the_original_number_calls_what_cannot_be_compared_stable() -> None:
    """CSRR-04: kept beside ours, and why it is not ours."""
    assert first_run_stability([]) == first_run_stability([[A], []]) == 1.0
    other = ("A", 2)
    assert first_run_stability([[A], [other], [other], [A, ("B", 1)]]) == 1 / 3
    assert first_run_stability([[A, ("B", 1)], [other, ("B", 1)], [("C", 1)]]) == 1 / 2
