import pytest

from harness.statistics.summary import suite_at_k, suite_rate


def test_each_case_counts_once_however_often_it_was_tried() -> None:
    assert suite_rate([(1, 1), (0, 9)]).mean == 0.5
    assert suite_rate([(1, 1), (0, 9), (0, 0)]).cases == 2


def test_below_ten_cases_there_is_no_interval_of_a_sample() -> None:
    few = suite_rate([(3, 4)] * 5 + [(4, 4)] * 4)
    assert few.sample is None
    assert few.fixed is not None


def test_the_suite_as_it_is_varies_less_than_a_sample_of_cases() -> None:
    found = suite_rate([(5, 5)] * 8 + [(0, 5)] * 4 + [(3, 5)] * 2)
    assert found.sample is not None
    assert found.fixed is not None
    assert found.fixed.high - found.fixed.low < found.sample.high - found.sample.low


def test_golden_intervals() -> None:
    found = suite_rate([(5, 5)] * 6 + [(0, 4)] * 2 + [(3, 5)] * 2)
    assert found.mean == pytest.approx(0.72)
    assert found.cases == 10
    assert found.sample == pytest.approx((0.4245, 1.0), abs=0.0001)
    assert found.fixed == pytest.approx((0.6521, 0.7879), abs=0.0001)
    assert suite_rate([(9, 10), (3, 4)]).fixed == pytest.approx((0.5611, 1.0), abs=0.0001)


def test_one_trial_a_case_says_nothing_of_trial_noise() -> None:
    assert suite_rate([(1, 1), (0, 2)]).fixed is None
    assert suite_rate([(1, 2), (0, 2)]).fixed == pytest.approx((0.0, 0.7400), abs=0.0001)


def test_without_a_valid_trial_there_is_no_rate() -> None:
    assert suite_rate([(0, 0)]) == (None, 0, None, None)


def test_the_mean_of_powers_is_not_the_power_of_the_mean() -> None:
    mean, undefined = suite_at_k([1.0] * 8 + [0.0625] * 2)
    assert mean == pytest.approx(0.8125)
    assert undefined == 0
    assert suite_at_k([None]) == (None, 1)
