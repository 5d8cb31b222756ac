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
