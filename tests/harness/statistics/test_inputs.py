import pytest

from harness.statistics.inputs import check_counts


def test_counts_that_can_be_are_taken() -> None:
    check_counts(0, 0)
    check_counts(2, 2)


def test_more_passes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2 trials"):
        check_counts(3, 2)
