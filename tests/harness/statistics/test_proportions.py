import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.proportions import (
    check_counts,
    clopper_pearson,
    pass_at_k,
    pass_hat_k,
    wilson,
)

COUNTS = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("passes", "trials", "low", "high"),
    [
        (4, 5, 0.3755, 0.9638),
        (18, 20, 0.6990, 0.9721),
        (3, 3, 0.44, 1),
        (5, 5, 0.57, 1),
        (10, 10, 0.72, 1),
        (8, 10, 0.49, 0.94),
        (0, 0, 0, 1),
    ],
)
def test_golden_intervals(passes: int, trials: int, low: float, high: float) -> None:
    assert wilson(passes, trials) == pytest.approx((low, high), abs=0.005)


@given(COUNTS)
def test_an_interval_holds_its_rate_and_the_exact_one_is_as_wide_where_nothing_failed(
    counts: tuple[int, int],
) -> None:
    passes, trials = counts
    for low, high in (wilson(passes, trials), clopper_pearson(passes, trials)):
        assert 0 <= low <= passes / trials + 1e-9
        assert passes / trials - 1e-9 <= high <= 1


def test_59_of_59_show_95_percent_at_one_side() -> None:
    assert clopper_pearson(59, 59, 0.9).low >= 0.95
    assert clopper_pearson(58, 58, 0.9).low < 0.95


def test_nothing_tried_is_nothing_known() -> None:
    assert clopper_pearson(0, 0) == (0, 1)


@pytest.mark.parametrize(("k", "hat", "at"), [(1, 0.8, 0.8), (2, 0.6, 1.0), (5, 0.0, 1.0)])
def test_k_trials_of_five_with_four_passes(k: int, hat: float, at: float) -> None:
    assert pass_hat_k(4, 5, k) == pytest.approx(hat)
    assert pass_at_k(4, 5, k) == pytest.approx(at)


@pytest.mark.parametrize("k", [0, 6])
def test_too_few_trials_leave_it_undefined(k: int) -> None:
    assert pass_hat_k(4, 5, k) is None
    assert pass_at_k(4, 5, k) is None


@given(COUNTS)
def test_all_of_k_is_never_likelier_than_one_of_k(counts: tuple[int, int]) -> None:
    passes, trials = counts
    hat, at = pass_hat_k(passes, trials, trials), pass_at_k(passes, trials, trials)
    assert hat is not None
    assert at is not None
    assert hat <= at


@pytest.mark.parametrize("counts", [(-1, 2), (3, 2)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot have passed"):
        wilson(*counts)


def test_counts_that_can_be_are_taken() -> None:
    check_counts(0, 0)
    check_counts(2, 2)


def test_more_passes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2 trials"):
        check_counts(3, 2)
