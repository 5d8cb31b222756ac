"""Short summaries of runs and cases, read from run directories.

In JSON the names of their fields are in camel case.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from harness.model import (
    CaseDecision,
    CaseVerdict,
    ForkOrigin,
    Frozen,
    RunManifest,
    TrialStatus,
    trial_scores,
    trial_shapes,
)
from harness.storage.mirror import place_of
from harness.storage.run_folder import RunFolder

_SUFFIXES = {".json", ".yaml", ".yml"}


_PLAIN_NAMES = {"registry", "suite", "cases"}


def suite_name(suite: str) -> str:
    """The short name of a suite by its path: the folder's, or the file's.

    >>> suite_name("fixtures/chrome-enterprise"), suite_name("coding/suite.json")
    ('chrome-enterprise', 'coding')
    """
    path = Path(suite)
    if path.suffix not in _SUFFIXES:
        return path.name or suite
    return path.parent.name if path.stem in _PLAIN_NAMES and path.parent.name else path.stem


RunState = Literal["finished", "unfinished"]


class _Row(Frozen):
    model_config = ConfigDict(alias_generator=to_camel)


class RunSummary(_Row):
    """One run.

    Attributes:
        run: Its id.
        suite: The short name of its suite.
        suite_path: The suite as it was named.
        agent: Its agent spec, secrets replaced.
        started_at: RFC 3339.
        note: Why it was made.
        fork: The trial that it was forked from; None for a run that is no fork.
        folder: Its directory, or where it is in a store.
        state: `unfinished` while trials are missing.
        cases: How many it has.
        passed_cases: How many of them passed.
        trials: How many were run.
        valid: How many of those say something of the agent.
        passed: How many of those passed.
        infra: How many ended in an infrastructure error.
        rate: The mean over the pass rates of its cases, each case once; None without a valid trial.
        baseline: Whether it was made a baseline.
    """

    run: str
    suite: str
    suite_path: str
    agent: str
    started_at: str = ""
    note: str = ""
    fork: ForkOrigin | None = None
    folder: str = ""
    state: RunState = "unfinished"
    cases: int = 0
    passed_cases: int = 0
    trials: int = 0
    valid: int = 0
    passed: int = 0
    infra: int = 0
    rate: float | None = None
    baseline: bool = False


class CaseSummary(_Row):
    """One case of a run.

    Attributes:
        case: Its id.
        hash: Of what it was.
        category: Its category.
        verdict: None where nothing was decided yet.
        valid: Valid trials.
        passed: Valid trials that passed.
        reason: The first reason of its first failure.
        statuses: How many trials have each status.
    """

    case: str
    hash: str
    category: str = ""
    verdict: CaseVerdict | None = None
    valid: int = 0
    passed: int = 0
    reason: str = ""
    statuses: dict[TrialStatus, int] = {}


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
        each.case: [score for score in trial_scores(each.trials) if score is not None]
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
        statuses=dict(Counter(shape.status for shape in trial_shapes(decision.trials))),
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
        fork=manifest.fork,
        folder=place_of(path),
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
