from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.model.comparison import Comparison, Discordant
from harness.statistics.comparison import (
    Outcomes,
    Terms,
    benjamini_hochberg,
    compare,
    difference_interval,
    fisher_worse,
    least_p_value,
    mcnemar,
    stratified,
    tarone,
    verdict_of,
)

Counts = dict[str, tuple[int, int]]
Pairs = list[tuple[tuple[int, int], tuple[int, int]]]


def run(
    name: str, counts: Counts, *, hashes: dict[str, str] | None = None, fixed: str = ""
) -> Outcomes:
    return Outcomes(name, dict.fromkeys(counts, "h") | (hashes or {}), counts, fixed.split())


def test_cases_are_matched_by_id_and_hash() -> None:
    """Pitfall 20, CSRR-12, CTXR-08."""
    before = run("a", {"same": (5, 5), "gone": (5, 5), "other": (5, 5), "lost": (5, 5)})
    after = run(
        "b", {"same": (5, 5), "new": (5, 5), "other": (5, 5), "lost": (0, 0)}, hashes={"other": "x"}
    )
    found = compare(before, after)
    assert [case.case for case in found.cases] == ["same"]
    assert (found.added, found.removed, found.changed, found.invalid) == (
        ("new",), ("gone",), ("other",), ("lost",),
    )  # fmt: skip


@pytest.mark.parametrize(("allowed", "verdict"), [(False, "changed"), (True, "inconclusive")])
def test_no_case_in_common_shows_nothing(allowed: bool, verdict: str) -> None:
    terms = Terms(allow_removed=allowed)
    found = compare(run("a", {"x": (1, 1)}), run("b", {"y": (1, 1)}), terms)
    assert (found.verdict, found.effect, found.low) == (verdict, None, None)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [((5, 5), (5, 5), "not_worse"), ((5, 5), (3, 5), "regressed"), ((3, 5), (5, 5), "not_worse")],
    ids=["same", "worse", "better"],
)
def test_the_verdict_over_twenty_cases(
    before: tuple[int, int], after: tuple[int, int], verdict: str
) -> None:
    names = [f"c{n}" for n in range(20)]
    found = compare(run("a", dict.fromkeys(names, before)), run("b", dict.fromkeys(names, after)))
    assert found.verdict == verdict
    assert found.effect == pytest.approx((after[0] - before[0]) / 5)


def test_not_significant_is_not_no_regression() -> None:
    counts = {f"c{n}": (5, 5) for n in range(10)}
    found = compare(run("a", counts), run("b", counts | {"c0": (3, 5), "c1": (2, 5)}))
    assert found.p_value > 0.05
    assert found.verdict == "inconclusive"
    assert (
        compare(run("a", counts), run("b", counts | {"c0": (3, 5)}), Terms(margin=0.5)).verdict
        == "not_worse"
    )


@pytest.mark.parametrize(("cases", "trials"), [(8, 1), (10, 5), (20, 3), (23, 3)])
def test_without_a_change_few_trials_show_nothing(cases: int, trials: int) -> None:
    """Below 72 trials a side a drop by the margin goes unseen too often to be denied."""
    counts = {f"c{n}": (trials, trials) for n in range(cases)}
    assert compare(run("a", counts), run("b", counts)).verdict == "inconclusive"


def test_the_headline_is_never_milder_than_the_exit_code() -> None:
    steady = {f"c{n}": (20, 20) for n in range(20)}
    one_lost = compare(run("a", steady), run("b", steady | {"c0": (10, 20)}))
    assert one_lost.p_value > 0.05
    assert one_lost.verdict == "regressed"
    gone = compare(run("a", steady), run("b", {"c1": (20, 20)}))
    assert gone.verdict == "changed"
    fell = compare(run("a", steady), run("b", steady | {"c0": (17, 20)}), Terms(threshold=0.1))
    assert fell.verdict == "changed"
    fixed = compare(run("a", steady), run("b", steady | {"c0": (19, 20)}, fixed="c0"))
    assert fixed.verdict == "changed"


