from pathlib import Path
from typing import Any

import pytest

from harness.errors import InvalidCasesError
from harness.server.replies import RefusedError
from harness.server.suites import Shelf
from harness.server.words import NewSuite
from harness.storage import RegisteredSuite, RegisteredSuites

TASK = {"id": "T1", "category": "bug_fix", "prompt": "Fix it.", "expectedPatterns": ["done"]}


@pytest.fixture
def shelf(suites: Path, tmp_path: Path) -> Shelf:
    return Shelf(suites, tmp_path / "runs")


def create(shelf: Shelf, name: str = "mine", **task: Any) -> Any:
    return shelf.create(NewSuite(name=name, tasks=[TASK | task]), lambda: "2026")


@pytest.mark.parametrize(
    "name", ["", "..", ".hidden", "a/b", "../a", "/tmp/a", "a\\b", "a b", "a.", "a\n", "x" * 65]
)
def test_no_name_leaves_the_folder(shelf: Shelf, suites: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="is no name for a suite") as refused:
        create(shelf, name)
    assert refused.value.status == 422
    assert [path.name for path in suites.iterdir()] == ["office"]


def test_a_name_is_taken_once(shelf: Shelf) -> None:
    create(shelf)
    for name in ("mine", "office"):
        with pytest.raises(RefusedError, match="already") as refused:
            create(shelf, name)
        assert refused.value.status == 409


def test_an_invalid_suite_leaves_nothing(shelf: Shelf, suites: Path) -> None:
    with pytest.raises(InvalidCasesError) as refused:
        create(shelf, category="poetry")
    assert all(problem.where.startswith("mine/suite.json") for problem in refused.value.problems)
    assert [path.name for path in suites.iterdir()] == ["office"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "suites").write_text("a file", encoding="utf-8")
    with pytest.raises(RefusedError, match="cannot keep the suite") as refused:
        create(Shelf(tmp_path / "suites", tmp_path / "runs"))
    assert refused.value.status == 500


def test_registered_names_come_before_found_ones(
    shelf: Shelf, suites: Path, tmp_path: Path
) -> None:
    known = RegisteredSuites(tmp_path / "runs")
    known.register(RegisteredSuite(name="bureau", path=str(suites / "office"), description="d"))
    known.register(RegisteredSuite(name="gone", path=str(tmp_path / "gone")))
    assert [(each.name, each.description) for each in shelf.listed()] == [("bureau", "d")]
    assert shelf.path("bureau") == suites / "office"
    with pytest.raises(RefusedError, match=r"no suite 'bureaus'.*'bureau'"):
        shelf.path("bureaus")


def test_without_a_folder_there_are_no_suites(tmp_path: Path) -> None:
    assert Shelf(tmp_path / "none", tmp_path).listed() == []
