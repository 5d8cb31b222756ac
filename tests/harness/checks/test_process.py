from harness.checks.table import check
from harness.model import ExitCode
from tests.harness.records import record


def test_the_exit_code_is_compared() -> None:
    assert check(record("x", exit_code=0), ExitCode(code=0)).status == "pass"
    found = check(record("x", exit_code=3), ExitCode(code=0))
    assert (found.status, found.reason) == ("fail", "exit code 3, expected 0")


def test_an_agent_without_a_process_has_none() -> None:
    assert check(record("x"), ExitCode(code=0)).status == "not_evaluated"
