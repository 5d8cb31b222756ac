import pytest

from harness.statistics.resampling import bootstrap_mean, sign_flip


@pytest.mark.parametrize(
    ("deltas", "p_value"),
    [([-0.2] * 6, 0.03125), ([0.2] * 6, 0.03125), ([], 1.0), ([0.0, 0.0], 1.0), ([0.4], 1.0)],
)
def test_few_differences_are_counted_out(deltas: list[float], p_value: float) -> None:
    assert sign_flip(deltas) == pytest.approx(p_value)


def test_many_differences_are_drawn_with_a_seed() -> None:
    deltas = [-0.1] * 17 + [0.1] * 3
    assert sign_flip(deltas, seed=1) == sign_flip(deltas, seed=1)
    assert 0 < sign_flip(deltas) < 0.01
    assert sign_flip([-0.1] * 10 + [0.1] * 10) == 1.0


def test_a_mean_lies_within_its_interval_and_repeats() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.25]
    low, high = bootstrap_mean(values, seed=3)
    assert low < 0.55 < high
    assert bootstrap_mean(values, seed=3) == (low, high)
    assert bootstrap_mean([0.5] * 4) == (0.5, 0.5)


def test_nothing_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        bootstrap_mean([])
