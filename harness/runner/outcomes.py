"""What a run is compared by: cases, hashes, passes."""

from collections.abc import Iterable
from pathlib import Path

from harness.checks import decide_run
from harness.errors import HarnessError
from harness.model import Case, CaseDecision, Comparison, RunManifest, RunResult
from harness.statistics import Outcomes, Terms, compare, trials_needed
from harness.storage import RunFolder


def outcomes_of(result: RunResult) -> Outcomes:
    """Of a run that was decided just now."""
    return _outcomes(result.manifest, result.cases, result.decisions)


def stored_outcomes(path: Path) -> Outcomes:
    """Of an earlier run: as it was decided then, or decided now where it was not.

    Raises:
        HarnessError: There is no such run, something in it is broken, or it has no valid trial, so
            that nothing can be compared with it.
    """
    folder = RunFolder(path)
    manifest, cases = folder.manifest(), folder.cases()
    decisions = folder.decisions(manifest.policy)
    if decisions is None:
        decisions = decide_run(manifest, cases, folder.records()).decisions
    found = _outcomes(manifest, cases, decisions)
    if not any(valid for _, valid in found.counts.values()):
        raise HarnessError(
            f"run {manifest.run} has no valid trial; nothing can be compared with it",
            hint="take a run whose agent was reached",
        )
    return found


def compared(baseline: Outcomes, candidate: Outcomes, terms: Terms) -> Comparison:
    """Two runs beside each other; where that decides nothing, with the trials that would."""
    found = compare(baseline, candidate, terms)
    rates = [case.before[0] / case.before[1] for case in found.cases]
    if found.verdict != "inconclusive" or not rates or not terms.margin:
        return found
    needed = trials_needed(rates, terms.margin, seed=terms.seed)
    return found.model_copy(update={"trials_needed": needed})


def _outcomes(
    manifest: RunManifest, cases: Iterable[Case], decisions: Iterable[CaseDecision]
) -> Outcomes:
    return Outcomes(
        run=manifest.run,
        hashes=manifest.cases,
        counts={decision.case: (decision.passed, decision.valid) for decision in decisions},
        deterministic=frozenset(case.id for case in cases if case.deterministic),
    )
