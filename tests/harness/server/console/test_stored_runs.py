import os
from pathlib import Path

import pytest

from harness.model import RunResult
from harness.reports import REPORTS
from harness.runner import decide
from harness.server import Settings
from harness.server.console.stored_runs import MOST_KEPT, StoredRuns
from harness.server.messages import RefusedError
from harness.storage import RunFolder
from harness.verdicts import Limits
from tests.runfolders import stored_run


def with_reports(folder: RunFolder) -> None:
    result = decide(folder, Limits())
    folder.write_reports({name: report(result) for name, report in REPORTS.items()})


def test_a_run_is_kept_until_it_changes(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, "1", {"A": [True, False]})
    runs = StoredRuns(Settings(runs=tmp_path))
    first = runs.get("1")
    assert first.decisions[0].verdict == "flaky"
    assert [each.code for each in first.exit_reasons] == [1]
    assert runs.get("1") is first
    manifest = folder.path / "manifest.json"
    os.utime(manifest, ns=(1, 1))
    assert runs.get("1") is not first


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    names = [str(number) for number in range(MOST_KEPT + 1)]
    for name in names:
        stored_run(tmp_path, name, {"A": [True]})
    runs = StoredRuns(Settings(runs=tmp_path))
    read = {name: runs.get(name) for name in names}
    assert runs.get(names[-1]) is read[names[-1]]
    assert runs.get(names[0]) is not read[names[0]]


def test_figures_are_those_of_the_report_of_the_same_decisions(tmp_path: Path) -> None:
    def read() -> RunResult:
        return StoredRuns(Settings(runs=tmp_path)).get("1")

    folder = stored_run(tmp_path, "1", {"A": [True, False]})
    assert read().statistics is None
    with_reports(folder)
    statistics = read().statistics
    assert statistics is not None
    assert statistics.mean == 0.5
    report = folder.path / "report.json"
    os.utime(report, ns=(1, 1))
    assert read().statistics is None
    report.write_text("{")
    assert read().statistics is None


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [True]})
    runs = StoredRuns(Settings(runs=tmp_path))
    _, case, decision, record = runs.trial("1", "A", 1)
    assert (case.id, decision.status) == ("A", "pass")
    assert record is not None
    for run, name, number in (("2", "A", 1), ("..", "A", 1), ("1", "B", 1), ("1", "A", 2)):
        with pytest.raises(RefusedError, match="no "):
            runs.trial(run, name, number)


def test_a_file_of_judges_that_is_broken_costs_no_page(tmp_path: Path) -> None:
    stored_run(tmp_path, "1", {"A": [True]})
    (tmp_path / "judges.json").write_text("{")
    assert StoredRuns(Settings(runs=tmp_path)).get("1").calibrations == ()
