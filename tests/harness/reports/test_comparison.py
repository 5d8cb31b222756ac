import pytest

from harness.errors import HarnessError
from harness.model import JsonObject
from harness.reports.comparison import Comparison, compare_reports, comparison_text
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
    assert compare_reports(OLD, NEW) == Comparison(
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
    assert comparison_text(Comparison()) == "nothing to compare\n"


def test_long_lists_are_named_in_part_but_new_failures_in_full() -> None:
    names = [f"c{number}" for number in range(12)]
    text = comparison_text(Comparison(new_failures=names, removed=names))
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
