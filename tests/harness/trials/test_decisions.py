from harness.model import CaseDecision, CheckResult, Cluster, TrialDecision, find_trial


def test_a_decision_survives_the_way_through_json() -> None:
    check = CheckResult(
        kind="evidence", status="fail", reason="no 402", numbers={"missing": ["402"]}
    )
    trial = TrialDecision(case="C-1", number=1, status="fail", checks=(check,), reason="no 402")
    decision = CaseDecision(case="C-1", verdict="failed", trials=(trial,), valid=1, passed=0)
    assert CaseDecision.model_validate_json(decision.model_dump_json()) == decision


def test_a_cluster_survives_the_way_through_json() -> None:
    made = Cluster(kind="evidence", what="402", cases=("A", "B"), trials=3)
    assert Cluster.model_validate_json(made.model_dump_json()) == made


def test_a_trial_is_found_by_its_number() -> None:
    trials = [TrialDecision(case="C-1", number=number, status="pass") for number in (1, 3)]
    assert find_trial(trials, 3) is trials[1]
    assert find_trial(trials, 2) is None
