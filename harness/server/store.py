"""What the server keeps in files: the directory of runs with its index, the directory of suites."""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import orjson

from harness.cases import Suite, count_categories, find_suites, read_suite
from harness.errors import HarnessError, InvalidCasesError, reason_of
from harness.reports import regressions_report
from harness.runner import compare_outcomes, stored_outcomes
from harness.server.messages import RefusedError
from harness.server.order_preparation import run_folder
from harness.server.run_queue import LiveRun
from harness.server.schemas import (
    BaselineResponse,
    BenchmarkResponse,
    HarnessResponse,
    NewSuite,
    RegressionsResponse,
    RunResponse,
    RunRow,
    SuiteResponse,
    TaskResponse,
    TaskResultResponse,
    TaskRowResponse,
)
from harness.server.settings import Settings
from harness.statistics import Terms
from harness.storage import (
    Baseline,
    Baselines,
    CaseSummary,
    RegisteredSuite,
    RegisteredSuites,
    RunFolder,
    RunSummary,
    open_index,
    promote,
    read_run,
    suite_name,
)
from harness.storage.index import (
    case_history,
    cases_of,
    find_run,
    find_runs,
    indexed_suites,
    trend,
)
from mockserver.model import did_you_mean


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

    def summaries(
        self, *, suite: str = "", agent: str = "", before: str = "", limit: int
    ) -> tuple[RunSummary, ...]:
        """Runs without their cases, the newest first.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        return find_runs(self._index.database, suite=suite, agent=agent, before=before, limit=limit)

    def trend(self, suite: str, *, agent: str = "", limit: int) -> tuple[RunSummary, ...]:
        """The last finished runs of a suite that have a verdict, the oldest first.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        return trend(self._index.database, suite, agent=agent, limit=limit)

    def summary(self, run: str) -> RunSummary | None:
        """One run without its cases, or None.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        return find_run(self._index.database, run)

    def cases(self, run: str) -> tuple[CaseSummary, ...]:
        """The cases of a run, in run order.

        Raises:
            HarnessError: The index is down.
        """
        return cases_of(self._index.database, run)

    def case_history(self, suite: str, case: str) -> tuple[tuple[str, CaseSummary], ...]:
        """How a case did in the last runs of its suite, the newest first; each with the run's id.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        return case_history(self._index.database, suite, case)

    def suite_names(self) -> tuple[str, ...]:
        """The short names of all suites that have a run.

        Raises:
            HarnessError: The index is down.
        """
        return indexed_suites(self._index.database)

    def _row(self, run: RunSummary) -> RunRow:
        cases = cases_of(self._index.database, run.run)
        told = run.model_dump() | {"passed": run.passed_cases}
        return RunRow(
            **told,
            id=run.run,
            suite_name=run.suite,
            timestamp=run.started_at,
            total_tasks=run.cases,
            failed=_count_failed_cases(cases),
            tasks=[
                TaskRowResponse(
                    id=case.case,
                    category=case.category,
                    verdict=case.verdict,
                    valid=case.valid,
                    passed=case.passed,
                )
                for case in cases
            ],
        )

    def run(self, id: str, live: LiveRun | None) -> RunResponse:
        """One run, from its directory; what the server knows of it comes before.

        Raises:
            HarnessError: There is none, or it cannot be read.
        """
        read = read_run(run_folder(self._settings, id))
        current = {each.run for each in self.baselines.all()}
        summary = read.run.model_copy(update={"baseline": id in current})
        said = RunResponse(
            id=id,
            run_id=id,
            suite_name=summary.suite,
            timestamp=summary.started_at,
            total_tasks=summary.cases,
            passed=summary.passed_cases,
            failed=_count_failed_cases(read.cases),
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

    def promote(self, id: str, note: str, now: str) -> BaselineResponse:
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

    def all_baselines(self) -> list[BaselineResponse]:
        """Every baseline, the one set first first."""
        return [self._baseline(each) for each in self.baselines.all()]

    def demote(self, id: str) -> BaselineResponse:
        """Let a run be no baseline any more.

        Raises:
            RefusedError: It is none.
        """
        try:
            return self._baseline(self.baselines.remove(id))
        except HarnessError as error:
            raise RefusedError(404, error.message, hint=error.hint) from None

    def regressions(self, suite: str, *, threshold: float, margin: float) -> RegressionsResponse:
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
        return RegressionsResponse.model_validate(
            regressions_report(suite, compare_outcomes(before, after, terms))
        )

    def benchmarks(self) -> list[BenchmarkResponse]:
        """How every suite went over time.

        Raises:
            HarnessError: The index is down.
        """
        self.catch_up()
        made = map(self._benchmark, indexed_suites(self._index.database))
        return [each for each in made if each is not None]

    def _benchmark(self, suite: str) -> BenchmarkResponse | None:
        found = trend(self._index.database, suite)
        rates = [run.rate for run in found if run.rate is not None]
        if not rates:
            return None
        return BenchmarkResponse(
            suite=suite,
            runs=len(found),
            latest=rates[-1],
            best=max(rates),
            trend=list(found),
        )

    def _baseline(self, baseline: Baseline) -> BaselineResponse:
        return BaselineResponse(
            id=baseline.run,
            name=baseline.suite,
            timestamp=baseline.set_at,
            suite=baseline.suite,
            agent=baseline.agent,
            set_at=baseline.set_at,
            note=baseline.note,
            current=self.baselines.of(baseline.suite) == baseline,
        )


def _count_failed_cases(cases: Iterable[CaseSummary]) -> int:
    return sum(case.verdict in {"failed", "flaky"} for case in cases)


def _result(case: CaseSummary, score: float | None) -> TaskResultResponse:
    decided = case.verdict in {"passed", "failed", "flaky"}
    return TaskResultResponse(
        task_id=case.case,
        task_category=case.category,
        passed=case.verdict == "passed" if decided else None,
        score=score,
        error=case.reason or None,
    )


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AGENTS = {"oracle": "must pass", "null": "must fail", "echo": "must fail"}


class SuiteDirectory:
    """Suites by name. No path ever comes from a request.

    Args:
        folder: The directory of suites.
        runs: The directory of runs, beside which names are registered.
    """

    def __init__(self, folder: Path, runs: Path) -> None:
        self._folder = folder
        self._registered = RegisteredSuites(runs)
        self._baselines = Baselines(runs)
        self._read: dict[Path, tuple[str, Suite]] = {}

    def suite(self, name: str) -> Suite:
        """A suite with its cases; its files are read again when they have changed.

        Raises:
            RefusedError: There is none of this name.
        """
        return self._suite_at(self.path(name))

    def _suite_at(self, path: Path) -> Suite:
        if path.is_file():  # what lies beside a file need not be its suite's
            return read_suite(path)
        stamp = _folder_stamp(path)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            known = self._read[path] = stamp, read_suite(path)
        return known[1]

    def path(self, name: str) -> Path:
        """Where a suite lies.

        Raises:
            RefusedError: There is none of this name.
        """
        known = {each: path for each, path, _ in self._all()}
        if name not in known:
            hint = did_you_mean(name, known)
            raise RefusedError(404, f"no suite {name!r}", hint=hint)
        return known[name]

    def list_suites(self) -> list[SuiteResponse]:
        """All of them with what they cover, by name."""
        return sorted(map(self._describe_suite, self._all()), key=lambda suite: suite.name)

    def harnesses(self) -> list[HarnessResponse]:
        """Those that were found and are valid, each with what can be put through it at once."""
        return [
            HarnessResponse(
                name=suite.name,
                format=suite.format,
                cases=suite.cases,
                categories=suite.categories,
                agents=_AGENTS,
            )
            for suite in self.list_suites()
            if not suite.registered and not suite.errors
        ]

    def create(self, new: NewSuite, now: Callable[[], str]) -> SuiteResponse:
        """Keep a new suite in the directory of suites, and register it.

        Raises:
            RefusedError: The name is none, or taken; or it cannot be written.
            InvalidCasesError: Something in it is invalid.
        """
        if not _NAME.fullmatch(new.name) or new.name.endswith("."):
            hint = "letters, digits, '.', '_' and '-', at most 64, the first one no sign"
            raise RefusedError(422, f"{new.name!r} is no name for a suite", hint=hint)
        place = self._folder / new.name
        if place.exists() or self._registered.get(new.name) is not None:
            raise RefusedError(409, f"there is a suite {new.name!r} already")
        content = new.model_dump(exclude_defaults=True)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _write_valid(orjson.dumps(content, option=orjson.OPT_INDENT_2), place)
        except OSError as error:
            raise RefusedError(500, f"cannot keep the suite: {reason_of(error)}") from None
        made = RegisteredSuite(
            name=new.name,
            path=str(place.resolve()),
            description=new.description,
            registered_at=now(),
        )
        self._registered.register(made)
        return self._describe_suite((made.name, place, made))

    def _all(self) -> Iterator[tuple[str, Path, RegisteredSuite | None]]:
        taken = set()
        for each in self._registered.all():
            path = Path(each.path)
            if path.exists():
                taken.add(path.resolve())
                yield each.name, path, each
        for path in find_suites(self._folder) if self._folder.is_dir() else ():
            if path.resolve() not in taken:
                yield suite_name(str(path.resolve())), path, None

    def _describe_suite(self, known: tuple[str, Path, RegisteredSuite | None]) -> SuiteResponse:
        name, path, registered = known
        suite = self._suite_at(path)
        baseline = self._baselines.of(str(path))
        return SuiteResponse(
            id=name,
            name=name,
            path=str(path),
            format=suite.format,
            description=registered.description if registered else "",
            registered=registered is not None,
            cases=len(suite.cases),
            categories=count_categories(suite.cases),
            errors=len(suite.errors),
            baseline=baseline.run if baseline else "",
            tasks=[
                TaskResponse(
                    id=case.id,
                    category=case.category,
                    description=case.title,
                    prompt=case.turns[0].user if case.turns else "",
                )
                for case in suite.cases
            ],
        )


def _folder_stamp(folder: Path) -> str:
    """Changes when a file in a folder does; nothing in it is read."""
    seen = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        with suppress(OSError):  # gone meanwhile: reading the suite tells it
            stat = file.stat()
            seen.update(f"{file}\0{stat.st_mtime_ns}\0{stat.st_size}\n".encode())
    return seen.hexdigest()


def _write_valid(content: bytes, place: Path) -> None:
    """Write a suite beside its place, look whether it is valid, then move it there."""
    beside = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        written = beside / place.name
        written.mkdir()
        (written / "suite.json").write_bytes(content)
        _refuse_errors(read_suite(written), beside)
        written.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _refuse_errors(suite: Suite, beside: Path) -> None:
    """Refuse an invalid suite; places are told as they would be, not where it was tried."""
    cut = f"{beside}/"
    errors = [replace(each, where=str(each.where).replace(cut, "")) for each in suite.errors]
    if errors:
        raise InvalidCasesError(errors)