@pytest.mark.parametrize(
    ("cases", "verdict"), [(1, "inconclusive"), (2, "regressed"), (5, "regressed")]
)
def test_a_small_suite_that_broke_is_seen(cases: int, verdict: str) -> None:
    """Over fewer than six cases no flip of signs is rare enough."""
    names = [f"c{n}" for n in range(cases)]
    found = compare(run("a", dict.fromkeys(names, (3, 3))), run("b", dict.fromkeys(names, (0, 3))))
    assert found.verdict == verdict


def test_one_case_in_a_suite_that_is_steady_is_found() -> None:
    """Only cases that failed somewhere could raise a false alarm, so only they count."""
    steady = {f"c{n}": (5, 5) for n in range(50)}
    found = compare(run("a", steady), run("b", steady | {"c0": (0, 5)}))
    assert [case.case for case in found.flagged("significant")] == ["c0"]
    flaky = {f"c{n}": (3, 5) for n in range(50)} | {"c0": (5, 5)}
    after = {f"c{n}": (2 + n % 3, 5) for n in range(50)} | {"c0": (0, 5)}
    found = compare(run("a", flaky), run("b", after))
    assert [case.case for case in found.flagged("broken")] == ["c0"]


@pytest.mark.parametrize(
    ("before", "after", "flag"),
    [
        ((3, 3), (0, 3), "broken"),
        ((2, 2), (0, 2), "suspect"),
        ((3, 3), (0, 2), "suspect"),
        ((2, 3), (0, 3), "suspect"),
        ((4, 4), (1, 4), "suspect"),
        ((20, 20), (10, 20), "significant"),
        ((5, 5), (4, 5), "suspect"),
        ((4, 5), (5, 5), "improved"),
        ((4, 5), (4, 5), "same"),
    ],
)
def test_flags(before: tuple[int, int], after: tuple[int, int], flag: str) -> None:
    found = compare(run("a", {"c": before}), run("b", {"c": after}))
    assert [case.flag for case in found.cases] == [flag]
    assert len(found.flagged("broken", "significant")) == (flag in {"broken", "significant"})


@pytest.mark.parametrize("after", [(4, 5), (0, 5)])
def test_a_deterministic_case_allows_no_change(after: tuple[int, int]) -> None:
    found = compare(run("a", {"c": (5, 5)}), run("b", {"c": after}, fixed="c"))
    assert found.cases[0].flag == "changed_outcome"


UNEVEN = "the runs have different numbers of valid trials a case: the paired test is not exact"
SINGLE = "one trial a case: a change of one case cannot be told from chance"
ALARM = (
    "a fall of one case by more than 0.1 is an alarm that chance alone raises nearly always in a"
    " suite of 20 cases with few trials each"
)


@pytest.mark.parametrize(
    ("before", "after", "terms", "warnings"),
    [
        ({"c": (5, 5), "d": (1, 1)}, {"c": (5, 5), "d": (1, 1)}, Terms(), ()),
        ({"c": (5, 5), "d": (5, 5)}, {"c": (5, 5), "d": (3, 3)}, Terms(), (UNEVEN,)),
        ({"c": (1, 1), "d": (0, 1)}, {"c": (0, 1), "d": (0, 1)}, Terms(), (SINGLE,)),
        ({"c": (1, 1)}, {"c": (2, 2)}, Terms(threshold=0.1), (UNEVEN, ALARM)),
        ({"c": (1, 1)}, {"d": (1, 1)}, Terms(), ()),
    ],
)
def test_what_to_bear_in_mind_is_told(
    before: Counts, after: Counts, terms: Terms, warnings: tuple[str, ...]
) -> None:
    assert compare(run("a", before), run("b", after), terms).warnings == warnings


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({}, "inconclusive"),
        ({"low": -0.05}, "inconclusive"),
        ({"low": -0.049}, "not_worse"),
        ({"effect": -0.1, "p_value": 0.049}, "regressed"),
        ({"effect": -0.1, "p_value": 0.05, "low": 0.0}, "not_worse"),
        ({"effect": 0.0, "p_value": 0.01, "low": 0.0}, "not_worse"),
        ({"removed": ("x",), "low": 0.0}, "changed"),
        ({"removed": ("x",), "allow_removed": True, "low": 0.0}, "not_worse"),
        ({"over_threshold": ("x",), "low": 0.0}, "changed"),
    ],
    ids=str,
)
def test_what_the_figures_come_to(facts: dict[str, Any], verdict: str) -> None:
    assert verdict_of(Comparison(baseline="a", candidate="b", **facts)) == verdict


