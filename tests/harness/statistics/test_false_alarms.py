"""How often each test cries wolf where nothing changed: cases drawn from Beta(2, 0.5), seeded."""

from collections.abc import Callable
from math import erfc, sqrt

import numpy as np
import pytest

from harness.statistics import bootstrap_mean, mcnemar, sign_flip
from tests.simulations.comparisons import WORLDS, shares

Passes = np.ndarray
Rule = Callable[[Passes, Passes, int], bool]
SIZES = [(20, 1), (20, 5), (50, 3), (89, 5)]
RUNS = 200


def sign_flips(before: Passes, after: Passes, trials: int) -> bool:
    deltas = (after - before) / trials
    return sign_flip(list(deltas), draws=499) < 0.05


def pooled_z(before: Passes, after: Passes, trials: int) -> bool:
    count = len(before) * trials
    one, other = before.sum() / count, after.sum() / count
    spread = np.sqrt((one + other) * (2 - one - other) / 2 / count)
    return bool(spread) and erfc(abs(one - other) / spread / sqrt(2)) < 0.05  # two-sided


def bootstrap(before: Passes, after: Passes, trials: int) -> bool:
    found = bootstrap_mean(list((after - before) / trials), draws=499)
    return found.low > 0 or found.high < 0


def any_case_fell(before: Passes, after: Passes, trials: int) -> bool:
    return bool(((before - after) / trials > 0.1).any())


def alarms(rule: Rule, cases: int, trials: int) -> float:
    generator = np.random.default_rng(cases * 100 + trials)
    rates = generator.beta(2, 0.5, (RUNS, cases))
    sides = (generator.binomial(trials, rates) for _ in range(2))
    return float(np.mean([rule(one, other, trials) for one, other in zip(*sides, strict=True)]))


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "trials"), SIZES)
@pytest.mark.parametrize(
    ("rule", "low", "high"),
    [(sign_flips, 0.0, 0.07), (pooled_z, 0.0, 0.07), (bootstrap, 0.0, 0.12)],
    ids=["sign-flip", "pooled-z", "bootstrap"],
)
def test_the_suite_test_holds_its_alpha(
    rule: Rule, low: float, high: float, cases: int, trials: int
) -> None:
    """5 % of 200 runs is 0.02 to 0.085; the interval alone is too liberal to be the test."""
    assert low <= alarms(rule, cases, trials) <= high


@pytest.mark.parametrize(("cases", "trials"), SIZES)
def test_a_threshold_a_case_alarms_nearly_always(cases: int, trials: int) -> None:
    """Pitfall 21: so it is an option with a warning, and no default."""
    assert alarms(any_case_fell, cases, trials) >= 0.9


@pytest.mark.parametrize(("trials", "least"), [(5, 0.07), (10, 0.12)])
def test_pairing_repeats_one_by_one_lies_where_they_share_anything(
    trials: int, least: float
) -> None:
    """So McNemar is told for one trial a case only; over cases the paired test stays right."""
    generator = np.random.default_rng(trials)
    pairs, flips = 0, 0
    for _ in range(RUNS):
        sides = np.clip(generator.beta(2, 0.5, 50) + generator.normal(0, 0.15, (2, 50)), 0, 1)
        before, after = generator.random((2, 50, trials)) < sides[:, :, None]
        worse, better = int((before & ~after).sum()), int((~before & after).sum())
        pairs += mcnemar(worse, better) < 0.05
        flips += sign_flips(before.sum(1), after.sum(1), trials)
    assert pairs / RUNS >= least
    assert flips / RUNS <= 0.09


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("cases", "trials"), [(20, 3), (50, 3)])
def test_the_exit_code_raises_no_more_false_alarms_than_it_says(
    world: str, cases: int, trials: int
) -> None:
    """Of 60 pairs without a change 7 or more fail by chance in less than 4 of 100 such tests."""
    assert shares(world, cases, trials, pairs=60).failed * 60 <= 6


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("cases", "trials"), [(8, 1), (20, 3)])
def test_not_worse_is_claimed_seldom_where_it_is_not_so(
    world: str, cases: int, trials: int
) -> None:
    """2.5 % are allowed: of 60 pairs 5 or more are so by chance once in fifty such tests."""
    assert shares(world, cases, trials, drop=0.05, pairs=60).not_worse * 60 <= 5
