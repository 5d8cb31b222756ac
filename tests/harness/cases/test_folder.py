from pathlib import Path

import pytest

from harness.cases.folder import SuiteFolder
from tests.casefiles import put


@pytest.mark.parametrize("nested", ["", "fixtures/"], ids=["beside", "nested"])
def test_override_folders_stand_beside_the_base(tmp_path: Path, nested: str) -> None:
    """CEP-10, CEP-11."""
    put(tmp_path / f"{nested}base/all.json", "{}")
    put(tmp_path / f"{nested}EC-001/overrides.json", "{}")
    put(tmp_path / f"{nested}EC-002/b.patch.json", "[]")
    put(tmp_path / f"{nested}EC-002/a.patch.json", "[]")
    put(tmp_path / f"{nested}notes/readme.txt", "")
    folder = SuiteFolder(tmp_path)
    assert folder.overrides() == ("EC-001", "EC-002")
    assert [path.name for path in folder.layers("EC-002")] == ["a.patch.json", "b.patch.json"]
    assert folder.has_override("EC-001")
    assert not folder.has_override("base")
    assert not folder.has_override("notes")


def test_one_file_of_a_folder_may_be_named(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    assert folder.layers("EC-001/extra.json") == (tmp_path / "EC-001" / "extra.json",)


def test_a_link_out_of_the_suite_is_not_held_by_it(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.txt", "")
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "link.txt").symlink_to(secret)
    folder = SuiteFolder(suite)
    assert not folder.holds(suite / "link.txt")
    assert folder.holds(suite / "nothing.txt")


def test_a_folder_that_is_not_there_has_no_overrides(tmp_path: Path) -> None:
    assert SuiteFolder(tmp_path / "nope").overrides() == ()


def test_cassettes_are_named_by_their_files(tmp_path: Path) -> None:
    assert SuiteFolder(tmp_path).cassettes() == ()
    for name in ("b.yaml", "a.json", "notes.md"):
        put(tmp_path / "cassettes" / name, "")
    assert SuiteFolder(tmp_path).cassettes() == ("a", "b")
