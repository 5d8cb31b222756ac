from harness.checks.expectation import failed, not_evaluated, passed, verdict
from harness.model import ExitCode

ASKED = ExitCode(code=0, turn=2)
TOLD = ExitCode(code=0, required=False)


def test_a_result_names_its_expectation() -> None:
    assert failed(ASKED, "why", score=1).model_dump() == {
        "kind": "exit_code",
        "status": "fail",
        "reason": "why",
        "turn": 2,
        "numbers": {"score": 1},
        "required": True,
    }


def test_no_reason_is_a_pass() -> None:
    assert verdict(ASKED, "").status == "pass"
    assert verdict(ASKED, "x").status == "fail"


def test_what_is_not_required_informs_and_says_whether_it_passed() -> None:
    assert [passed(TOLD).status, failed(TOLD, "x").status] == ["informational"] * 2
    assert [passed(TOLD).numbers, failed(TOLD, "x").numbers] == [
        {"passed": True},
        {"passed": False},
    ]


def test_missing_facts_stay_visible_where_nothing_is_required() -> None:
    assert not_evaluated(TOLD, "no").status == "not_evaluated"
