"""Why a stored trial failed: it is held against trials of its case that passed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.errors import HarnessError
from harness.model import (
    Case,
    CaseDecision,
    TrialDecision,
    find_trial,
    select_trials,
    trial_numbers,
)
from harness.reports import NEVER_EXPLAINED, Passing, Story, explain, passing_trials
from harness.storage import Baselines, RunFolder
from harness.verdicts import decide_run
from mockserver.model import did_you_mean


@dataclass(frozen=True, slots=True)
class TrialName:
    """Which trial of which run is meant.

    Attributes:
        run: The run's folder.
        case: The case's id.
        number: The trial's number; None for the first that failed.
    """

    run: Path
    case: str
    number: int | None = None


def explain_trial(name: TrialName, other: Path | None = None) -> Story:
    """The story of a trial.

    It is held against the trials of its case that passed: of the run that is named, else of its own
    run, else of the baseline of its suite.

    Args:
        name: The trial.
        other: A run whose passing trials are to be compared, or None.

    Raises:
        HarnessError: There is no such trial, its record is gone, or no trial of the case passed in
            the run that is named.
    """
    folder = RunFolder(name.run)
    case, decision = decided_case(folder, name.case)
    trial = chosen_trial(decision, name.number)
    record = folder.records().get(case.id, trial.number)
    if record is None:
        raise HarnessError(f"the record of trial {trial.number} of case {case.id!r} is not there")
    passing = tuple(_passing_runs(folder, decision, other))
    if other is not None and not passing:
        raise HarnessError(
            f"no trial of case {case.id!r} passed in run {str(other)!r}",
            hint="name a run in which it did, or leave the option out",
        )
    return explain(case, record, trial, passing)


def decided_case(folder: RunFolder, id: str) -> tuple[Case, CaseDecision]:
    """A case of a run, and what was decided about it.

    Raises:
        HarnessError: There is no such case, or none of its trials is finished.
    """
    manifest, cases = folder.manifest(), {case.id: case for case in folder.cases()}
    if id not in cases:
        hint = did_you_mean(id, cases) or f"it has {len(cases)} cases"
        raise HarnessError(f"run {manifest.run!r} has no case {id!r}", hint=hint)
    decisions = folder.decisions(manifest.policy)
    if decisions is None:
        decisions = decide_run(manifest, tuple(cases.values()), folder.records()).decisions
    found = next((each for each in decisions if each.case == id), None)
    if found is None or not found.trials:
        raise HarnessError(f"no trial of case {id!r} is finished in run {manifest.run!r}")
    return cases[id], found


def chosen_trial(decision: CaseDecision, number: int | None) -> TrialDecision:
    """A trial of a case: the one of a number, else the first that failed, else the first.

    Raises:
        HarnessError: There is no trial of this number.
    """
    trials = decision.trials
    if number is None:
        failed = select_trials(trials, lambda shape: shape.status not in NEVER_EXPLAINED)
        return next(failed, trials[0])
    if (found := find_trial(trials, number)) is not None:
        return found
    known = ", ".join(map(str, trial_numbers(trials)))
    raise HarnessError(f"case {decision.case!r} has no trial {number}", hint=f"there are {known}")


def _passing_runs(
    folder: RunFolder, decision: CaseDecision, other: Path | None
) -> Iterator[Passing]:
    if other is not None:
        yield from _passing_in(RunFolder(other), decision.case, "other run")
        return
    own = [*passing_trials(decision, folder.records(), "run", folder.manifest().run)]
    yield from own
    if own:
        return
    runs = folder.path.parent
    baseline = Baselines(runs).of(folder.manifest().suite)
    if baseline is not None and (runs / baseline.run).is_dir():
        yield from _passing_in(RunFolder(runs / baseline.run), decision.case, "baseline")


def _passing_in(
    folder: RunFolder, id: str, kind: Literal["baseline", "other run"]
) -> Iterator[Passing]:
    manifest = folder.manifest()
    if id in manifest.cases:
        _, decision = decided_case(folder, id)
        yield from passing_trials(decision, folder.records(), kind, manifest.run)
