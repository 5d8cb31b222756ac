import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import FormatError
from mockserver.storage.suites import registry_case_ids, yaml_case_ids


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
        ("[" * 10_000 + "]" * 10_000, []),
    ],
    ids=["one", "own only", "several", "elsewhere", "alias", "list", "text", "empty", "deep"],
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
    found = [each for each in _case_ids(yaml.parse(text)) if each != "null"]
    assert sorted(found) == sorted(map(str, wanted))
