"""Collects everything that is wrong in a suite, so that it is told at once."""

from harness.errors import CaseProblem


class Findings:
    """Problems in the order they were found; errors and warnings.

    Attributes:
        problems: What was found so far.
    """

    def __init__(self) -> None:
        self.problems: list[CaseProblem] = []

    def error(self, where: str, message: str, hint: str = "") -> None:
        """Note something that makes the suite invalid."""
        self.problems.append(CaseProblem(where, message, hint))

    def warning(self, where: str, message: str, hint: str = "") -> None:
        """Note something that is allowed and probably not meant."""
        self.problems.append(CaseProblem(where, message, hint, level="warning"))
