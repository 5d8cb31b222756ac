from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from harness.statistics.comparison import Outcomes, Terms, compare
from harness.statistics.power import (
    LOOKS,
    _draws,
    _p_value,
    corrected_alpha,
    detectable_drop,
    power,
    trials_needed,
)
from harness.statistics.resampling import sign_flip

RATES = list(np.random.default_rng(7).beta(2, 0.5, 20))


@pytest.mark.parametrize(
    ("trials", "drop", "expected"), [(1, 0.2, 0.18), (5, 0.1, 0.42), (5, 0.2, 0.90), (10, 0.2, 1.0)]
)
def test_the_power_is_that_of_the_published_table(
    trials: int, drop: float, expected: float
) -> None:
    assert power(RATES, trials, drop).power == pytest.approx(expected, abs=0.17)


@pytest.mark.parametrize("trials", [1, 3, 5])
def test_unchanged_quality_raises_few_false_alarms(trials: int) -> None:
    assert power(RATES, trials, 0.0, simulations=2000).power <= 0.05


@pytest.mark.slow
def test_the_threshold_rule_nearly_always_raises_a_false_alarm() -> None:
    """Pitfall 21"""
    generator, alarms = np.random.default_rng(1), 0
    for _ in range(50):
        before, after = (
            Outcomes(
                name,
                {f"c{n}": "h" for n in range(20)},
                {f"c{n}": (int(generator.binomial(5, rate)), 5) for n, rate in enumerate(RATES)},
            )
            for name in "ab"
        )
        alarms += bool(compare(before, after, Terms(threshold=0.1)).over_threshold)
    assert alarms >= 45


FEW = [1.0, 1.0, 0.9, 0.8, 0.8, 0.5]


@pytest.mark.parametrize(("target", "trials", "drop"), [(0.8, 15, 0.56), (0.5, 9, 0.43)])
def test_as_many_trials_as_are_needed_and_no_more(target: float, trials: int, drop: float) -> None:
    assert trials_needed(FEW, 0.3, target=target) == trials
    assert power(FEW, trials, 0.3).power >= target > power(FEW, trials - 1, 0.3).power
    assert trials_needed(FEW, 0.3, target=target, most=trials) == trials
    assert trials_needed(FEW, 0.3, target=target, most=trials - 1) is None
    assert detectable_drop(FEW, 5, target=target) == drop
    assert power(FEW, 5, drop).power >= target > power(FEW, 5, drop - 0.01).power


def test_the_power_is_a_share_of_what_is_simulated() -> None:
    found = power(FEW, 5, 0.3)
    assert (found.trials, found.drop) == (5, 0.3)
    assert found.power == pytest.approx(0.235, abs=0.03)
    assert power(FEW, 5, 0.3, alpha=0.2).power == pytest.approx(0.79, abs=0.03)
    assert power(FEW, 1, 0.3, simulations=50).power == 0.0


@given(st.lists(st.integers(-3, 3), max_size=7).filter(lambda deltas: sum(deltas) < 0))
def test_the_p_value_is_that_of_flipped_signs(deltas: list[int]) -> None:
    assert _p_value(deltas, 0) == pytest.approx(sign_flip(deltas))


def test_over_more_than_200_cases_signs_are_drawn() -> None:
    assert _p_value([-1] * 200, 0) == 2 / 2**200
    assert _p_value([-1] * 201, 0) == 1 / 1000


def test_what_a_gate_can_see_shrinks_with_trials() -> None:
    few, many = detectable_drop(RATES, 3), detectable_drop(RATES, 12)
    assert few is not None
    assert many is not None
    assert many < few
    assert detectable_drop([], 5) is None
    assert detectable_drop([1.0], 5) is None


def test_without_cases_nothing_is_planned() -> None:
    with pytest.raises(ValueError, match="nothing to plan"):
        trials_needed([], 0.1)


def test_looks_share_what_one_look_may_spend() -> None:
    assert corrected_alpha(0.05, len(LOOKS)) * len(LOOKS) == pytest.approx(0.05)


@pytest.mark.parametrize("rates", [[0.5] * 4, [0.0, 1.0, 0.9, 0.9]])
def test_thousands_of_trials_a_case_see_a_small_drop(rates: list[float]) -> None:
    few, many = (power(rates, trials, 0.03, simulations=40) for trials in (200, 3000))
    assert few.power <= many.power


@pytest.mark.parametrize(("trials", "rate"), [(1, 0.3), (5, 0.5), (150, 0.85), (3000, 0.999)])
def test_passes_are_binomial(trials: int, rate: float) -> None:
    drawn = np.sort(_draws(rate, trials, 4000, Random(1)))
    for passes in range(trials + 1):
        share = float(np.mean(drawn <= passes))
        assert share == pytest.approx(binom.cdf(passes, trials, rate), abs=0.03)
    assert _draws(round(rate), trials, 2, Random(1)) == [round(rate) * trials] * 2
