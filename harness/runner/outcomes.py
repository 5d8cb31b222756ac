"""Outcomes of runs, by which they are compared.

They are read from run directories, from review results, and from baseline files.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import (
    Case,
    CaseDecision,
    Comparison,
    Frozen,
    ReviewResults,
    RunManifest,
    RunResult,
    Totals,
    trial_numbers,
    trial_scores,
    trial_shapes,
)
from harness.statistics import (
    LookResult,
    Outcomes,
    SequentialRun,
    Terms,
    compare,
    look_at,
    trials_needed,
)
from harness.storage import DecisionWriter, RunFolder, refuse_later, write_whole
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
        decisions = _decide(folder, manifest, cases)
    found = _outcomes(manifest, cases, decisions)
    if not any(valid for _, valid in found.counts.values()):
        raise HarnessError(
            f"run {manifest.run} has no valid trial; nothing can be compared with it",
            hint="take a run whose agent was reached",
        )
    return found


def _decide(
    folder: RunFolder, manifest: RunManifest, cases: Sequence[Case]
) -> tuple[CaseDecision, ...]:
    """Decide a run whose directory is left as it is.

    Raises:
        HarnessError: Something in the run is broken, or there is no room for what is decided.
    """
    try:
        with (
            TemporaryDirectory() as place,
            DecisionWriter(Path(place) / "decided", manifest.policy, manifest.cases) as writer,
        ):
            return decide_run(manifest, cases, folder.records(), keeper=writer).decisions
    except OSError as error:
        why = reason_of(error)
        raise InfrastructureError(f"cannot keep what run {manifest.run} comes to: {why}") from None


def compare_outcomes(baseline: Outcomes, candidate: Outcomes, terms: Terms) -> Comparison:
    """Two runs beside each other; where that decides nothing, with the trials that would."""
    return _with_advice(compare(baseline, candidate, terms))


def _with_advice(found: Comparison) -> Comparison:
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
            if any(shape.status == "not_evaluated" for shape in trial_shapes(decision.trials))
        ),
        scores=_mean_scores(decided),
    )


def _mean_scores(decisions: Iterable[CaseDecision]) -> dict[str, float]:
    scores = {
        decision.case: array(
            "d",
            (
                score
                for shape, score in zip(
                    trial_shapes(decision.trials), trial_scores(decision.trials), strict=True
                )
                if shape.status in _VALID and score is not None
            ),
        )
        for decision in decisions
    }
    return {case: fmean(each) for case, each in scores.items() if each}


def take_look(baseline: Outcomes, candidate: RunResult, terms: Terms) -> LookResult:
    """A run that is topped up until it is decided, beside its baseline."""
    tried = SequentialRun(
        outcomes_of(candidate),
        {
            decision.case: {
                number: shape.status == "pass"
                for number, shape in zip(
                    trial_numbers(decision.trials), trial_shapes(decision.trials), strict=True
                )
                if shape.status in _VALID
            }
            for decision in candidate.decisions
        },
        candidate.manifest.trials,
    )
    found = look_at(baseline, tried, terms)
    return found if found.wanted else replace(found, comparison=_with_advice(found.comparison))


def _totals(decisions: Sequence[CaseDecision]) -> Totals:
    checks = Counter(
        check.status
        for decision in decisions
        for shape in trial_shapes(decision.trials)
        if shape.status in _VALID
        for check in shape.checks
        if check.required
    )
    return Totals(
        cases_passed=sum(decision.verdict == "passed" for decision in decisions),
        cases=len(decisions),
        checks_passed=checks["pass"],
        checks=checks.total(),
    )


def outcomes_of_review(results: ReviewResults, beside: ReviewResults | None = None) -> Outcomes:
    """What is compared of a results file.

    Args:
        results: What it holds.
        beside: What it is compared with: a case without a hash (of the original runner) is taken to
            be the other's.

    Raises:
        HarnessError: No case has a valid run, so that nothing can be compared with it.
    """
    run = results.experiment.run or "results"
    known = {case.id: case.hash for case in beside.cases} if beside else {}
    if not any(case.valid for case in results.cases):
        raise HarnessError(
            f"{run} has no valid run of any case; nothing can be compared with it",
            hint="take results of a service that was reached",
        )
    return Outcomes(
        run=run,
        hashes={case.id: case.hash or known.get(case.id, "") for case in results.cases},
        counts={case.id: (case.passed_runs, case.valid) for case in results.cases},
    )


class BaselineCase(Frozen):
    """What is kept of a case: its hash, passes, valid trials, and mean score from 0 to 1."""

    hash: str
    passed: int = Field(ge=0)
    valid: int = Field(ge=0, le=1_000_000_000)
    score: float | None = None
    deterministic: bool = False

    @model_validator(mode="after")
    def _passes_are_valid(self) -> Self:
        if self.passed > self.valid:
            raise ValueError(f"{self.passed} passes of {self.valid} valid trials")
        return self


class BaselineFile(Frozen):
    """What is kept of a run.

    Attributes:
        version: Of this file format.
        kind: Tells the file from others.
        run: The run's id.
        suite: The suite's path as given.
        agent: The agent spec, secrets replaced.
        cases: Case id to what is kept of it.
    """

    version: Literal[1] = 1
    kind: Literal["baseline"] = "baseline"
    run: str
    suite: str
    agent: str = ""
    cases: dict[str, BaselineCase]


def read_baseline(path: Path) -> Outcomes:
    """What later runs are compared with.

    Raises:
        HarnessError: The file cannot be read as a baseline, or has no valid trial.
    """
    try:
        content = path.read_bytes()
        refuse_later("baseline", content, path)
        kept = BaselineFile.model_validate_json(content)
    except (OSError, ValidationError) as error:
        said = reason_of(error)
        hint = "understudy run SUITE --baseline FILE --save-baseline writes one"
        raise HarnessError(f"{path}: cannot be read as a baseline: {said}", hint=hint) from None
    if not any(case.valid for case in kept.cases.values()):
        raise HarnessError(f"{path}: a baseline without any valid trial", hint="save another run")
    return Outcomes(
        run=kept.run,
        hashes={id: case.hash for id, case in kept.cases.items()},
        counts={id: (case.passed, case.valid) for id, case in kept.cases.items()},
        deterministic=frozenset(id for id, case in kept.cases.items() if case.deterministic),
    )


def write_baseline(path: Path, result: RunResult) -> None:
    """Keep a run as a baseline.

    Raises:
        InfrastructureError: The file cannot be written.
    """
    found = outcomes_of(result)
    scores = {
        decision.case: [score for score in trial_scores(decision.trials) if score is not None]
        for decision in result.decisions
    }
    cases = {
        id: BaselineCase(
            hash=found.hashes[id],
            passed=passed,
            valid=valid,
            score=sum(scores[id]) / len(scores[id]) if scores[id] else None,
            deterministic=id in found.deterministic,
        )
        for id, (passed, valid) in found.counts.items()
    }
    manifest = result.manifest
    kept = BaselineFile(run=manifest.run, suite=manifest.suite, agent=manifest.agent, cases=cases)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, kept.model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise InfrastructureError(f"cannot write {str(path)!r}: {reason_of(error)}") from None
