import pytest

from harness.statistics.flags import (
    benjamini_hochberg,
    fisher_worse,
    least_p_value,
    mcnemar,
    stratified,
    tarone,
)


@pytest.mark.parametrize(
    ("trials", "passes", "p_value"),
    [(3, 1, 0.2), (3, 0, 0.05), (5, 2, 0.08333), (5, 1, 0.024), (10, 6, 0.043), (20, 15, 0.024)],
)
def test_worse_than_perfect(trials: int, passes: int, p_value: float) -> None:
    found = fisher_worse((trials, trials), (passes, trials))
    assert found == pytest.approx(p_value, abs=0.0006)


def test_without_a_valid_trial_nothing_got_worse() -> None:
    assert fisher_worse((0, 0), (0, 3)) == fisher_worse((3, 3), (0, 0)) == 1.0


def test_exploring_finds_more_than_holding_every_error() -> None:
    p_values = {"a": 0.001, "b": 0.02, "c": 0.03, "d": 0.9}
    assert tarone(p_values, dict.fromkeys(p_values, 0.0), 0.05) == {"a"}
    assert benjamini_hochberg(p_values) == {"a", "b", "c"}
    assert benjamini_hochberg({}) == frozenset()


@pytest.mark.parametrize(
    ("worse", "better", "exact", "mid"),
    [(5, 0, 0.0625, 0.03125), (6, 1, 0.125, 0.070), (0, 0, 1.0, 1.0), (2, 2, 1.0, 1.0)],
)
def test_discordant_pairs(worse: int, better: int, exact: float, mid: float) -> None:
    assert mcnemar(worse, better) == pytest.approx(exact, abs=0.0005)
    assert mcnemar(worse, better, mid_p=True) == pytest.approx(mid, abs=0.0005)


@pytest.mark.parametrize(
    ("before", "after", "least"),
    [((3, 3), (3, 3), 1.0), ((0, 3), (0, 3), 1.0), ((3, 3), (0, 3), 0.05), ((5, 5), (0, 5), 0.004)],
)
def test_what_a_case_could_show_at_best(
    before: tuple[int, int], after: tuple[int, int], least: float
) -> None:
    assert least_p_value(before, after) == pytest.approx(least, abs=0.0001)
    assert least_p_value(before, after) <= fisher_worse(before, after)


@pytest.mark.parametrize(
    ("pairs", "p_value"),
    [
        ([((3, 3), (0, 3))], 0.1),
        ([((3, 3), (0, 3))] * 2, 0.005),
        ([((3, 3), (3, 3))] * 5, 1.0),
        ([((5, 5), (2, 5)), ((0, 5), (3, 5))], 1.0),
        ([], 1.0),
    ],
)
def test_few_cases_are_tested_by_their_trials(
    pairs: list[tuple[tuple[int, int], tuple[int, int]]], p_value: float
) -> None:
    assert stratified(pairs) == pytest.approx(p_value, abs=0.0001)


def test_cases_that_could_show_nothing_cost_nothing() -> None:
    p_values = {"worst": 0.004} | {f"c{n}": 1.0 for n in range(49)}
    assert tarone(p_values, p_values, 0.025) == {"worst"}
    able = dict.fromkeys(p_values, 0.004)
    assert tarone(p_values, able, 0.025) == frozenset()
    assert tarone({}, {}, 0.025) == frozenset()


def test_what_is_as_large_as_the_limit_counts() -> None:
    assert tarone(dict.fromkeys("ab", 0.0125), dict.fromkeys("ab", 0.0125), 0.025) == {"a", "b"}
    assert tarone({"a": 0.025, "b": 0.03}, {"a": 0.0, "b": 0.03}, 0.025) == {"a"}
    assert tarone({"a": 0.02, "b": 0.0125}, {"a": 0.0, "b": 0.0}, 0.025) == {"b"}
    assert benjamini_hochberg({"b": 0.05, "a": 0.025}) == {"a", "b"}
    assert benjamini_hochberg({"b": 0.051, "a": 0.025, "c": 0.9}) == frozenset()
