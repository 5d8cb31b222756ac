"""The trials that were forked from a trial, and from those, as a tree."""

from harness.trials.records import ForkOrigin
from harness.trials.values import Frozen


class ForkNode(Frozen):
    """A trial at the root of a tree, or the run of a fork.

    Attributes:
        run: The run's id.
        case: The case's id.
        number: The trial's number, of the root; None of a fork, which counts with all its trials.
        fork: Where it leaves the trial above it, and what is other from there on; None of the root.
        passed: Trials that passed.
        valid: Trials that say something of the agent.
        verdict: The status of the root's trial, or the verdict of the fork's case; empty where
            nothing was decided yet.
        tokens: What its trials took, the sum; None where nobody says.
        cost_usd: US dollars, likewise.
        forks: What was forked from it, in the order in which that was made.
    """

    run: str
    case: str
    number: int | None = None
    fork: ForkOrigin | None = None
    passed: int = 0
    valid: int = 0
    verdict: str = ""
    tokens: float | None = None
    cost_usd: float | None = None
    forks: tuple["ForkNode", ...] = ()
