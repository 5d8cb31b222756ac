import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import FormatError, SessionError
from mockserver.storage import Suite
from mockserver.storage.suites import registry_case_ids, suite_files, yaml_case_ids


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


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("registry", "ids"),
    [
        ([{"id": "a"}, {"no": "id"}, "b", {"id": 3}], ["a"]),
        ({"cases": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]),
        ({"evals": [{"id": "a"}]}, ["a"]),
        ({"other": [{"id": "a"}]}, []),
        ("text", []),
    ],
    ids=["list", "cases", "evals", "neither", "no object"],
)
def test_a_registry_is_a_list_or_has_one(tmp_path: Path, registry: object, ids: list[str]) -> None:
    put(tmp_path, "registry.json", json.dumps(registry))
    assert list(registry_case_ids(tmp_path)) == ids


def test_a_suite_may_do_without_a_registry(tmp_path: Path) -> None:
    assert list(registry_case_ids(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("id: one\ninput: x", ["one"]),
        ("fixtures: {id: no}\nturns: [{id: no}]\nid: one", ["one"]),
        ("cases:\n- {id: one, expect: [{id: no}]}\n- {title: x, id: two}", ["one", "two"]),
        ("other:\n- {id: no}", []),
        ("base: &b {x: 1}\nuse: *b\nid: one", ["one"]),
        ("- id: no", []),
        ("just text", []),
        ("", []),
    ],
    ids=["one", "own only", "several", "elsewhere", "alias", "list", "text", "empty"],
)
def test_a_yaml_file_names_its_cases_whatever_the_file_is_called(
    tmp_path: Path, text: str, ids: list[str]
) -> None:
    put(tmp_path, "cases/below/file.yml", text)
    assert list(yaml_case_ids(tmp_path)) == ids


def test_files_lie_beside_the_fixtures_or_below_cases(tmp_path: Path) -> None:
    for name in ("a.yaml", "cases/b.yml", "cases/x/c.yaml", "base/no.yaml", "cases/no.md"):
        put(tmp_path, name, f"id: {Path(name).stem}")
    assert sorted(yaml_case_ids(tmp_path)) == ["a", "b", "c"]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "id: one")
    assert list(yaml_case_ids(tmp_path)) == ["one"]
    put(tmp_path, "a.yaml", "id: two")
    assert list(yaml_case_ids(tmp_path)) == ["two"]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"id: [", "file.yaml:2:1: not YAML"), (b"id: \xff", "not YAML")],
    ids=["syntax", "encoding"],
)
def test_a_broken_file_is_named_with_its_place(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "file.yaml").write_bytes(content)
    with pytest.raises(FormatError, match=says):
        list(yaml_case_ids(tmp_path))


_KEYS = st.sampled_from(["id", "cases", "input", "x"])
_VALUES = st.recursive(
    st.sampled_from(["one", "two"]) | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_ids_are_those_of_the_loaded_document(document: dict[str, object]) -> None:
    cases = document.get("cases")
    holders = [document, *(cases if isinstance(cases, list) else [])]
    wanted = [
        each["id"]
        for each in holders
        if isinstance(each, dict) and isinstance(each.get("id"), str | int)
    ]
    from mockserver.storage.suites import _case_ids

    text = yaml.safe_dump(document)
    found = [each for each in _case_ids(yaml.parse(text), Path("x.yaml")) if each != "null"]
    assert sorted(found) == sorted(map(str, wanted))


@pytest.mark.parametrize("level", ["[a, ", "{a: "])
def test_case_files_that_are_nested_too_deeply_are_refused_at_once(
    tmp_path: Path, level: str
) -> None:
    (tmp_path / "cases.yaml").write_text(level * 20_000, encoding="utf-8")
    with pytest.raises(FormatError, match="nested more than 200 deep"):
        list(yaml_case_ids(tmp_path))


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([], []),
        (["apis/b.yaml", "apis/a.json", "apis/c.yml", "apis/d.txt"], ["a.json", "b.yaml", "c.yml"]),
        (["fixtures/apis/a.yaml"], ["a.yaml"]),
        (["apis/b.yaml", "fixtures/apis/a.yaml"], ["b.yaml"]),
    ],
)
def test_the_files_of_a_folder_are_those_of_the_suite_or_of_its_fixtures(
    tmp_path: Path, files: list[str], found: list[str]
) -> None:
    for name in files:
        write(tmp_path / name, {})
    assert [path.name for path in suite_files(tmp_path, "apis")] == found


def test_the_folder_of_an_override_is_below_the_fixtures(folder: Path) -> None:
    suite = Suite(folder)
    assert suite.override_folder("EC-007") == suite.fixtures / "EC-007"
    for name in "base", "../x", "":
        with pytest.raises(SessionError, match="cannot be the name of an override"):
            suite.override_folder(name)