@pytest.mark.parametrize(("threshold", "cases"), [(0.1, ("y",)), (0.05, ("x", "y")), (None, ())])
def test_the_threshold_rule_looks_at_each_case_alone(
    threshold: float | None, cases: tuple[str, ...]
) -> None:
    """CTX-18: degraded when the score fell by more than 0.1."""
    before, after = {"x": (10, 10), "y": (10, 10)}, {"x": (9, 10), "y": (8, 10)}
    found = compare(run("a", before), run("b", after), Terms(threshold=threshold))
    assert found.over_threshold == cases
    assert any("chance alone" in warning for warning in found.warnings) == bool(cases)


@pytest.mark.parametrize(
    ("by_score", "after", "cases"),
    [(True, 0.5, ("x",)), (True, 0.8, ()), (False, 0.5, ())],
    ids=["fell", "by exactly the threshold", "rates alone count"],
)
def test_a_score_that_fell_may_count_where_the_rate_did_not(
    by_score: bool, after: float, cases: tuple[str, ...]
) -> None:
    """CTX-18: a task that fails both times may have come less far."""
    runs = [
        replace(run(name, {"x": (0, 3), "y": (0, 3)}), scores={"x": score})
        for name, score in (("a", 0.9), ("b", after))
    ]
    found = compare(runs[0], runs[1], Terms(threshold=0.1, by_score=by_score))
    assert (found.over_threshold, found.verdict) == (cases, "changed" if cases else "inconclusive")
    assert [case.scores for case in found.cases] == [(0.9, after), None]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("11111111", "00000111", (5, 0, 0.0625)), ("0011", "0101", (1, 1, 1.0)),
     ("1", "1", (0, 0, 1.0)), ("000", "011", (0, 2, 0.5))],
)  # fmt: skip
def test_one_trial_a_case_is_mcnemars(
    before: str, after: str, found: tuple[int, int, float]
) -> None:
    worse, better, p_value = found
    first, second = (
        run("a", {f"c{n}": (int(passed), 1) for n, passed in enumerate(each)})
        for each in (before, after)
    )
    made = compare(first, second).discordant
    assert made == Discordant(worse=worse, better=better, p_value=p_value)
    made = compare(second, first).discordant
    assert made == Discordant(worse=better, better=worse, p_value=p_value)


def test_repeats_are_never_paired_trial_by_trial() -> None:
    """Repeats of a case hang together: that test alarms two to four times as often as it says."""
    counts = {"a": (2, 2), "b": (1, 1)}
    assert compare(run("a", counts), run("b", counts)).discordant is None


def test_exploring_names_more_and_flags_no_more() -> None:
    before = {f"c{n}": (4, 5) for n in range(20)}
    after = before | {f"c{n}": (0, 5) for n in range(10)}
    found = compare(run("a", before), run("b", after), Terms(explore=True))
    plain = compare(run("a", before), run("b", after))
    assert found.cases == plain.cases
    assert (plain.explored, found.explored) == ((), tuple(f"c{n}" for n in range(10)))
    assert found.flagged("significant") == ()


