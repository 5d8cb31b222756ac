"""Runs as pages show them: read from their directories, and kept while nothing in them changes."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Literal

import orjson
from pydantic import TypeAdapter

from harness.errors import HarnessError
from harness.model import (
    Calibration,
    Case,
    CaseDecision,
    Comparison,
    JsonObject,
    RunResult,
    RunStatistics,
    TrialDecision,
    TrialRecord,
    find_trial,
)
from harness.reports import Passing, passing_trials
from harness.server.messages import RefusedError
from harness.server.order_preparation import run_folder
from harness.server.settings import Settings
from harness.storage import Baselines, RunFolder, read_calibrations, stamp
from harness.verdicts import exit_reasons

MOST_KEPT = 6
"""Runs that are kept ready; of each the file of its decisions is open."""


_OPTIONAL_STATISTICS: TypeAdapter[RunStatistics | None] = TypeAdapter(RunStatistics | None)
_OPTIONAL_COMPARISON: TypeAdapter[Comparison | None] = TypeAdapter(Comparison | None)


class StoredRuns:
    """Reads runs for pages: without their records, which are read one by one when they are shown.

    Args:
        settings: Where runs are.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: OrderedDict[Path, tuple[str, RunResult]] = OrderedDict()
        self._lock = Lock()

    def get(self, id: str) -> RunResult:
        """A run as it was decided last; without decisions where nothing was decided yet.

        Its figures and its comparison with a baseline are those of its report. Facts and clusters
        are left out: they would take every record.

        Raises:
            RefusedError: There is none.
            HarnessError: Something in its directory cannot be read.
        """
        path = run_folder(self._settings, id)
        try:
            now = stamp(path)
        except OSError:
            raise RefusedError(404, f"no run {id!r}") from None
        with self._lock:
            known = self._kept.get(path)
            if known is not None and known[0] == now:
                self._kept.move_to_end(path)
                return known[1]
        result = _read(path)
        with self._lock:
            self._kept[path] = now, result
            self._kept.move_to_end(path)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return result

    def trial(
        self, id: str, case: str, number: int
    ) -> tuple[RunResult, Case, TrialDecision, TrialRecord | None]:
        """One trial: its run, its case, what was decided, and its record where that is there.

        Raises:
            RefusedError: There is none, or nothing was decided about it yet.
            HarnessError: Something in the directory cannot be read.
        """
        result = self.get(id)
        decision = next((each for each in result.decisions if each.case == case), None)
        found = find_trial(decision.trials if decision else (), number)
        if found is None:
            raise RefusedError(404, f"run {id!r} has no decided trial {number} of case {case!r}")
        asked = next(each for each in result.cases if each.id == case)
        return result, asked, found, result.records.get(case, number)

    def passing(self, id: str, result: RunResult, case: str) -> Iterator[Passing]:
        """Trials of a case that passed: in its run, else in the baseline of its suite.

        Yields:
            Each, read when it is asked for.
        """
        yield from (own := [*_passing(result, case, "run")])
        if own:
            return
        baseline = Baselines(Path(result.folder).parent).of(result.manifest.suite)
        if baseline is not None and baseline.run != id:
            with suppress(RefusedError, HarnessError):
                yield from [*_passing(self.get(baseline.run), case, "baseline")]


def _passing(result: RunResult, case: str, kind: Literal["run", "baseline"]) -> Iterator[Passing]:
    decision = next((each for each in result.decisions if each.case == case), None)
    if decision is not None:
        yield from passing_trials(decision, result.records, kind, result.manifest.run)


def _read(path: Path) -> RunResult:
    folder = RunFolder(path)
    manifest = folder.manifest()
    decisions: tuple[CaseDecision, ...] = folder.decisions(manifest.policy) or ()
    planned = sum(manifest.trials.values())
    result = RunResult(
        manifest=manifest,
        cases=folder.cases(),
        decisions=decisions,
        records=folder.records(),
        interrupted=sum(len(each.trials) for each in decisions) < planned,
        canaries=folder.canaries(),
        custody=folder.custody(),
        coverage=folder.coverage(),
        calibrations=_calibrations(path.parent),
        folder=str(path),
    )
    if not decisions:
        return result
    reported = _reported(folder, manifest.policy)
    return result.model_copy(update={**reported, "exit_reasons": exit_reasons(result)})


def _reported(folder: RunFolder, policy: JsonObject) -> Mapping[str, object]:
    """What the run's report says of it, where that was written of these decisions."""
    path, decisions = folder.path / "report.json", folder.decisions_path(policy)
    try:
        if path.stat().st_mtime_ns < decisions.stat().st_mtime_ns:
            return {}
        report = orjson.loads(path.read_bytes())
        return {
            "statistics": _OPTIONAL_STATISTICS.validate_python(report["statistics"], strict=False),
            "comparison": _OPTIONAL_COMPARISON.validate_python(report["comparison"], strict=False),
        }
    except (OSError, ValueError, TypeError, KeyError):  # no report, or one of another version
        return {}


def _calibrations(runs: Path) -> tuple[Calibration, ...]:
    """What is known of judges; nothing where the file is broken: the page of judges tells that."""
    try:
        return read_calibrations(runs)
    except HarnessError:
        return ()
