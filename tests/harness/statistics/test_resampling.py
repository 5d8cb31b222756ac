from collections.abc import Callable
from inspect import signature
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.comparison import Terms, difference_interval
from harness.statistics.judges import judge_agreement
from harness.statistics.power import detectable_drop, power, trials_needed
from harness.statistics.resampling import bootstrap_mean, sign_flip
from harness.statistics.summary import summarize


@pytest.mark.parametrize(
    ("deltas", "p_value"),
    [([-0.2] * 6, 0.03125), ([0.2] * 6, 0.03125), ([], 1.0), ([0.0, 0.0], 1.0), ([0.4], 1.0)],
)
def test_few_differences_are_counted_out(deltas: list[float], p_value: float) -> None:
    assert sign_flip(deltas) == pytest.approx(p_value)


@given(st.lists(st.integers(-3, 3), max_size=7))
def test_the_p_value_is_the_share_of_signs_that_come_as_far(deltas: list[int]) -> None:
    sums = [
        sum(sign * delta for sign, delta in zip(signs, deltas, strict=True))
        for signs in product((1, -1), repeat=len(deltas))
    ]
    share = sum(abs(each) >= abs(sum(deltas)) for each in sums) / len(sums)
    assert sign_flip(deltas) == pytest.approx(share)


def test_more_than_16_differences_are_drawn_with_a_seed() -> None:
    deltas = [-0.1] * 17 + [0.1] * 3
    assert sign_flip(deltas, seed=1) == sign_flip(deltas, seed=1)
    assert sign_flip(deltas) == pytest.approx(0.00258, abs=0.0008)
    assert sign_flip([1.0] * 16) == 2 / 2**16
    assert sign_flip([1.0] * 17, draws=99) == 1 / 100
    assert sign_flip([-0.1] * 10 + [0.1] * 10) == 1.0


def test_a_mean_lies_within_its_interval_and_repeats() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.25]
    low, high = bootstrap_mean(values, seed=3)
    assert low < 0.55 < high
    assert bootstrap_mean(values, seed=3) == (low, high)
    assert bootstrap_mean([0.5] * 4) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("values", "confidence", "expected"),
    [
        ([0.0, 0.5, 1.0, 1.0, 0.25], 0.95, (0.2, 0.9)),
        ([0.0] * 10 + [1.0] * 29, 0.95, (23 / 39, 34 / 39)),
        ([0.0] * 10 + [1.0] * 30, 0.95, (24 / 40, 35 / 40)),  # drawn by kind
        ([0.0] * 10 + [1.0] * 30, 0.8, (26 / 40, 33 / 40)),
    ],
)
def test_golden_intervals(
    values: list[float], confidence: float, expected: tuple[float, float]
) -> None:
    assert bootstrap_mean(values, confidence=confidence) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    "draws",
    [
        bootstrap_mean, detectable_drop, difference_interval, judge_agreement, power, sign_flip,
        summarize, trials_needed, Terms,
    ],
)  # fmt: skip
def test_what_is_drawn_without_a_seed_is_drawn_alike_for_ever(draws: Callable[..., Any]) -> None:
    assert signature(draws).parameters["seed"].default == 0


def test_nothing_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        bootstrap_mean([])
