"""A baseline in a file of its own, which may be kept with the code: cases, hashes, passes."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from harness.errors import HarnessError, InfrastructureError, reason_of
from harness.model import Frozen, RunResult
from harness.runner.outcomes import outcomes_of
from harness.statistics import Outcomes
from harness.storage import write_whole


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
        kept = BaselineFile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        said = reason_of(error).splitlines()[0]
        hint = "harness run SUITE --baseline FILE --save-baseline writes one"
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
        decision.case: [trial.score for trial in decision.trials if trial.score is not None]
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
