from harness.model import CaseDecision, CheckResult, JsonObject
from harness.verdicts.runs import clusters
from tests.harness.records import case_decision, trial


def _case(name: str, *checks: CheckResult, trials: int = 1) -> CaseDecision:
    made = tuple(trial("fail", number, case=name, checks=checks) for number in range(1, trials + 1))
    return case_decision(name, ["fail"]).model_copy(update={"trials": made})


def _check(
    kind: str, *, status: str = "fail", required: bool = True, **numbers: object
) -> CheckResult:
    known: JsonObject = {"kind": kind, "status": status, "required": required, "numbers": numbers}
    return CheckResult.model_validate(known)


def test_cases_that_lack_the_same_stand_together() -> None:
    """CEP-82"""
    missing = _check("evidence", missing=["402", "quota"])
    found = clusters(
        [_case("A", missing, trials=2), _case("B", _check("evidence", missing=["402"]))]
    )
    assert [(each.what, each.cases, each.trials) for each in found] == [("402", ("A", "B"), 3)]


def test_what_was_found_counts_only_where_it_must_not_be() -> None:
    found = clusters(
        [_case(name, _check("forbidden_tools", found=["rm"]), _check("evidence", found=3))
         for name in "AB"]
    )  # fmt: skip
    assert [(each.kind, each.what) for each in found] == [("forbidden_tools", "rm")]


def test_one_case_alone_and_what_passed_or_is_for_information_make_no_cluster() -> None:
    passing = _check("evidence", status="pass", missing=["x"])
    loose = _check("evidence", required=False, missing=["x"])
    assert (
        clusters([_case("A", _check("evidence", missing=["x"])), _case("B", passing, loose)]) == ()
    )


def test_the_most_frequent_comes_first() -> None:
    one, both = _check("evidence", missing=["a"]), _check("evidence", missing=["a", "b"])
    found = clusters([_case("A", both), _case("B", both), _case("C", one)])
    assert [each.what for each in found] == ["a", "b"]
