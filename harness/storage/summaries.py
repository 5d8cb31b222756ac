"""What is said of a run and its cases in few words; as JSON the names are in camel case."""

from typing import Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from harness.model import CaseVerdict, Frozen, TrialStatus

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
        folder: Its directory.
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
