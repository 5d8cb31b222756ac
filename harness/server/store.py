"""What the server asks of the directory of runs and its index."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from harness.errors import HarnessError
from harness.reports import regressions_report
from harness.runner import compared, stored_outcomes
from harness.server.orders import run_folder
from harness.server.replies import RefusedError
from harness.server.run_words import (
    BaselineSaid,
    RegressionsSaid,
    RunRow,
    RunSaid,
    TaskResultSaid,
    TaskRowSaid,
)
from harness.server.running import LiveRun
from harness.server.settings import Settings
from harness.server.words import BenchmarkSaid
from harness.statistics import Terms
from harness.storage import (
    Baseline,
    Baselines,
    CaseSummary,
    RunFolder,
    RunSummary,
    open_index,
    promote,
    read_run,
)
from harness.storage.index import cases_of, find_runs, indexed_suites, trend


@dataclass(frozen=True)
class RunsPage:
    """One page of runs.

    Attributes:
        runs: The newest first.
        next: What the next page begins after; empty on the last.
        warnings: What is wrong with runs that cannot be read.
    """

    runs: tuple[RunRow, ...]
    next: str
    warnings: tuple[str, ...]


class Store:
    """Runs, baselines and trends; it works in threads; one at a time catches up with the index.

    Args:
        settings: Where runs and their index are.

    Raises:
        HarnessError: The URL of the index makes no sense, or the extra is not installed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._index = open_index(settings.runs, settings.db)
        self._catching_up = Lock()
        self.baselines = Baselines(settings.runs)

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def add(self, folder: RunFolder) -> None:
        """Take a run into the index.

        Raises:
            HarnessError: It cannot be read, or the index is down.
        """
        self._index.add(folder.path)

    def health(self) -> tuple[str, bool]:
        """The index by name, with what is wrong with it; and whether nothing is."""
        try:
            self.catch_up()
        except HarnessError as error:
            return str(error), False
        return self._index.database.name, True

    def catch_up(self) -> tuple[str, ...]:
        """Take in what is new; what is wrong with runs that cannot be read.

        Raises:
            HarnessError: The index is down.
        """
        with self._catching_up:
            return self._index.catch_up().unreadable

    def runs(self, *, suite: str, agent: str, before: str, limit: int) -> RunsPage:
        """A page of runs.

        Raises:
            HarnessError: The index is down.
        """
        warnings = list(self.catch_up())
        found = find_runs(
            self._index.database, suite=suite, agent=agent, before=before, limit=limit + 1
        )
        page = tuple(self._row(each) for each in found[:limit])
        return RunsPage(page, page[-1].run if len(found) > limit else "", tuple(warnings))

    def _row(self, run: RunSummary) -> RunRow:
        cases = cases_of(self._index.database, run.run)
        told = run.model_dump() | {"passed": run.passed_cases}
        return RunRow(
            **told,
            id=run.run,
            suite_name=run.suite,
            timestamp=run.started_at,
            total_tasks=run.cases,
            failed=_failed(cases),
            tasks=[
                TaskRowSaid(
                    id=case.case,
                    category=case.category,
                    verdict=case.verdict,
                    valid=case.valid,
                    passed=case.passed,
                )
                for case in cases
            ],
        )

    def run(self, id: str, live: LiveRun | None) -> RunSaid:
        """One run, from its directory; what the server knows of it comes before.

        Raises:
            HarnessError: There is none, or it cannot be read.
        """
        read = read_run(run_folder(self._settings, id))
        current = {each.run for each in self.baselines.all()}
        summary = read.run.model_copy(update={"baseline": id in current})
        said = RunSaid(
            id=id,
            run_id=id,
            suite_name=summary.suite,
            timestamp=summary.started_at,
            total_tasks=summary.cases,
            passed=summary.passed_cases,
            failed=_failed(read.cases),
            results=[_result(case, read.scores.get(case.case)) for case in read.cases],
            state=summary.state,
            done=summary.trials,
            summary=summary,
        )
        said.cases = list(read.cases)
        if live is None:
            return said
        said.state, said.error, said.done = live.state, live.error, live.done
        if live.result is not None:
            said.exit_reasons = list(live.result.exit_reasons)
            said.comparison = live.result.comparison
        return said

    def report(self, id: str) -> Path:
        """The JSON report of a run.

        Raises:
            RefusedError: There is no such run, or it has no report yet.
        """
        path = run_folder(self._settings, id) / "report.json"
        if not path.is_file():
            raise RefusedError(404, f"run {id!r} has no report yet")
        return path

    def promote(self, id: str, note: str, now: str) -> BaselineSaid:
        """Make a run a baseline.

        Raises:
            RefusedError: There is none, or it is unfit.
        """
        path = run_folder(self._settings, id)
        try:
            made = promote(self._settings.runs, path, set_at=now, note=note)
        except HarnessError as error:
            raise RefusedError(409, error.message, hint=error.hint) from None
        return self._baseline(made)

    def all_baselines(self) -> list[BaselineSaid]:
        """Every baseline, the one set first first."""
        return [self._baseline(each) for each in self.baselines.all()]

    def demote(self, id: str) -> BaselineSaid:
        """Let a run be no baseline any more.

        Raises:
            RefusedError: It is none.
        """
        try:
            return self._baseline(self.baselines.remove(id))
        except HarnessError as error:
            raise RefusedError(404, error.message, hint=error.hint) from None

    def regressions(self, suite: str, *, threshold: float, margin: float) -> RegressionsSaid:
        """The newest run of a suite that has a verdict, against the suite's baseline.

        Raises:
            RefusedError: The suite has no baseline, or no newer run.
            HarnessError: The index is down, or a run cannot be read.
        """
        baseline = self.baselines.of(suite)
        if baseline is None:
            hint = "POST /api/eval/runs/{id}/baseline"
            raise RefusedError(409, f"suite {suite!r} has no baseline", hint=hint)
        self.catch_up()
        newest = trend(self._index.database, suite, limit=1)
        if not newest or newest[-1].run == baseline.run:
            raise RefusedError(409, f"suite {suite!r} has no run after its baseline")
        run = newest[-1].run
        before, after = (
            stored_outcomes(run_folder(self._settings, each)) for each in (baseline.run, run)
        )
        terms = Terms(margin=margin, threshold=threshold, by_score=True)
        return RegressionsSaid.model_validate(
            regressions_report(suite, compared(before, after, terms))
        )

    def benchmarks(self) -> list[BenchmarkSaid]:
        """How every suite went over time.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        made = map(self._benchmark, indexed_suites(self._index.database))
        return [each for each in made if each is not None]

    def _benchmark(self, suite: str) -> BenchmarkSaid | None:
        found = trend(self._index.database, suite)
        rates = [run.rate for run in found if run.rate is not None]
        if not rates:
            return None
        return BenchmarkSaid(
            suite=suite,
            runs=len(found),
            latest=rates[-1],
            best=max(rates),
            trend=list(found),
        )

    def _baseline(self, made: Baseline) -> BaselineSaid:
        return BaselineSaid(
            id=made.run,
            name=made.suite,
            timestamp=made.set_at,
            suite=made.suite,
            agent=made.agent,
            set_at=made.set_at,
            note=made.note,
            current=self.baselines.of(made.suite) == made,
        )


def _failed(cases: Iterable[CaseSummary]) -> int:
    return sum(case.verdict in {"failed", "flaky"} for case in cases)


def _result(case: CaseSummary, score: float | None) -> TaskResultSaid:
    decided = case.verdict in {"passed", "failed", "flaky"}
    return TaskResultSaid(
        task_id=case.case,
        task_category=case.category,
        passed=case.verdict == "passed" if decided else None,
        score=score,
        error=case.reason or None,
    )
