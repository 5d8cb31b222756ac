"""From a run directory to what the index says of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from harness.model import CaseDecision, RunManifest
from harness.storage.baselines import suite_name
from harness.storage.run_folder import RunFolder
from harness.storage.summaries import CaseSummary, RunState, RunSummary


@dataclass(frozen=True)
class ReadRun:
    """A run as its directory has it.

    Attributes:
        run: The run.
        cases: Its cases, in run order.
        scores: Case to the mean score of its trials, where one has a score.
    """

    run: RunSummary
    cases: tuple[CaseSummary, ...]
    scores: Mapping[str, float] = field(default_factory=dict)


def stamp(path: Path) -> str:
    """Changes when a run directory says something else; nothing in it is read.

    Raises:
        OSError: It is gone.
    """
    manifest = (path / "manifest.json").stat().st_mtime_ns
    decided = [file.stat().st_mtime_ns for file in (path / "decisions").glob("*.json")]
    trials = sum(1 for _ in (path / "trials").glob("*/*.json")) if not decided else 0
    return f"{manifest}.{max(decided, default=0)}.{trials}"


def read_run(path: Path) -> ReadRun:
    """Read what the index keeps of a run.

    Raises:
        HarnessError: Something in the directory cannot be read.
    """
    folder = RunFolder(path)
    manifest = folder.manifest()
    decisions = {each.case: each for each in folder.decisions(manifest.policy) or ()}
    categories = {case.id: case.category for case in folder.cases()}
    cases = tuple(
        _case(id, hash, categories[id], decisions.get(id)) for id, hash in manifest.cases.items()
    )
    written = sum(map(len, (each.trials for each in decisions.values())))
    trials = written if decisions else folder.records().count()
    run = _run(manifest, path, cases, trials, decided=bool(decisions))
    return ReadRun(run, cases, _scores(decisions.values()))


def _scores(decisions: Iterable[CaseDecision]) -> dict[str, float]:
    scores = {
        each.case: [trial.score for trial in each.trials if trial.score is not None]
        for each in decisions
    }
    return {case: fmean(found) for case, found in scores.items() if found}


def _case(id: str, hash: str, category: str, decision: CaseDecision | None) -> CaseSummary:
    if decision is None:
        return CaseSummary(case=id, hash=hash, category=category)
    return CaseSummary(
        case=id,
        hash=hash,
        category=category,
        verdict=decision.verdict,
        valid=decision.valid,
        passed=decision.passed,
        reason=decision.reason,
        statuses=dict(Counter(trial.status for trial in decision.trials)),
    )


def _run(
    manifest: RunManifest,
    path: Path,
    cases: tuple[CaseSummary, ...],
    trials: int,
    *,
    decided: bool,
) -> RunSummary:
    complete = decided and trials >= sum(manifest.trials.values())
    state: RunState = "finished" if complete else "unfinished"
    return RunSummary(
        run=manifest.run,
        suite=suite_name(manifest.suite),
        suite_path=manifest.suite,
        agent=manifest.agent,
        started_at=manifest.started_at,
        note=manifest.note,
        folder=str(path.resolve()),
        state=state,
        cases=len(cases),
        passed_cases=sum(case.verdict == "passed" for case in cases),
        trials=trials,
        valid=sum(case.valid for case in cases),
        passed=sum(case.passed for case in cases),
        infra=sum(case.statuses.get("infra_error", 0) for case in cases),
        rate=_rate({case.case: (case.passed, case.valid) for case in cases}),
    )


def _rate(counts: Mapping[str, tuple[int, int]]) -> float | None:
    rates = [passed / valid for passed, valid in counts.values() if valid]
    return sum(rates) / len(rates) if rates else None