def test_the_interval_has_the_confidence_that_alpha_leaves() -> None:
    counts = {f"c{n}": (5, 5) for n in range(10)}
    after = counts | {"c0": (3, 5), "c1": (2, 5)}
    wide = compare(run("a", counts), run("b", after), Terms(alpha=0.01))
    narrow = compare(run("a", counts), run("b", after), Terms(alpha=0.2))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def test_a_judge_that_was_off_is_no_regression() -> None:
    """Failures need no judge, passes do: what is left of such a case is its worst."""
    before = run("a", {f"C-{n}": (3, 3) for n in range(20)})
    now = run("b", {f"C-{n}": (0, 1) for n in range(20)})
    assert compare(before, now).verdict == "regressed"
    found = compare(before, replace(now, not_evaluated=frozenset(now.counts)))
    assert (found.verdict, found.cases, len(found.not_evaluated)) == ("inconclusive", (), 20)
    one_open = compare(before, replace(before, run="b", not_evaluated=frozenset({"C-3"})))
    assert (len(one_open.cases), one_open.not_evaluated) == (19, ("C-3",))


counts = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
pairs = st.lists(st.tuples(counts, counts), min_size=1, max_size=12)


def mean_difference(both: Pairs) -> float:
    return sum(new / of_new - old / of_old for (old, of_old), (new, of_new) in both) / len(both)


@pytest.mark.slow
@settings(max_examples=40)
@given(pairs)
def test_the_interval_holds_what_was_seen(
    both: Pairs,
) -> None:
    low, high = difference_interval(both)
    assert -1 <= low <= mean_difference(both) + 1e-9
    assert mean_difference(both) - 1e-9 <= high <= 1


@pytest.mark.slow
@settings(max_examples=40)
@given(pairs)
def test_more_confidence_is_never_narrower(
    both: Pairs,
) -> None:
    narrow, wide = (difference_interval(both, confidence=share) for share in (0.8, 0.99))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


def test_the_terms_that_hold_where_none_are_given() -> None:
    assert asdict(Terms()) == {
        "margin": 0.05, "alpha": 0.05, "seed": 0, "threshold": None, "by_score": False,
        "explore": False, "allow_removed": False,
    }  # fmt: skip


STEADY: Pairs = [((5, 5), (5, 5))]


@pytest.mark.parametrize(
    ("both", "low", "high"),
    [
        # Student's t is the widest
        ([((5, 5), (3, 5)), ((4, 5), (5, 5)), *STEADY, ((2, 4), (1, 3))], -0.4965, 0.3131),
        # the trials that were lost and won are
        ([*STEADY * 9, ((5, 5), (4, 5))], -0.1065, 0.0537),
        ([((9, 9), (8, 9)), ((4, 5), (5, 5)), *STEADY * 6], -0.0867, 0.1139),
        # no rate falls by more than all
        ([((3, 3), (0, 3)), ((3, 3), (1, 3)), ((3, 3), (0, 3))], -1.0, -0.3879),
        ([((0, 3), (3, 3)), ((1, 3), (3, 3)), ((0, 3), (3, 3))], 0.3879, 1.0),
    ],
)
def test_golden_differences(both: Pairs, low: float, high: float) -> None:
    assert difference_interval(both) == pytest.approx((low, high), abs=0.0001)


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


def test_one_case_alone_tells_of_no_other_and_two_that_agree_do() -> None:
    assert difference_interval([((3, 3), (2, 3))]) == (-1.0, 1.0)
    low, high = difference_interval([((500, 1000), (500, 1000))] * 2)
    assert -0.1 < low < high < 0.1


def test_nothing_has_no_interval() -> None:
    with pytest.raises(ValueError, match="nothing to resample"):
        difference_interval([])


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
    ("worse", "better", "exact"), [(5, 0, 0.0625), (6, 1, 0.125), (0, 0, 1.0), (2, 2, 1.0)]
)
def test_discordant_pairs(worse: int, better: int, exact: float) -> None:
    assert mcnemar(worse, better) == pytest.approx(exact, abs=0.0005)


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
    least = {"a": 0.0, "b": 0.0, "c": 0.02}  # of two tests c could not be significant
    assert tarone({"a": 0.0125, "b": 0.5, "c": 0.5}, least, 0.025) == {"a"}
    assert benjamini_hochberg({"b": 0.05, "a": 0.025}) == {"a", "b"}
    assert benjamini_hochberg({"b": 0.051, "a": 0.025, "c": 0.9}) == frozenset()
