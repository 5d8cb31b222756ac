"""How the cases of a suite did, run after run."""

from harness.trials.decisions import CaseVerdict
from harness.trials.values import Frozen


class PastCase(Frozen):
    """A case in one run.

    Attributes:
        verdict: None where nothing was decided.
        passed: Valid trials that passed.
        valid: Valid trials.
        reason: The first reason of the first failure.
    """

    verdict: CaseVerdict | None = None
    passed: int = 0
    valid: int = 0
    reason: str = ""


class PastRun(Frozen):
    """One run of a suite.

    Attributes:
        run: Its id.
        started_at: RFC 3339.
        note: Why it was made.
        whole: Whether it had every case of the suite.
        cases: Case id to how it did.
    """

    run: str
    started_at: str = ""
    note: str = ""
    whole: bool = False
    cases: dict[str, PastCase]


class CaseHistory(Frozen):
    """A case over several runs.

    Attributes:
        case: Its id.
        results: Run id to how it did, the oldest run first; runs without it are left out.
        failing_since: The first run of the unbroken row of runs in which it did not pass, up to
            the latest; empty where it passed in that.
    """

    case: str
    results: dict[str, PastCase]
    failing_since: str = ""


class SuiteHistory(Frozen):
    """The runs of a suite by one agent.

    Attributes:
        suite: Its short name.
        agent: The agent spec, secrets replaced.
        runs: The runs, the oldest first.
        cases: Every case of them.
        last_whole: The latest run that had every case; empty when none had.
        mended: Case id to the run of a part of the suite in which it passed again, where no run of
            the whole suite came after it: what the change broke elsewhere was not looked at.
    """

    suite: str
    agent: str
    runs: tuple[PastRun, ...] = ()
    cases: tuple[CaseHistory, ...] = ()
    last_whole: str = ""
    mended: dict[str, str] = {}

    @property
    def open(self) -> tuple[CaseHistory, ...]:
        """The cases that did not pass when they were last run."""
        return tuple(case for case in self.cases if case.failing_since)

    @property
    def parts_since(self) -> int:
        """How many runs came after the latest of the whole suite."""
        ids = [run.run for run in self.runs]
        return len(ids) - ids.index(self.last_whole) - 1 if self.last_whole else len(ids)
