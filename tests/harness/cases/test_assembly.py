from pathlib import Path

from harness.cases.assembly import Entry, assemble
from harness.cases.folder import SuiteFolder
from harness.documents import Document, Findings, Part
from harness.model import Case, Evidence, Fixtures, Turn
from tests.casefiles import errors, put


def case(name: str, fixtures: Fixtures | None = None) -> Case:
    return Case(
        id=name,
        turns=(Turn(user="Why?"),),
        expect=(Evidence(markers=("handshake",)),),
        fixtures=fixtures or Fixtures(),
    )


def at(name: str) -> Part:
    return Part(Document(name, {"id": "EC-001"}, {(): 1}))


def test_a_duplicate_id_is_told_with_both_places(tmp_path: Path) -> None:
    entries = [Entry("EC-001", at("a"), case("EC-001")), Entry("EC-001", at("b"), None)]
    suite = assemble(SuiteFolder(tmp_path), "s", entries, Findings())
    assert errors(suite, tmp_path) == ["b:1: duplicate id 'EC-001', first at a:1"]


def test_entries_without_an_id_are_no_duplicates(tmp_path: Path) -> None:
    findings = Findings()
    findings.error("a", "no id")
    suite = assemble(
        SuiteFolder(tmp_path), "s", [Entry("", at("a"), None), Entry("", at("b"), None)], findings
    )
    assert errors(suite, tmp_path) == ["a: no id"]


def test_an_override_for_an_unknown_case_is_told(tmp_path: Path) -> None:
    for name in ("EC-001", "EC-01", "shared"):
        put(tmp_path / name / "overrides.json", "{}")
    used = Fixtures(overrides=("EC-001", "shared/overrides.json"))
    entries = [Entry("EC-001", at("a"), case("EC-001", used))]
    suite = assemble(SuiteFolder(tmp_path), "s", entries, Findings())
    assert errors(suite, tmp_path) == [
        "EC-01: override for an unknown case 'EC-01' (did you mean 'EC-001'?)"
    ]


def test_an_override_of_an_invalid_case_is_no_stranger(tmp_path: Path) -> None:
    put(tmp_path / "EC-001" / "overrides.json", "{}")
    suite = assemble(SuiteFolder(tmp_path), "s", [Entry("EC-001", at("a"), None)], Findings())
    assert suite.problems == ()


def test_a_suite_without_cases_is_told(tmp_path: Path) -> None:
    suite = assemble(SuiteFolder(tmp_path), "s", [], Findings())
    assert errors(suite, tmp_path) == [f"{tmp_path}: holds no case"]
