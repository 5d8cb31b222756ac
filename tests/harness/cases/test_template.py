import json
from pathlib import Path

import pytest

from harness.cases import read_suite
from harness.cases.template import NewCase, scaffold
from harness.errors import HarnessError
from tests.casefiles import chrome_suite, put

NEW = NewCase("EC-002", 'Printers are "gone"', "devices", ("new-path",))


@pytest.mark.parametrize("listed", [True, False], ids=["object", "list"])
def test_a_registry_gets_an_entry_a_case_file_and_an_override(tmp_path: Path, listed: bool) -> None:
    """CEP-60: Markdown, registry entry and overrides; what was there stays as it was written."""
    suite = chrome_suite(tmp_path / "evals")
    registry = suite / "registry.json"
    if not listed:
        entries = json.loads(registry.read_text(encoding="utf-8"))["cases"]
        registry.write_text(json.dumps(entries, indent=3), encoding="utf-8")
    before = registry.read_text(encoding="utf-8")
    written = scaffold(suite, NEW)
    assert [path.relative_to(suite).as_posix() for path in written] == [
        "cases/EC-002-printers-are-gone.md", "EC-002/overrides.json", "registry.json",
    ]  # fmt: skip
    found = read_suite(suite)
    assert [str(problem) for problem in found.problems] == []
    assert [case.id for case in found.cases] == ["EC-001", "EC-002"]
    made = found.cases[1]
    assert (made.title, made.category, made.tags) == (NEW.title, NEW.category, NEW.tags)
    assert (made.fixtures.overrides, len(made.reference)) == (("EC-002",), 1)
    assert registry.read_text(encoding="utf-8").startswith(before.rstrip().rstrip("]}").rstrip())


def test_an_empty_registry_gets_its_first_entry(tmp_path: Path) -> None:
    put(tmp_path / "registry.json", '{"name": "x", "cases": [ ]}')
    scaffold(tmp_path, NEW)
    assert [case.id for case in read_suite(tmp_path).cases] == ["EC-002"]


def test_overrides_lie_where_the_base_lies(tmp_path: Path) -> None:
    suite = chrome_suite(tmp_path, files={"fixtures/base/all.json": "{}"})
    assert suite / "fixtures" / "EC-002" / "overrides.json" in scaffold(suite, NEW)


def test_a_new_folder_becomes_a_suite_of_yaml_files(tmp_path: Path) -> None:
    suite = tmp_path / "new"
    scaffold(suite, NewCase("A-1"))
    scaffold(suite, NewCase("A-2", tags=("regression", "units")))
    found = read_suite(suite)
    assert [str(problem) for problem in found.problems] == []
    assert [(case.id, case.tags) for case in found.cases] == [
        ("A-1", ()), ("A-2", ("regression", "units")),
    ]  # fmt: skip
    assert (suite / "A-2" / "overrides.json").is_file()


def test_a_case_lies_beside_the_others(tmp_path: Path) -> None:
    put(tmp_path / "one.yaml", "id: A\ninput: Why?\nexpect: {text: {contains: [x]}}\n")
    assert tmp_path / "B.yaml" in scaffold(tmp_path, NewCase("B"))


@pytest.mark.parametrize(
    ("id", "message"),
    [("EC-001", "has a case EC-001 already"), ("EC-1", "is not of the form EC-###")],
    ids=["taken", "malformed"],
)
def test_an_id_is_new_and_well_formed(tmp_path: Path, id: str, message: str) -> None:
    with pytest.raises(HarnessError, match=message):
        scaffold(chrome_suite(tmp_path), NewCase(id))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """CEP-60."""
    suite = chrome_suite(tmp_path, files={"EC-002/overrides.json": '{"users": []}'})
    before = (suite / "registry.json").read_text(encoding="utf-8")
    with pytest.raises(HarnessError, match="is there already; nothing was written"):
        scaffold(suite, NEW)
    assert (suite / "registry.json").read_text(encoding="utf-8") == before
    assert not list((suite / "cases").glob("EC-002*"))


def test_a_world_without_cases_gets_its_first_one(tmp_path: Path) -> None:
    put(tmp_path / "apis" / "desk.yaml", "api: desk")
    scaffold(tmp_path, NewCase("DESK-001"))
    assert (tmp_path / "cases" / "DESK-001.yaml").is_file()


def test_what_is_no_such_suite_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "notes" / "a.txt", "x")
    with pytest.raises(HarnessError, match="no case can be added"):
        scaffold(tmp_path / "notes", NEW)
    with pytest.raises(HarnessError, match="other letters"):
        scaffold(tmp_path / "new", NewCase("../x"))
    with pytest.raises(HarnessError, match="cannot write into"):
        scaffold(tmp_path / "notes" / "a.txt" / "x", NewCase("A"))
