"""Collects everything that is wrong in a suite, so that it is told at once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from harness.errors import CaseProblem
from harness.model import Json


@dataclass(frozen=True)
class Remark:
    """What is to be said of a case.

    Attributes:
        message: One sentence.
        about: Values or keys of the case that it is about, the most telling first: the place that
            is told is that of the first one that is written there.
        hint: What to do, or an empty string.
    """

    message: str
    about: Sequence[Json] = ()
    hint: str = ""


class Findings:
    """Problems in the order they were found; errors and warnings.

    Attributes:
        problems: What was found so far.
    """

    def __init__(self) -> None:
        self.problems: list[CaseProblem] = []
        self._case = ""

    def error(self, where: str, message: str, hint: str = "") -> None:
        """Note something that makes a case, or the suite around it, invalid."""
        self.problems.append(CaseProblem(where, message, hint, case=self._case))

    def warning(self, where: str, message: str, hint: str = "") -> None:
        """Note something that is allowed and probably not meant."""
        self.problems.append(CaseProblem(where, message, hint, level="warning", case=self._case))

    @contextmanager
    def of_case(self, case: object) -> Iterator[None]:
        """Put what is noted inside the block down to one case, by its id where that is a text.

        Yields:
            Nothing.
        """
        before, self._case = self._case, case if isinstance(case, str) else ""
        try:
            yield
        finally:
            self._case = before

    def invalid_cases(self) -> frozenset[str]:
        """The ids of cases that an error concerns."""
        return frozenset(item.case for item in self.problems if item.level == "error" and item.case)
