import pytest
from inline_snapshot import snapshot

from harness.errors import HarnessError
from harness.model import CaseComparison, Comparison, Discordant, JsonObject, Totals
from harness.reports import regressions_report, regressions_text, versus_markdown, versus_text
from harness.reports.comparison import (
    ReportComparison,
    compare_reports,
    comparison_text,
    regression_rows,
)
from harness.reports.json_report import report_of
from tests.harness.example_run import example_run


def _report(**verdicts: str) -> JsonObject:
    """Case ids with their verdict; a capital letter stands for another hash."""
    return {
        "cases": [
            {"caseId": name, "verdict": verdict.lower(), "hash": str(verdict.isupper())}
            for name, verdict in verdicts.items()
        ]
    }


OLD = _report(a="passed", b="failed", c="passed", d="failed", e="passed", f="passed", g="passed")
NEW = _report(
    a="failed", b="passed", c="passed", d="flaky", f="PASSED", g="inconclusive", h="failed"
)


def test_cases_are_sorted_into_what_became_of_them() -> None:
    """CEPR-13: new failures, new passes, unchanged, and added and removed cases too."""
    assert compare_reports(OLD, NEW) == ReportComparison(
        new_failures=["a"],
        new_passes=["b"],
        unchanged=["c", "d"],
        added=["h"],
        removed=["e"],
        changed=["f"],
        invalid=["g"],
    )


def test_the_text_names_all_but_the_unchanged() -> None:
    assert comparison_text(compare_reports(OLD, NEW)) == (
        "NEW FAILURES 1: a\n"
        "NEW PASSES 1: b\n"
        "UNCHANGED 2\n"
        "ADDED 1: h\n"
        "REMOVED 1: e\n"
        "CHANGED 1 (the case itself is another than before): f\n"
        "NOT COMPARABLE 1 (no verdict on one of the sides): g\n"
    )
    assert comparison_text(ReportComparison()) == "nothing to compare\n"


def test_long_lists_are_named_in_part_but_new_failures_in_full() -> None:
    names = [f"c{number}" for number in range(12)]
    text = comparison_text(ReportComparison(new_failures=names, removed=names))
    assert text.startswith("NEW FAILURES 12: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11\n")
    assert text.endswith("REMOVED 12: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more\n")


def test_a_report_is_like_itself() -> None:
    report = report_of(example_run())
    found = compare_reports(report, report)
    assert found.unchanged == ["EC-001", "EC-002", "EC-003"]
    assert found.invalid == ["EC-004", "EC-005"]


@pytest.mark.parametrize(
    "other", [{}, {"cases": [{}]}, {"cases": None}], ids=["empty", "old", "null"]
)
def test_something_else_is_refused(other: JsonObject) -> None:
    with pytest.raises(HarnessError, match="the earlier report is not a JSON report"):
        compare_reports(other, NEW)


TOPPED_UP = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(
        CaseComparison(case="A", before=(1, 1), after=(0, 1), delta=-1.0, flag="suspect", since=3),
    ),
    alpha=0.05 / 3,
    looks=(3, 6),
    discordant=Discordant(worse=1, better=0, p_value=1.0),
    before=Totals(cases_passed=4, cases=8, checks_passed=13, checks=16),
    after=Totals(cases_passed=3, cases=8, checks_passed=11, checks=17),
    explored=("A",),
)


def test_both_sides_are_counted_and_each_test_is_named() -> None:
    """CSR-30: pass rate and checks of both; CTXR-08."""
    assert versus_text(TOPPED_UP) == snapshot("""\
r2 against r1, 1 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
cases passed 4/8 -> 3/8
checks passed 13/16 -> 11/17
of the cases that differ 1 got worse and 0 better (McNemar, one trial a case): p = 1
looked at after 3, 6 trials a case, at alpha = 0.0167 each time
SUSPECT (a lower rate that chance may explain: try them again):
  A  1/1 -> 0/1 (trials after 3 only)
TO EXPLORE (false discovery rate 0.0167): A
""")


@pytest.mark.parametrize("counted", [(0, 0), (0, 17), (16, 0)], ids=str)
def test_checks_are_told_where_both_sides_have_some(counted: tuple[int, int]) -> None:
    before, after = (
        Totals(cases_passed=1, cases=2, checks_passed=0, checks=checks) for checks in counted
    )
    text = versus_text(Comparison(baseline="r1", candidate="r2", before=before, after=after))
    assert "cases passed 1/2 -> 1/2\n" in text
    assert "checks passed" not in text
    assert "cases passed" not in versus_text(
        Comparison(baseline="r1", candidate="r2", before=before)
    )


