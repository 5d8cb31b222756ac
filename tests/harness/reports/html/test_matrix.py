import json
from typing import Any

import pytest

from harness.model import Case, CaseDecision, TrialStatus
from harness.reports.html.matrix import MOST_CELLS, MatrixView, matrix_view
from tests.harness.records import case, case_decision


def view(*decisions: CaseDecision, **options: Any) -> MatrixView:
    cases = [case(id=each.case, title=f"Title <{each.case}>") for each in decisions]
    return matrix_view(cases, decisions, trial_link="/{case}/{number}", **options)


def data_of(matrix: MatrixView) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(matrix.data)
    return found


def test_what_did_not_pass_comes_first_in_run_order() -> None:
    found = view(
        case_decision("A", ["pass"]),
        case_decision("B", ["pass", "fail"], verdict="flaky"),
        case_decision("C", ["fail"]),
        case_decision("D", ["skipped"]),
        case_decision("E", ["fail"]),
    )
    assert [row.case for row in found.rows] == ["C", "E", "B", "D", "A"]
    assert [row.position for row in found.rows] == [2, 4, 1, 3, 0]
    assert found.verdicts == {"failed": 2, "flaky": 1, "skipped": 1, "passed": 1}


@pytest.mark.parametrize(
    ("linked", "cells", "href"),
    [
        (None, ["/A/1", "/A/2"], "/A/2"),
        ({("A", 1)}, ["/A/1", ""], "/A/1"),
        ((), ["", ""], ""),
    ],
)
def test_cells_lead_to_trials_and_the_case_to_the_one_that_tells_most(
    linked: Any, cells: list[str], href: str
) -> None:
    (row,) = view(case_decision("A", ["pass", "fail"]), linked=linked).rows
    assert ([cell.href for cell in row.cells], row.href) == (cells, href)


def test_many_trials_are_counted() -> None:
    statuses: list[TrialStatus] = ["pass"] * MOST_CELLS
    (row,) = view(case_decision("A", [*statuses, "fail", "fail", "pass"])).rows
    assert len(row.cells) == MOST_CELLS
    assert row.hidden == "and 3 more: 2 fail, 1 pass"


def test_reasons_are_told_once_and_counted() -> None:
    decision = case_decision("A", ["fail", "fail", "fail"])
    reasons = ("lacks \n'x'", "lacks 'y'", "lacks 'y'")
    trials = tuple(
        trial.model_copy(update={"reason": reason})
        for trial, reason in zip(decision.trials, reasons, strict=True)
    )
    (row,) = view(decision.model_copy(update={"trials": trials, "reason": reasons[0]})).rows
    assert (row.reason, row.other_reasons) == ("lacks 'x'", 1)


def test_rows_beyond_are_data_that_no_markup_can_be_in() -> None:
    found = view(
        case_decision("A", ["fail"]), case_decision("B", ["pass"]), case_decision("C", ["pass"]),
        most_rows=1, milliseconds={"B": 12.34}, notes={"C": "regressed"}, linked={("C", 1)},
    )  # fmt: skip
    assert [row.case for row in found.rows] == ["A"]
    assert found.cases == 3
    assert found.timed
    assert "<" not in found.data
    data = data_of(found)
    assert data["rows"] == [
        [1, "B", "Title <B>", 0, 4, 1, 1, [], "", 0, "", 12.3, [], [], "0", ""],
        [2, "C", "Title <C>", 0, 4, 1, 1, [], "", 0, "regressed", None, [0], [], "0", ""],
    ]
    assert data["link"] == "/{case}/{number}"


def test_numbers_of_trials_are_told_where_some_are_missing() -> None:
    decision = case_decision("A", ["pass", "pass"])
    later = tuple(
        trial.model_copy(update={"number": trial.number + 1}) for trial in decision.trials
    )
    found = view(decision.model_copy(update={"trials": later}), most_rows=0)
    assert data_of(found)["rows"][0][12:15] == [[0, 1], [2, 3], "00"]


def test_what_rows_are_filtered_by_is_counted() -> None:
    cases = [
        Case(id=name, turns=case().turns, category=category)
        for name, category in (("A", "b"), ("B", "a"), ("C", ""), ("D", "a"))
    ]
    decisions = [case_decision(each.id, ["agent_error"]) for each in cases]
    found = matrix_view(cases, decisions, trial_link="")
    assert list(found.categories.items()) == [("a", 2), ("b", 1), ("uncategorised", 1)]
    assert found.classes == {"agent error": 4}
    assert not found.timed


def test_a_large_run_is_small() -> None:
    """2,000 cases of five trials: rows beyond the first are some 100 bytes."""
    found = view(*(case_decision(f"C-{at}", ["pass"] * 5) for at in range(2000)))
    assert len(found.data) < 200_000
