"""Our own distributions against SciPy's."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.statistics.comparison import fisher_worse
from harness.statistics.distributions import (
    beta_quantile,
    beta_share,
    draw_passes,
    hypergeometric_share,
    normal_quantile,
    quantile_between,
    student_quantile,
)
from harness.statistics.proportions import wilson
from harness.statistics.resampling import draw_counts

CLOSE = 1e-9
SHARES = [0.001, 0.0125, 0.025, 0.5, 0.6, 0.95, 0.975, 0.9833, 0.9995]
SHAPES = [(1, 1), (5, 1), (0.3, 7.7), (100, 3), (2000, 8000), (1, 10_000), (5000.5, 5000.2),
          (1e-6, 5), (3, 1e-6)]  # fmt: skip


@pytest.mark.parametrize("share", SHARES)
def test_quantiles_are_those_of_scipy(share: float) -> None:
    assert normal_quantile(share) == pytest.approx(stats.norm.ppf(share), abs=CLOSE)
    for freedom in (1, 2, 3, 9, 49, 1999, 10_000):
        expected = float(stats.t.ppf(share, freedom))
        assert student_quantile(share, freedom) == pytest.approx(expected, rel=CLOSE, abs=CLOSE)
    for a, b in SHAPES:
        assert beta_quantile(share, a, b) == pytest.approx(stats.beta.ppf(share, a, b), abs=CLOSE)


COUNTS = st.integers(1, 40).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(COUNTS, COUNTS)
def test_exact_tests_are_those_of_scipy(before: tuple[int, int], after: tuple[int, int]) -> None:
    table = [[after[0], after[1] - after[0]], [before[0], before[1] - before[0]]]
    expected = stats.fisher_exact(table, alternative="less").pvalue
    assert fisher_worse(before, after) == pytest.approx(expected, abs=CLOSE)
    found = stats.binomtest(*after).proportion_ci(0.9, method="wilson")
    assert wilson(*after, confidence=0.9) == pytest.approx((found.low, found.high), abs=CLOSE)


@given(st.floats(0.1, 50), st.floats(0.1, 50), st.floats(0, 1))
def test_a_share_of_beta_is_that_of_scipy(a: float, b: float, x: float) -> None:
    assert beta_share(a, b, x) == pytest.approx(stats.beta.cdf(x, a, b), abs=CLOSE)


@pytest.mark.parametrize(("x", "share"), [(-1, 0.0), (0, 0.0), (1, 1.0), (2, 1.0)])
def test_nothing_of_beta_lies_outside_of_0_and_1(x: float, share: float) -> None:
    assert beta_share(2, 3, x) == share


def test_a_part_of_trials_has_a_whole_chance() -> None:
    assert hypergeometric_share(3, 5, 3, 8) == 1.0


def test_quantiles_lie_between_neighbours() -> None:
    assert [quantile_between([1.0, 2.0, 4.0], share) for share in (0, 0.25, 1)] == [1, 1.5, 4]


@pytest.mark.parametrize(("trials", "rate"), [(1, 0.25), (50, 0.3), (2000, 0.97)])
def test_counts_that_are_drawn_have_their_mean_and_spread(trials: int, rate: float) -> None:
    generator = Random(1)
    drawn = [draw_passes(generator, trials, rate) for _ in range(20_000)]
    mean = sum(drawn) / len(drawn)
    spread = sum((each - mean) ** 2 for each in drawn) / len(drawn)
    assert mean == pytest.approx(trials * rate, rel=0.02)
    assert spread == pytest.approx(trials * rate * (1 - rate), rel=0.05)


@pytest.mark.parametrize(("rate", "passes"), [(0.0, 0), (1.0, 9)])
def test_what_is_certain_needs_no_luck(rate: float, passes: int) -> None:
    assert draw_passes(Random(1), 9, rate) == passes


def test_kinds_are_drawn_as_often_as_they_are_there() -> None:
    drawn = list(draw_counts([30, 0, 10], 5_000, Random(2)))
    assert {sum(each) for each in drawn} == {40}
    means = [sum(each[kind] for each in drawn) / len(drawn) for kind in range(3)]
    assert means == pytest.approx([30, 0, 10], abs=0.2)
