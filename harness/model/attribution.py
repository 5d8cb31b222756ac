"""Whose failure it is, and which failures are of one kind."""

from typing import Literal

from harness.model.values import Frozen

Attribution = Literal["agent", "case", "fixture", "infrastructure", "judge"]


class Cluster(Frozen):
    """Failures of several cases that lack, or show, the same thing.

    Attributes:
        kind: The check's kind.
        what: What is missing or forbidden: a marker, a tool, a request.
        cases: The cases, in run order; at least two.
        trials: How many trials show it.
    """

    kind: str
    what: str
    cases: tuple[str, ...]
    trials: int
