from harness.reports.recovery import recoveries
from tests.harness.records import case, case_decision, result


def test_recovery_is_counted_over_cases_that_pass_without_faults() -> None:
    decisions = [
        case_decision("A", ["pass", "pass"]),
        case_decision("A--slow", ["pass", "fail"]),
        case_decision("B", ["fail"]),
        case_decision("B--slow", ["fail"]),
        case_decision("C", ["pass"]),
        case_decision("C--slow", ["pass"]),
    ]
    cases = tuple(
        case(id=each.case, tags=("faults:slow",) if each.case.endswith("slow") else ())
        for each in decisions
    )
    made = result(*decisions, cases=cases, faults_not_met=("C--slow: *",))
    (slow,) = recoveries(made)
    assert (slow.profile, slow.recovered, slow.valid) == ("slow", 1, 2)
    assert slow.text == "1/2 trials; lost: A; never met: C"


def test_without_faults_there_is_nothing_to_recover_from() -> None:
    assert recoveries(result(case_decision("A", ["pass"]))) == ()


def test_a_profile_whose_cases_all_fail_says_so() -> None:
    decisions = [case_decision("A", ["fail"]), case_decision("A--slow", ["fail"])]
    cases = (case(id="A"), case(id="A--slow", tags=("faults:slow",)))
    (slow,) = recoveries(result(*decisions, cases=cases))
    assert slow.text == "nothing to recover"
