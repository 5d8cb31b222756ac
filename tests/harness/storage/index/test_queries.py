from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.storage.index import RunIndex, case_history, find_runs, indexed_suites, trend
from harness.storage.index.database import Database
from tests.runfolders import stored_run

SUITES = {"1": "fixtures/office", "2": "fixtures/other", "3": "fixtures/office"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    for name, suite in SUITES.items():
        stored_run(runs, name, {"A": [True, name == "3"]}, suite=suite)
    stored_run(runs, "4", {"A": [True]}, agent="null", trials={"A": 9})
    stored_run(runs, "5", {"A": [None]})
    return runs


@pytest.fixture
def database(opened: Callable[..., RunIndex], runs: Path) -> Database:
    index = opened(runs)
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
        ({"before": "unknown"}, ""),
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
