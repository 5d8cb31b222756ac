"""The three things a check can say."""

from typing import Protocol

from harness.model import CheckResult, CheckStatus, Json


class Asks(Protocol):
    """What every expectation has."""

    @property
    def kind(self) -> str:
        """Which check it asks for."""
        ...

    @property
    def turn(self) -> int | None:
        """The turn it speaks of, from 1, or None."""
        ...

    @property
    def required(self) -> bool:
        """Whether the verdict depends on it."""
        ...


def passed(expectation: Asks, **numbers: Json) -> CheckResult:
    """What was expected was found."""
    return _result(expectation, "pass", "", numbers)


def failed(expectation: Asks, reason: str, **numbers: Json) -> CheckResult:
    """Something else was found; the reason says what was expected and what is there."""
    return _result(expectation, "fail", reason, numbers)


def not_evaluated(expectation: Asks, reason: str, **numbers: Json) -> CheckResult:
    """The facts to decide are missing; never a pass."""
    return _result(expectation, "not_evaluated", reason, numbers)


def verdict(expectation: Asks, reason: str, **numbers: Json) -> CheckResult:
    """Passed when there is no reason against it, else failed."""
    return _result(expectation, "fail" if reason else "pass", reason, numbers)


def _result(
    expectation: Asks, status: CheckStatus, reason: str, numbers: dict[str, Json]
) -> CheckResult:
    if not expectation.required and status != "not_evaluated":
        numbers = {**numbers, "passed": status == "pass"}
        status = "informational"
    return CheckResult(
        kind=expectation.kind,
        status=status,
        reason=reason,
        turn=expectation.turn,
        numbers=numbers,
        required=expectation.required,
    )
