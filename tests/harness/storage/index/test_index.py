"""On SQLite and on PostgreSQL: what is in the run directories is in the index, once."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.runner import decide
from harness.storage import Baseline, Baselines, RegisteredSuite, RegisteredSuites
from harness.storage.index import (
    DatabaseDownError,
    RunIndex,
    case_history,
    cases_of,
    find_baselines,
    find_run,
    find_runs,
    indexed_suites,
    trend,
)
from harness.storage.index.database import Database
from harness.verdicts import Limits
from tests.harness.records import record
from tests.runfolders import stored_run

Opened = Callable[..., RunIndex]
MIXED: dict[str, list[bool | None]] = {"A": [True, False], "B": [True, True], "C": [None, None]}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def test_a_run_is_indexed_with_its_figures(opened: Opened, runs: Path) -> None:
    """CTX-24, CTX-32: runs are stored with summaries."""
    stored_run(runs, "1", MIXED, note="after the fix")
    index = opened()
    assert index.catch_up().indexed == ("1",)
    found = find_run(index.database, "1")
    assert found is not None
    assert (found.suite, found.suite_path, found.agent) == ("office", "fixtures/office", "echo")
    assert (found.cases, found.passed_cases, found.trials, found.valid) == (3, 1, 6, 4)
    assert (found.passed, found.infra, found.rate, found.state) == (3, 2, 0.75, "finished")
    assert (found.note, found.folder) == ("after the fix", str((runs / "1").resolve()))
    first, _, last = cases_of(index.database, "1")
    assert (first.case, first.verdict, first.statuses) == ("A", "flaky", {"pass": 1, "fail": 1})
    assert first.reason
    assert (last.verdict, last.statuses) == ("inconclusive", {"infra_error": 2})


def test_catching_up_reads_what_changed_alone(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", {"A": [True]})
    unfinished = stored_run(runs, "2", {"A": [True]}, trials={"A": 2}, decided=False)
    index = opened()
    assert index.catch_up().indexed == ("1", "2")
    again = index.catch_up()
    assert (again.indexed, again.unchanged) == ((), 2)
    unfinished.write_trial(record("a", case="A", number=2, run="2"))
    assert index.catch_up().indexed == ("2",)
    decide(unfinished, Limits())
    assert index.catch_up().indexed == ("2",)
    found = find_run(index.database, "2")
    assert found is not None
    assert (found.state, found.trials) == ("finished", 2)


def test_a_run_whose_directory_is_gone_is_gone(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", {"A": [True]})
    index = opened()
    index.catch_up()
    shutil.rmtree(runs / "1")
    assert index.catch_up().removed == ("1",)
    assert find_run(index.database, "1") is None
    assert cases_of(index.database, "1") == ()


def test_a_broken_run_is_told_and_holds_up_no_other(opened: Opened, runs: Path) -> None:
    """Pitfall 22"""
    stored_run(runs, "1", {"A": [True]})
    index = opened()
    index.catch_up()
    stored_run(runs, "2", {"A": [True]})
    (runs / "1" / "manifest.json").write_text("{", encoding="utf-8")
    caught = index.catch_up()
    assert caught.indexed == ("2",)
    assert caught.unreadable[0].startswith("run 1: ")
    assert "manifest.json" in caught.unreadable[0]
    assert find_run(index.database, "1") is not None, "what was known of it stays"


def test_a_copy_of_a_run_is_not_the_run(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", {"A": [True]})
    index = opened()
    index.catch_up()
    shutil.copytree(runs / "1", runs / "1-copy")
    for _ in range(2):
        assert "is run 1 once more" in index.catch_up().unreadable[0]
    found = find_run(index.database, "1")
    assert found is not None
    assert found.folder == str((runs / "1").resolve())


def test_a_renamed_directory_is_the_same_run(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", {"A": [True]})
    index = opened()
    index.catch_up()
    (runs / "1").rename(runs / "before-the-fix")
    assert index.catch_up().removed == ()
    found = find_run(index.database, "1")
    assert found is not None
    assert found.folder == str((runs / "before-the-fix").resolve())
    assert index.catch_up().unchanged == 1


def test_the_index_is_made_anew_from_the_runs(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", MIXED)
    Baselines(runs).set(Baseline(run="1", suite="office"))
    index = opened()
    index.catch_up()
    before = find_runs(index.database), cases_of(index.database, "1")
    assert index.rebuild().indexed == ("1",)
    assert (find_runs(index.database), cases_of(index.database, "1")) == before
    assert before[0][0].baseline


def test_two_servers_on_one_database_leave_every_run_there_once(
    opened: Opened, tmp_path: Path
) -> None:
    mine, theirs = tmp_path / "runs", tmp_path / "others"
    for number in range(6):
        stored_run(mine, f"m{number}", MIXED)
        stored_run(theirs, f"t{number}", MIXED)
    indexes = [opened(mine), opened(mine), opened(theirs)]
    with ThreadPoolExecutor(3) as pool:
        caught = list(pool.map(RunIndex.catch_up, indexes))
    assert [each.unreadable for each in caught] == [(), (), ()]
    found = [run.run for run in find_runs(indexes[0].database)]
    assert sorted(found) == [f"{side}{number}" for side in "mt" for number in range(6)]
    assert len(cases_of(indexes[0].database, "m3")) == 3
    assert indexes[2].catch_up().removed == (), "one lets the other's runs be"
    assert indexes[0].catch_up().unchanged == 6


def test_baselines_and_suites_are_mirrored(opened: Opened, runs: Path) -> None:
    stored_run(runs, "1", {"A": [True]})
    Baselines(runs).set(Baseline(run="1", suite="office", set_at="2026-11-20T10:00:00Z"))
    RegisteredSuites(runs).register(RegisteredSuite(name="office", path="fixtures/office"))
    index = opened()
    index.catch_up()
    assert [each.suite for each in find_baselines(index.database)] == ["office"]
    Baselines(runs).remove("1")
    RegisteredSuites(runs).remove("office")
    index.catch_up()
    assert find_baselines(index.database) == ()


def test_one_run_is_added_at_its_end(opened: Opened, runs: Path) -> None:
    folder = stored_run(runs, "1", {"A": [True]})
    index = opened()
    index.add(folder.path)
    index.add(folder.path)
    assert [run.run for run in find_runs(index.database)] == ["1"]
    assert index.catch_up().unchanged == 1


def test_a_database_that_goes_down_is_told_and_caught_up_with_later(
    opened: Opened, url: str, tmp_path: Path, runs: Path
) -> None:
    down = RunIndex(runs, "postgresql://evals:s3cret@127.0.0.1:9/evals")
    stored_run(runs, "1", {"A": [True]})
    with pytest.raises(DatabaseDownError, match="runs do not need it") as told:
        down.catch_up()
    assert "s3cret" not in str(told.value)
    assert opened().catch_up().indexed == ("1",)


def test_an_empty_directory_has_an_empty_index(opened: Opened, tmp_path: Path) -> None:
    index = opened(tmp_path / "nothing")
    assert index.catch_up().indexed == ()
    assert find_runs(index.database) == ()


def test_an_url_that_makes_no_sense_is_refused(runs: Path) -> None:
    with pytest.raises(HarnessError, match="unknown kind, 'mysql'"):
        RunIndex(runs, "mysql://u:p@h/d")


SUITES = {"1": "fixtures/office", "2": "fixtures/other", "3": "fixtures/office"}


@pytest.fixture(scope="module")
def queries_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    queries_runs = tmp_path_factory.mktemp("runs")
    for name, suite in SUITES.items():
        stored_run(queries_runs, name, {"A": [True, name == "3"]}, suite=suite)
    stored_run(queries_runs, "4", {"A": [True]}, agent="null", trials={"A": 9})
    stored_run(queries_runs, "5", {"A": [None]})
    return queries_runs


@pytest.fixture
def database(opened: Callable[..., RunIndex], queries_runs: Path) -> Database:
    index = opened(queries_runs)
    index.catch_up()
    return index.database


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, "54321"),
        ({"suite": "office"}, "5431"),
        ({"suite": "office", "agent": "null"}, "4"),
        ({"limit": 2}, "54"),
        ({"limit": 2, "before": "4"}, "32"),
        ({"before": "1"}, ""),
        ({"suite": "nothing"}, ""),
    ],
    ids=str,
)
def test_runs_are_found_newest_first(database: Database, asked: dict[str, Any], found: str) -> None:
    """CTX-32"""
    assert "".join(run.run for run in find_runs(database, **asked)) == found


def test_a_trend_is_of_finished_runs_with_a_verdict(database: Database) -> None:
    assert [(run.run, run.rate) for run in trend(database, "office")] == [("1", 0.5), ("3", 1.0)]
    assert [run.run for run in trend(database, "office", limit=1)] == ["3"]
    assert trend(database, "office", agent="null") == ()


def test_suites_with_runs_are_known(database: Database) -> None:
    assert indexed_suites(database) == ("office", "other")


def test_a_case_has_a_history(database: Database) -> None:
    found = [(run, case.passed) for run, case in case_history(database, "office", "A")]
    assert found == [("5", 0), ("4", 1), ("3", 2), ("1", 1)]
    assert case_history(database, "office", "B") == ()


@pytest.mark.slow
def test_many_writers_neither_wait_for_each_other_for_ever_nor_write_a_run_twice(
    url: str, tmp_path: Path
) -> None:
    """Each writer has runs of its own, and all of them have one in common."""
    writers = 6
    folders = [tmp_path / f"runs-{number}" for number in range(writers)]
    for number, folder in enumerate(folders):
        stored_run(folder, f"own-{number}", MIXED)
        stored_run(folder, "shared", MIXED)

    def write(folder: Path) -> None:
        index = RunIndex(folder, url)
        for _ in range(4):
            index.add(folder / "shared")
            index.catch_up()
        index.close()

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, folders))  # a deadlock would be an error of one of them
    index = RunIndex(folders[0], url)
    found = {each.run: each for each in find_runs(index.database, limit=100)}
    assert set(found) == {"shared", *(f"own-{number}" for number in range(writers))}
    for run in found:
        rows = cases_of(index.database, run)
        assert [each.case for each in rows] == list(MIXED)
        assert [sum(each.statuses.values()) for each in rows] == [2, 2, 2]
    index.close()
