from typing import get_args

from harness.model import TrialStatus
from harness.reports.html.matrix import GLYPHS, MOST_CELLS, MOST_ROWS, matrix
from tests.harness.records import case_decision, result


def test_every_status_has_a_sign_of_its_own() -> None:
    assert set(GLYPHS) == set(get_args(TrialStatus))
    assert len(set(GLYPHS.values())) == len(GLYPHS)


def test_cells_lead_to_the_trials_that_are_shown() -> None:
    run = result(case_decision("A", ["pass", "fail"]), case_decision("B", ["pass"]))
    first, second = matrix(run, {("A", 2)})
    assert [(cell.glyph, cell.linked) for cell in first.cells] == [("✓", False), ("✗", True)]
    assert (first.linked, second.linked) == (True, False)
    assert first.more == ""


def test_many_trials_are_counted() -> None:
    statuses: list[TrialStatus] = ["pass"] * MOST_CELLS
    run = result(case_decision("A", [*statuses, "fail", "fail", "pass"]))
    (row,) = matrix(run, ())
    assert len(row.cells) == MOST_CELLS
    assert row.more == "and 3 more: 2 fail, 1 pass"


def test_of_many_cases_the_worst_are_shown() -> None:
    passed = [case_decision(f"P-{number}", ["pass"]) for number in range(MOST_ROWS)]
    rows = matrix(result(*passed, case_decision("F", ["fail"])), ())
    assert len(rows) == MOST_ROWS
    assert rows[0].case.id == "F"
