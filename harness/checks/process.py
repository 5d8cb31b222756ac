"""How the agent's process ended."""

from harness.checks.results import not_evaluated, verdict
from harness.model import CheckResult, ExitCode, TrialRecord


def check_exit_code(record: TrialRecord, expectation: ExitCode) -> CheckResult:
    """Whether the process exited with the code; an agent without a process has none."""
    if record.exit_code is None:
        return not_evaluated(expectation, "the agent has no exit code: it is not a process of ours")
    wrong = record.exit_code != expectation.code
    reason = f"exit code {record.exit_code}, expected {expectation.code}" if wrong else ""
    return verdict(expectation, reason, exit_code=record.exit_code, expected=expectation.code)
