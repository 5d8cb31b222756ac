from inline_snapshot import snapshot

from harness.model import CaseComparison, Comparison
from harness.reports import regressions_report, regressions_text
from harness.reports.regressions import regression_rows

FOUND = Comparison(
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
    rows = regression_rows(FOUND)
    assert list(rows[0]) == [
        *("taskId", "previousScore", "currentScore", "degraded", "delta"),
        *("previousRate", "currentRate", "rateDelta"),
    ]
    assert [row["delta"] for row in rows] == [0.1, 1 / 3, -1.0, 0.0]
    assert [row["taskId"] for row in rows if row["degraded"]] == ["B"]


def test_scores_are_told_where_both_runs_have_them() -> None:
    """CTX-18, CTX-22"""
    case = FOUND.cases[3].model_copy(update={"scores": (0.9, 0.5)})
    found = FOUND.model_copy(update={"cases": (case,), "over_threshold": ("D",)})
    row = regression_rows(found)[0]
    assert (row["previousScore"], row["currentScore"], row["degraded"]) == (0.9, 0.5, True)
    assert (round(row["delta"], 9), row["rateDelta"]) == (0.4, 0.0)
    line = "  D  0.900 -> 0.500  +0.400  (rate 1.000 -> 1.000)  degraded\n"
    assert line in regressions_text("office", found)


def test_the_text_says_which_way_delta_goes() -> None:
    """CTX-18, pitfall 6"""
    assert regressions_text("office", FOUND) == snapshot("""\
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
    found = regressions_report("office", FOUND)
    assert (found["degraded"], found["missing"], len(found["regressions"])) == (1, ["E", "F"], 4)
