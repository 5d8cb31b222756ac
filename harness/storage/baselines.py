"""The baselines of suites: `<runs>/baselines.json`. Promotes a run where it is fit to be one."""

from pathlib import Path

from harness.errors import HarnessError
from harness.model import Frozen
from harness.storage.ledger import Ledger
from harness.storage.summaries import read_run, suite_name
from mockserver.model import did_you_mean


class Baseline(Frozen):
    """A run that later runs of its suite are held against.

    Attributes:
        run: Its id.
        suite: The short name of its suite.
        agent: Its agent spec, secrets replaced.
        set_at: When it was made the baseline, RFC 3339.
        note: Why.
    """

    run: str
    suite: str
    agent: str = ""
    set_at: str = ""
    note: str = ""


class Baselines:
    """The baselines of a folder of runs; that of a suite is the one that was set last."""

    def __init__(self, runs: Path) -> None:
        self._ledger = Ledger(runs / "baselines.json", Baseline)

    def all(self) -> tuple[Baseline, ...]:
        """All of them, the one set first first.

        Raises:
            HarnessError: The file cannot be read.
        """
        return self._ledger.entries()

    def of(self, suite: str) -> Baseline | None:
        """The one of a suite, or None.

        Args:
            suite: Its path or its short name.
        """
        name = suite_name(suite)
        return next((each for each in reversed(self.all()) if each.suite == name), None)

    def set(self, baseline: Baseline) -> None:
        """Make a run the baseline of its suite; a run that was one before is set anew.

        Raises:
            InfrastructureError: The file cannot be written.
        """
        self._ledger.change(
            lambda known: [*(each for each in known if each.run != baseline.run), baseline]
        )

    def remove(self, run: str) -> Baseline:
        """Let a run be no baseline any more; the run itself stays.

        Returns:
            What it was.

        Raises:
            HarnessError: It is none.
        """
        removed: list[Baseline] = []

        def without(known: tuple[Baseline, ...]) -> list[Baseline]:
            removed.extend(each for each in known if each.run == run)
            if not removed:
                names = [each.run for each in known]
                raise HarnessError(f"run {run!r} is no baseline", hint=did_you_mean(run, names))
            return [each for each in known if each.run != run]

        self._ledger.change(without)
        return removed[0]


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
            hint=f"understudy run --resume {path}",
        )
    if not run.valid:
        raise HarnessError(
            f"run {run.run} has no valid trial; nothing can be compared with it",
            hint="take a run whose agent was reached",
        )
    made = Baseline(run=run.run, suite=run.suite, agent=run.agent, set_at=set_at, note=note)
    Baselines(runs).set(made)
    return made