FOUND = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(
        CaseComparison(case="A", before=(3, 3), after=(0, 3), delta=-1.0, flag="broken"),
        CaseComparison(case="B", before=(3, 3), after=(3, 3), delta=0.0),
        CaseComparison(case="C", before=(2, 3), after=(3, 3), delta=1 / 3, flag="improved"),
    ),
    added=("D",),
    effect=-0.2222,
    low=-0.6,
    high=0.1,
    p_value=0.5,
    trials_needed=12,
    threshold=0.1,
    over_threshold=("A",),
    warnings=("bear in mind",),
)


def test_the_text_says_everything_that_differs() -> None:
    assert versus_text(FOUND) == snapshot("""\
r2 against r1, 3 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
mean difference -22.2 points (95 % interval -60.0 to +10.0), p = 0.5, margin 5 points
12 trials a case would see a drop of the margin (power 80 %)
BROKEN (passed every time, never passes now; chance may explain it, so look):
  A  3/3 -> 0/3
IMPROVED:
  C  2/3 -> 3/3
ADDED (only in the candidate): D
FELL BY MORE THAN 0.1: A
note: bear in mind
""")


def test_the_table_holds_what_differs() -> None:
    assert versus_markdown(FOUND) == snapshot("""\
### Against r1

INCONCLUSIVE: neither a regression nor its absence is shown

| case | before | now | what |
|---|---|---|---|
| A | 3/3 | 0/3 | broken |
| C | 2/3 | 3/3 | improved |

added (only in the candidate): D

> bear in mind
""")


def test_nothing_in_common_is_told_without_numbers() -> None:
    assert versus_text(Comparison(baseline="r1", candidate="r2")) == snapshot("""\
r2 against r1, 0 cases compared
INCONCLUSIVE: neither a regression nor its absence is shown
""")


REGRESSIONS_FOUND = Comparison(
    baseline="r1",
    candidate="r2",
    cases=(
        CaseComparison(case="A", before=(10, 10), after=(9, 10), delta=-0.1, flag="suspect"),
        CaseComparison(case="B", before=(3, 3), after=(2, 3), delta=-1 / 3, flag="suspect"),
        CaseComparison(case="C", before=(0, 3), after=(3, 3), delta=1.0, flag="improved"),
        CaseComparison(case="D", before=(3, 3), after=(3, 3), delta=0.0),
    ),
    removed=("E",),
    not_evaluated=("F",),
    threshold=0.1,
    over_threshold=("B",),
    warnings=("bear in mind",),
)


def test_a_row_has_the_fields_of_a_regression() -> None:
    """CTX-18, CTX-22: positive is worse"""
    rows = regression_rows(REGRESSIONS_FOUND)
    assert list(rows[0]) == [
        *("taskId", "previousScore", "currentScore", "degraded", "delta"),
        *("previousRate", "currentRate", "rateDelta"),
    ]
    assert [row["delta"] for row in rows] == [0.1, 1 / 3, -1.0, 0.0]
    assert [row["taskId"] for row in rows if row["degraded"]] == ["B"]


def test_scores_are_told_where_both_runs_have_them() -> None:
    """CTX-18, CTX-22"""
    case = REGRESSIONS_FOUND.cases[3].model_copy(update={"scores": (0.9, 0.5)})
    found = REGRESSIONS_FOUND.model_copy(update={"cases": (case,), "over_threshold": ("D",)})
    row = regression_rows(found)[0]
    assert (row["previousScore"], row["currentScore"], row["degraded"]) == (0.9, 0.5, True)
    assert (round(row["delta"], 9), row["rateDelta"]) == (0.4, 0.0)
    line = "  D  0.900 -> 0.500  +0.400  (rate 1.000 -> 1.000)  degraded\n"
    assert line in regressions_text("office", found)


def test_the_text_says_which_way_delta_goes() -> None:
    """CTX-18, pitfall 6"""
    assert regressions_text("office", REGRESSIONS_FOUND) == snapshot("""\
office: run r2 against its baseline r1
4 tasks, 1 degraded by more than 0.1 (delta is previous minus current: positive is worse)
  A  1.000 -> 0.900  +0.100
  B  1.000 -> 0.667  +0.333  degraded
  C  0.000 -> 1.000  -1.000
not compared, gone: E
not compared, not evaluated: F
INCONCLUSIVE: neither a regression nor its absence is shown
note: bear in mind
""")


def test_the_report_holds_the_rows_and_what_was_not_compared() -> None:
    """CTX-22"""
    found = regressions_report("office", REGRESSIONS_FOUND)
    assert (found["degraded"], found["missing"], len(found["regressions"])) == (1, ["E", "F"], 4)
