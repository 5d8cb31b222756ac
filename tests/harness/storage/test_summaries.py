from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import RunSummary, read_run, stamp
from tests.runfolders import stored_run


def test_rows_are_json_in_camel_case_and_back() -> None:
    run = RunSummary(run="1", suite="office", suite_path="fixtures/office", agent="echo", rate=0.5)
    said = run.model_dump(by_alias=True)
    assert {"suitePath", "startedAt", "passedCases", "rate"} <= set(said)
    assert RunSummary.model_validate(said) == run


def test_a_run_that_was_not_decided_has_no_verdicts(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, "1", {"A": [True, False], "B": [True]}, decided=False)
    read = read_run(folder.path)
    assert (read.run.state, read.run.trials, read.run.valid) == ("unfinished", 3, 0)
    assert read.run.rate is None
    assert [case.verdict for case in read.cases] == [None, None]


def test_an_interrupted_run_is_unfinished_though_it_was_decided(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, "1", {"A": [True]}, trials={"A": 2})
    assert read_run(folder.path).run.state == "unfinished"


def test_a_directory_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="is no run directory"):
        read_run(tmp_path)
    with pytest.raises(FileNotFoundError):
        stamp(tmp_path)


def test_a_stamp_stays_while_nothing_changes(tmp_path: Path) -> None:
    folder = stored_run(tmp_path, "1", {"A": [True]})
    before = stamp(folder.path)
    assert stamp(folder.path) == before
    (folder.path / "report.json").write_text("{}", encoding="utf-8")
    assert stamp(folder.path) == before
