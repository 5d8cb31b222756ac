import pytest

from harness.statistics.flags import benjamini_hochberg, fisher_worse, holm, mcnemar


@pytest.mark.parametrize(
    ("trials", "passes", "p_value"),
    [(3, 1, 0.2), (3, 0, 0.05), (5, 2, 0.08333), (5, 1, 0.024), (10, 6, 0.043), (20, 15, 0.024)],
)
def test_worse_than_perfect(trials: int, passes: int, p_value: float) -> None:
    found = fisher_worse((trials, trials), (passes, trials))
    assert found == pytest.approx(p_value, abs=0.0006)


def test_without_a_valid_trial_nothing_got_worse() -> None:
    assert fisher_worse((0, 0), (0, 3)) == fisher_worse((3, 3), (0, 0)) == 1.0


def test_twenty_cases_need_more_than_five_of_five_lost() -> None:
    p_values = {"worst": fisher_worse((5, 5), (0, 5))} | {f"c{n}": 1.0 for n in range(19)}
    assert holm(p_values) == frozenset()
    assert holm({"worst": p_values["worst"]}) == {"worst"}
    assert holm({}) == benjamini_hochberg({}) == frozenset()


def test_exploring_finds_more_than_holding_every_error() -> None:
    p_values = {"a": 0.001, "b": 0.02, "c": 0.03, "d": 0.9}
    assert holm(p_values) == {"a"}
    assert benjamini_hochberg(p_values) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("worse", "better", "exact", "mid"),
    [(5, 0, 0.0625, 0.03125), (6, 1, 0.125, 0.070), (0, 0, 1.0, 1.0), (2, 2, 1.0, 1.0)],
)
def test_discordant_pairs(worse: int, better: int, exact: float, mid: float) -> None:
    assert mcnemar(worse, better) == pytest.approx(exact, abs=0.0005)
    assert mcnemar(worse, better, mid_p=True) == pytest.approx(mid, abs=0.0005)
