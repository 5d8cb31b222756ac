"""How many trials each case of a run is given at first."""

from harness.cli.run_options import RunOptions
from harness.errors import HarnessError


def trials_of(options: RunOptions) -> int | None:
    """How many trials each case is given at first; None where each case has its own number.

    Raises:
        HarnessError: There are to be none, or two options want to tell the number.
    """
    if options.trials is not None and options.trials < 1:
        raise HarnessError(f"--trials is {options.trials}; at least 1 is needed")
    if not options.until_decided:
        return options.trials
    if options.trials is not None or options.shard:
        other = "--shard" if options.shard else "--trials"
        raise HarnessError(f"--until-decided tells the trials itself; leave {other} out")
    from harness.statistics import LOOKS

    return LOOKS[0]
