from pathlib import Path

from harness.cases.suite import Suite
from harness.errors import CaseProblem


def test_problems_are_told_apart_by_level() -> None:
    error, warning = CaseProblem("a", "x"), CaseProblem("b", "y", level="warning")
    suite = Suite(Path(), "s", (), (error, warning))
    assert (suite.errors, suite.warnings) == ((error,), (warning,))
