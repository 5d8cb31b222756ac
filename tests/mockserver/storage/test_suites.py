import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import FormatError, SessionError
from mockserver.storage import Suite


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "base" / "20-users.json", {"users": []})
    write(tmp_path / "base" / "10-units.json", {"orgUnits": []})
    write(tmp_path / "EC-001" / "overrides.json", {"users": [1]})
    write(tmp_path / "EC-001" / "b.patch.json", [{"op": "test", "path": "/users", "value": [1]}])
    write(tmp_path / "EC-002" / "only.patch.json", [])
    write(tmp_path / "registry.json", [{"id": "EC-003"}, {"no": "id"}])
    write(tmp_path / "shared" / "quota.json", {"faults": []})
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "native.yaml").write_text("id: native", encoding="utf-8")
    return tmp_path


def test_base_files_merge_in_name_order(folder: Path) -> None:
    assert [path.name for path in Suite(folder).base_files()] == ["10-units.json", "20-users.json"]


def test_overrides_come_before_patches(folder: Path) -> None:
    suite = Suite(folder)
    names = [path.name for path in suite.override_files("EC-001")]
    assert names == ["overrides.json", "b.patch.json"]
    assert [path.name for path in suite.override_files("shared/quota.json")] == ["quota.json"]


def test_a_case_is_registered_written_or_has_an_override(folder: Path) -> None:
    """CEP-58: overrides are optional."""
    suite = Suite(folder)
    assert suite.cases() == ("EC-001", "EC-002", "EC-003", "native")
    assert suite.overrides() == ("EC-001", "EC-002")
    assert suite.knows("EC-003")
    assert not suite.has_override("EC-003")
    assert not suite.knows("EC-004")


def test_the_chrome_layout_with_a_fixtures_folder_is_known(tmp_path: Path) -> None:
    """CEP-10, CEP-11: base and overrides below `fixtures/`."""
    write(tmp_path / "fixtures" / "base" / "api-base.json", {})
    write(tmp_path / "fixtures" / "EC-001" / "overrides.json", {})
    write(tmp_path / "registry.json", {"cases": [{"id": "EC-001"}]})
    suite = Suite(tmp_path)
    assert suite.overrides() == ("EC-001",)
    assert suite.layer(suite.base_files()[0]).name == "fixtures/base/api-base.json"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("EC-01", "did you mean 'EC-001'"),
        ("../secret", "cannot be the name"),
        ("../secret.json", "leaves the suite's folder"),
        ("none.json", "no override file"),
    ],
    ids=str,
)
def test_an_override_that_is_not_there_or_climbs_out_is_refused(
    folder: Path, name: str, message: str
) -> None:
    with pytest.raises(SessionError, match=message):
        Suite(folder).override_files(name)


def test_a_link_out_of_the_suite_is_not_followed(folder: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.json"
    write(outside, {"secret": 1})
    link = folder / "base" / "link.json"
    link.symlink_to(outside)
    with pytest.raises(SessionError, match="link that leaves"):
        Suite(folder).layer(link)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"op": "add"}, "expected an RFC 6902 array"),
        ([{"op": "add"}], "#/0: expected an operation"),
    ],
    ids=["object", "no-path"],
)
def test_a_malformed_patch_is_an_error_with_its_place(
    folder: Path, content: Any, message: str
) -> None:
    path = folder / "EC-001" / "b.patch.json"
    write(path, content)
    with pytest.raises(FormatError, match=message):
        Suite(folder).layer(path)


def test_a_suite_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        Suite(tmp_path / "none")


def test_a_folder_that_holds_nothing_of_a_suite_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "chrome" / "base" / "x.json", {})
    with pytest.raises(
        FormatError, match=r"is no suite: .* \(name one of the suites in it: chrome\)"
    ):
        Suite(tmp_path)


@pytest.mark.parametrize(
    "name", ["base/x.json", "EC-1/overrides.json", "registry.json", "case.yaml", "cases/a/b.yml"]
)
def test_any_part_of_a_suite_makes_one(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, {})
    assert Suite(tmp_path).folder == tmp_path
