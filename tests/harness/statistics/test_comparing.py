import pytest

from harness.statistics.comparing import Outcomes, Terms, compare

Counts = dict[str, tuple[int, int]]


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


def test_no_case_in_common_is_inconclusive() -> None:
    found = compare(run("a", {"x": (1, 1)}), run("b", {"y": (1, 1)}))
    assert (found.verdict, found.effect, found.low) == ("inconclusive", None, None)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [((5, 5), (5, 5), "not_worse"), ((5, 5), (3, 5), "regressed"), ((3, 5), (5, 5), "not_worse")],
    ids=["same", "worse", "better"],
)
def test_the_verdict_over_ten_cases(
    before: tuple[int, int], after: tuple[int, int], verdict: str
) -> None:
    names = [f"c{n}" for n in range(10)]
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


@pytest.mark.parametrize(
    ("before", "after", "flag"),
    [
        ((3, 3), (0, 3), "broken"),
        ((2, 2), (0, 2), "suspect"),
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


def test_what_to_bear_in_mind_is_told() -> None:
    uneven = compare(run("a", {"c": (5, 5)}), run("b", {"c": (3, 3)}))
    assert "not exact" in uneven.warnings[0]
    single = compare(run("a", {"c": (1, 1)}), run("b", {"c": (0, 1)}))
    assert "one trial a case" in single.warnings[0]


@pytest.mark.parametrize(("threshold", "cases"), [(0.1, ("y",)), (0.05, ("x", "y")), (None, ())])
def test_the_threshold_rule_looks_at_each_case_alone(
    threshold: float | None, cases: tuple[str, ...]
) -> None:
    """CTX-18: degraded when the score fell by more than 0.1."""
    before, after = {"x": (10, 10), "y": (10, 10)}, {"x": (9, 10), "y": (8, 10)}
    found = compare(run("a", before), run("b", after), Terms(threshold=threshold))
    assert found.over_threshold == cases
    assert any("chance alone" in warning for warning in found.warnings) == bool(cases)


def test_one_trial_a_case_is_mcnemars() -> None:
    before = run("a", {f"c{n}": (1, 1) for n in range(8)})
    after = run("b", {f"c{n}": (int(n > 4), 1) for n in range(8)})
    found = compare(before, after).discordant
    assert found is not None
    assert (found.worse, found.better, found.p_value) == (5, 0, 0.0625)


def test_repeats_are_never_paired_trial_by_trial() -> None:
    """Repeats of a case hang together: that test alarms two to four times as often as it says."""
    counts = {"a": (2, 2), "b": (1, 1)}
    assert compare(run("a", counts), run("b", counts)).discordant is None


def test_exploring_names_more_and_flags_no_more() -> None:
    before = {f"c{n}": (5, 5) for n in range(20)}
    after = before | {f"c{n}": (0, 5) for n in range(4)}
    found = compare(run("a", before), run("b", after), Terms(explore=True))
    plain = compare(run("a", before), run("b", after))
    assert found.cases == plain.cases
    assert (plain.explored, found.explored) == ((), ("c0", "c1", "c2", "c3"))
    assert found.flagged("significant") == ()


def test_the_interval_has_the_confidence_that_alpha_leaves() -> None:
    counts = {f"c{n}": (5, 5) for n in range(10)}
    after = counts | {"c0": (3, 5), "c1": (2, 5)}
    wide = compare(run("a", counts), run("b", after), Terms(alpha=0.01))
    narrow = compare(run("a", counts), run("b", after), Terms(alpha=0.2))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low
