import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.differences import Counts, difference_interval

counts = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
pairs = st.lists(st.tuples(counts, counts), min_size=1, max_size=12)


def mean_difference(both: list[tuple[Counts, Counts]]) -> float:
    return sum(new / of_new - old / of_old for (old, of_old), (new, of_new) in both) / len(both)


@given(pairs)
def test_the_interval_holds_what_was_seen(both: list[tuple[Counts, Counts]]) -> None:
    low, high = difference_interval(both)
    assert -1 <= low <= mean_difference(both) + 1e-9
    assert mean_difference(both) - 1e-9 <= high <= 1


@given(pairs)
def test_more_confidence_is_never_narrower(both: list[tuple[Counts, Counts]]) -> None:
    narrow, wide = (difference_interval(both, confidence=share) for share in (0.8, 0.99))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@pytest.mark.parametrize(
    ("cases", "trials", "low"),
    [(8, 1, -0.3694), (20, 3, -0.0596), (20, 5, -0.0362), (200, 5, -0.0037)],
)
def test_without_a_change_it_reaches_as_far_as_an_unseen_drop_could(
    cases: int, trials: int, low: float
) -> None:
    """1 - 0.025 ** (1 / N), the exact limit of a loss that N trials did not show."""
    found = difference_interval([((trials, trials), (trials, trials))] * cases)
    assert found.low == pytest.approx(low, abs=0.0002)
    assert found.high == pytest.approx(-low, abs=0.0002)


def test_one_case_alone_tells_of_no_other() -> None:
    assert difference_interval([((3, 3), (2, 3))]) == (-1.0, 1.0)


def test_nothing_has_no_interval() -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        difference_interval([])
