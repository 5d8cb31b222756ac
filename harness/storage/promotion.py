"""Makes a run the baseline of its suite, where it is fit for it."""

from pathlib import Path

from harness.errors import HarnessError
from harness.storage.baselines import Baseline, Baselines
from harness.storage.reading import read_run


def promote(runs: Path, path: Path, *, set_at: str, note: str = "") -> Baseline:
    """Make a run the baseline that later runs of its suite are held against.

    Args:
        runs: The directory of runs that has the baselines.
        path: The run's directory.
        set_at: Now, RFC 3339.
        note: Why.

    Raises:
        HarnessError: The run cannot be read, has no valid trial, or is unfinished.
        InfrastructureError: The baselines cannot be written.
    """
    run = read_run(path).run
    if run.state == "unfinished":
        raise HarnessError(
            f"run {run.run} is unfinished, so it is no baseline",
            hint=f"harness run --resume {path}",
        )
    if not run.valid:
        raise HarnessError(
            f"run {run.run} has no valid trial; nothing can be compared with it",
            hint="take a run whose agent was reached",
        )
    made = Baseline(run=run.run, suite=run.suite, agent=run.agent, set_at=set_at, note=note)
    Baselines(runs).set(made)
    return made
