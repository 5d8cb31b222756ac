"""What a run is compared by: cases, hashes, passes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from harness.errors import HarnessError
from harness.model import Case, CaseDecision, Comparison, RunManifest, RunResult, Totals
from harness.statistics import Looked, Outcomes, Terms, Tried, compare, look, trials_needed
from harness.storage import RunFolder
from harness.verdicts import decide_run

_VALID = frozenset({"pass", "fail", "agent_error"})


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
    return _advised(compare(baseline, candidate, terms))


def _advised(found: Comparison) -> Comparison:
    rates = [case.before[0] / case.before[1] for case in found.cases]
    if found.verdict != "inconclusive" or not rates or not found.margin:
        return found
    needed = trials_needed(rates, found.margin, seed=found.seed)
    return found.model_copy(update={"trials_needed": needed})


def _outcomes(
    manifest: RunManifest, cases: Iterable[Case], decisions: Iterable[CaseDecision]
) -> Outcomes:
    decided = tuple(decisions)
    return Outcomes(
        run=manifest.run,
        hashes=manifest.cases,
        counts={decision.case: (decision.passed, decision.valid) for decision in decided},
        deterministic=frozenset(case.id for case in cases if case.deterministic),
        totals=_totals(decided),
        not_evaluated=frozenset(
            decision.case
            for decision in decided
            if any(trial.status == "not_evaluated" for trial in decision.trials)
        ),
        scores=_mean_scores(decided),
    )


def _mean_scores(decisions: Iterable[CaseDecision]) -> dict[str, float]:
    scores = {
        decision.case: [
            trial.score
            for trial in decision.trials
            if trial.status in _VALID and trial.score is not None
        ]
        for decision in decisions
    }
    return {case: fmean(each) for case, each in scores.items() if each}


def looked(baseline: Outcomes, candidate: RunResult, terms: Terms) -> Looked:
    """A run that is topped up until it is decided, beside its baseline."""
    tried = Tried(
        outcomes_of(candidate),
        {
            decision.case: {
                trial.number: trial.status == "pass"
                for trial in decision.trials
                if trial.status in _VALID
            }
            for decision in candidate.decisions
        },
        candidate.manifest.trials,
    )
    found = look(baseline, tried, terms)
    return found if found.wanted else replace(found, comparison=_advised(found.comparison))


def _totals(decisions: Sequence[CaseDecision]) -> Totals:
    checks = [
        result
        for decision in decisions
        for trial in decision.trials
        if trial.status in _VALID
        for result in trial.checks
        if result.required
    ]
    return Totals(
        cases_passed=sum(decision.verdict == "passed" for decision in decisions),
        cases=len(decisions),
        checks_passed=sum(result.status == "pass" for result in checks),
        checks=len(checks),
    )
