from harness.reports.html.chosen import chosen
from tests.harness.records import case_decision


def test_the_first_failure_of_each_case_comes_first() -> None:
    decisions = [
        case_decision("A", ["pass", "fail", "fail"]),
        case_decision("B", ["infra_error"]),
        case_decision("C", ["pass", "pass"]),
    ]
    found = [(trial.case, trial.number) for trial in chosen(decisions)]
    assert found == [("A", 2), ("B", 1), ("A", 3), ("A", 1), ("C", 1), ("C", 2)]
    assert [(trial.case, trial.number) for trial in chosen(decisions, 2)] == found[:2]


def test_of_nothing_nothing_is_chosen() -> None:
    assert chosen([]) == []
