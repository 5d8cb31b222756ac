from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InvalidCasesError
from harness.server import Settings
from harness.server.messages import RefusedError
from harness.server.schemas import NewSuite
from harness.server.store import Store, SuiteDirectory
from harness.storage import RegisteredSuite, RegisteredSuites
from tests.runfolders import stored_run


@pytest.mark.parametrize(
    ("after", "degraded"), [(9, False), (8, True)], ids=["exactly the threshold", "more"]
)
def test_a_fall_of_exactly_the_threshold_is_none(
    tmp_path: Path, after: int, degraded: bool
) -> None:
    """CTX-18: previous - current > threshold"""
    stored_run(tmp_path, "1", {"A": [True] * 10})
    stored_run(tmp_path, "2", {"A": [number < after for number in range(10)]})
    store = Store(Settings(runs=tmp_path))
    store.promote("1", "", "2026")
    found = store.regressions("office", threshold=0.1, margin=0.05)
    assert found.regressions[0].degraded is degraded
    store.close()


def test_many_may_ask_at_once(tmp_path: Path) -> None:
    for name in "123":
        stored_run(tmp_path, name, {"A": [True]})
    store = Store(Settings(runs=tmp_path))
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: store.runs(suite="", agent="", before="", limit=9), "1234"))
    assert [len(page.runs) for page in pages] == [3] * 4
    store.close()


TASK = {"id": "T1", "category": "bug_fix", "prompt": "Fix it.", "expectedPatterns": ["done"]}


@pytest.fixture
def shelf(suites: Path, tmp_path: Path) -> SuiteDirectory:
    return SuiteDirectory(suites, tmp_path / "runs")


def create(shelf: SuiteDirectory, name: str = "mine", **task: Any) -> Any:
    return shelf.create(NewSuite(name=name, tasks=[TASK | task]), lambda: "2026")


@pytest.mark.parametrize(
    "name", ["", "..", ".hidden", "a/b", "../a", "/tmp/a", "a\\b", "a b", "a.", "a\n", "x" * 65]
)
def test_no_name_leaves_the_folder(shelf: SuiteDirectory, suites: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="is no name for a suite") as refused:
        create(shelf, name)
    assert refused.value.status == 422
    assert [path.name for path in suites.iterdir()] == ["office"]


def test_a_name_is_taken_once(shelf: SuiteDirectory) -> None:
    create(shelf)
    for name in ("mine", "office"):
        with pytest.raises(RefusedError, match="already") as refused:
            create(shelf, name)
        assert refused.value.status == 409


def test_an_invalid_suite_leaves_nothing(shelf: SuiteDirectory, suites: Path) -> None:
    with pytest.raises(InvalidCasesError) as refused:
        create(shelf, category="poetry")
    assert all(problem.where.startswith("mine/suite.json") for problem in refused.value.problems)
    assert [path.name for path in suites.iterdir()] == ["office"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "suites").write_text("a file", encoding="utf-8")
    with pytest.raises(RefusedError, match="cannot keep the suite") as refused:
        create(SuiteDirectory(tmp_path / "suites", tmp_path / "runs"))
    assert refused.value.status == 500


def test_registered_names_come_before_found_ones(
    shelf: SuiteDirectory, suites: Path, tmp_path: Path
) -> None:
    known = RegisteredSuites(tmp_path / "runs")
    known.register(RegisteredSuite(name="bureau", path=str(suites / "office"), description="d"))
    known.register(RegisteredSuite(name="gone", path=str(tmp_path / "gone")))
    assert [(each.name, each.description) for each in shelf.list_suites()] == [("bureau", "d")]
    assert shelf.path("bureau") == suites / "office"
    with pytest.raises(RefusedError, match=r"no suite 'bureaus'.*'bureau'"):
        shelf.path("bureaus")


def test_a_suite_is_told_with_its_cases(shelf: SuiteDirectory, suites: Path) -> None:
    (told,) = shelf.list_suites()
    assert told.model_dump() == {
        "id": "office",
        "name": "office",
        "path": str(suites / "office"),
        "format": "native",
        "description": "",
        "registered": False,
        "cases": 2,
        "categories": {"policy": 1, "devices": 1},
        "errors": 0,
        "baseline": "",
        "tasks": [
            {
                "id": "T-001",
                "category": "policy",
                "description": "Which units are there?",
                "prompt": "Which units do we have?",
            },
            {
                "id": "T-002",
                "category": "devices",
                "description": "Make a unit, then find it",
                "prompt": "Make a unit called Attic.",
            },
        ],
    }
    assert [each.name for each in shelf.harnesses()] == ["office"]


def test_a_suite_is_read_again_when_a_file_of_it_changes(
    shelf: SuiteDirectory, suites: Path
) -> None:
    first = shelf.suite("office")
    assert shelf.suite("office") is first
    path = suites / "office" / "cases.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("T-002", "T-0022"), encoding="utf-8")
    assert [case.id for case in shelf.suite("office").cases] == ["T-001", "T-0022"]
    path.write_text("cases: 1", encoding="utf-8")
    assert shelf.suite("office").errors
    assert shelf.harnesses() == []


def test_without_a_folder_there_are_no_suites(tmp_path: Path) -> None:
    assert SuiteDirectory(tmp_path / "none", tmp_path).list_suites() == []
