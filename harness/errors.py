"""The error tree of the harness, and what the process exits with.

HarnessError                  what the command line prints as one line; exit code 2
    InvalidCasesError         every invalid file of a suite at once; exit code 2
    InfrastructureError       target unreachable, mock did not start; exit code 3
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from mockserver.errors import Problem, UserError


class Exit(IntEnum):
    """Exit codes; where several apply, the precedence is 2 > 3 > 5 > 1 > 4."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    INFRASTRUCTURE = 3
    REGRESSION = 4
    NO_VERDICT = 5
    INTERRUPTED = 130


def reason_of(error: Exception) -> str:
    """What an error says, without the path that the message around it names already.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "a.json"))
    'No such file or directory'
    """
    return getattr(error, "strerror", None) or str(error)


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
