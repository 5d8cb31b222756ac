"""The error tree of the harness, and what the process exits with.

HarnessError                  what the command line prints as one line; exit code 2
    InvalidCasesError         every invalid file of a suite at once; exit code 2
    InfrastructureError       target unreachable, mock did not start; exit code 3
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from mockserver.errors import Problem, UserError, plain_reason, shortage_behind

__all__ = [
    "CaseProblem",
    "Exit",
    "HarnessError",
    "InfrastructureError",
    "InvalidCasesError",
    "plain_reason",
    "reason_of",
    "shortage_behind",
]


class Exit(IntEnum):
    """Exit codes; where several apply, the precedence is 2 > 3 > 5 > 1 > 4."""

    OK = 0
    """Every case passed."""
    GATE_FAILED = 1
    """A case failed or is flaky, or another gate did not hold (`--strict`, `--min-stability`)."""
    USAGE = 2
    """Usage error, invalid case or snapshot, or nothing was selected."""
    INFRASTRUCTURE = 3
    """The mock server or the agent was not reached, or too many trials ended in `infra_error`."""
    REGRESSION = 4
    """The run is worse than its baseline."""
    NO_VERDICT = 5
    """A case is inconclusive, or every case was skipped."""
    INTERRUPTED = 130
    """The run was interrupted; `understudy run --resume` finishes it."""


def reason_of(error: Exception) -> str:
    """What an error says, without the path that the message around it names already.

    Of fields that do not hold it tells the first, in plain words, and how many more there are.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "a.json"))
    'No such file or directory'
    """
    invalid = getattr(error, "errors", None)
    if not callable(invalid):
        return getattr(error, "strerror", None) or str(error)
    found = invalid(include_url=False, include_input=False, include_context=False)
    place = "".join(f"/{step}" for step in found[0]["loc"])
    text = plain_reason(found[0]["msg"])
    first = f"{place}: {text[:1].lower()}{text[1:]}" if place else text
    return f"{first}, and {len(found) - 1} more" if len(found) > 1 else first


class HarnessError(UserError):
    """An error of the harness."""

    exit_code: int = Exit.USAGE


@dataclass(frozen=True)
class CaseProblem(Problem):
    """One thing that is wrong in one case file.

    Attributes:
        case: The id of the case that it concerns alone, or an empty string.
    """

    case: str = ""

    @property
    def about_its_case(self) -> str:
        """The problem as it stands below the name of its case, which is not repeated."""
        return self.with_message(self.message.removeprefix(f"{self.case}: "))


class InvalidCasesError(HarnessError):
    """Everything that is wrong in a suite, at once."""

    def __init__(self, problems: Sequence[CaseProblem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class InfrastructureError(HarnessError):
    """The target is unreachable or the mock server did not start."""

    exit_code = Exit.INFRASTRUCTURE
