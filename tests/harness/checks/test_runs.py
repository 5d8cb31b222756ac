from harness.checks.runs import decide_run, faults_not_met
from harness.model import TextContains, TrialRecord
from mockserver.model import Fault, FaultReport
from tests.harness.records import case, manifest, record

CASES = [case(TextContains(needles=("a",)), id=name) for name in ("C-1", "C-2")]


def _fault(met: int, case_id: str = "C-1", **facts: object) -> TrialRecord:
    report = FaultReport(fault=Fault(method="reports.activities.list", status=429), met=met)
    return record("x", case=case_id, faults=(report,), **facts)


def test_records_become_a_result_in_run_order() -> None:
    records = [
        record("b", case="C-2"),
        record("a", case="C-1", number=2),
        record("a", case="C-1"),
        record("a", case="gone"),
    ]
    found = decide_run(manifest(["C-1", "C-2"]), CASES, records, folder="runs/r1")
    assert [(each.case, each.verdict) for each in found.decisions] == [
        ("C-1", "passed"),
        ("C-2", "failed"),
    ]
    assert [(each.case, each.number) for each in found.records] == [
        ("C-1", 1),
        ("C-1", 2),
        ("C-2", 1),
    ]
    assert [reason.code for reason in found.exit_reasons] == [1]
    assert found.folder == "runs/r1"


def test_the_manifest_holds_the_policy() -> None:
    records = [record(text, number=n) for n, text in enumerate(("a", "a", "b"), 1)]
    asked = manifest(["C-1"], policy={"rate": 0.6})
    assert decide_run(asked, CASES[:1], records).decisions[0].verdict == "passed"


def test_deciding_again_gives_the_same() -> None:
    records = [record("a"), record("b", case="C-2")]
    one, other = (
        decide_run(manifest(["C-1", "C-2"]), CASES, each) for each in (records, records[::-1])
    )
    assert one == other


def test_faults_that_no_call_met_are_listed() -> None:
    method = "reports.activities.list"
    assert faults_not_met([_fault(0), _fault(0, number=2)]) == (f"C-1: {method}",)
    assert faults_not_met([_fault(0), _fault(1, number=2), _fault(0, "C-2")]) == (f"C-2: {method}",)


def test_an_agent_that_was_not_reached_meets_no_fault() -> None:
    assert faults_not_met([_fault(0, outcome="infra_error"), _fault(0, synthetic=True)]) == ()
