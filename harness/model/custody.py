"""The custody of a run's evidence: who could have touched it, and who tried."""

from harness.trials.values import Frozen
from mockserver.model import Tampering


class Custody(Frozen):
    """The custody of the evidence, one time that trials were run.

    Attributes:
        protected: Whether its control API asked for a token that no agent was given.
        attempts: What was tried and refused, by callers that are of no trial.
        planted: Files that lay in the place of a trial's record before the trial was over, or of
            trials that nobody planned, by where they were set aside.
        changed: Records that are not what was written any more, or gone.
    """

    protected: bool
    attempts: tuple[Tampering, ...] = ()
    planted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
