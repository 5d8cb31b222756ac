import json
import re
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import FormatError
from mockserver.storage import kind_of, read_json, read_object, untrusted_json, untrusted_yaml
from mockserver.storage.provenance import format_pointer
from mockserver.storage.untrusted_json import lines_in_json, long_integer, parse_json
from mockserver.storage.untrusted_yaml import line_of, lines_of, load_yaml
from tests.mockserver.storage.test_provenance import OBJECTS, numbered, places_in


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1,\n "b": }', r"f\.json:2:7: not JSON"),
        (b'{"a": "\xff"}', r"f\.json:1: not UTF-8: invalid start byte at byte 7"),
        (b"[" * 10_000 + b"]" * 10_000, "not JSON"),
        (b"", "not JSON"),
    ],
    ids=["syntax", "encoding", "nesting", "empty"],
)
def test_a_broken_file_is_an_error_with_its_place(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "f.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_json(path)


def test_a_missing_file_and_a_huge_one_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_json(tmp_path / "none.json")
    path = tmp_path / "f.json"
    path.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(untrusted_json, "LARGEST_FILE", 2)
    assert read_json(path) == {}
    monkeypatch.setattr(untrusted_json, "LARGEST_FILE", 1)
    with pytest.raises(FormatError, match="larger than"):
        read_json(path)


def test_an_object_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    assert read_object(path) == {"a": 1}
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="expected a JSON object, found an array"):
        read_object(path)


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "null"), (False, "a boolean"), ({}, "an object"), ("", "a string"), (1.5, "a number")],
    ids=str,
)
def test_kinds_have_json_s_names(value: object, name: str) -> None:
    assert kind_of(value) == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[" * 201 + b"]" * 201, "nested more than 200 deep"),
        (b'{"a/b": [1, {"c": 18446744073709551616}]}', "#/a~1b/1/c: an integer that 64 bits"),
        (b"-9223372036854775809", "#: an integer that 64 bits"),
    ],
    ids=["nested", "too large", "too small"],
)
def test_what_could_not_be_written_again_as_it_is_is_refused(text: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=re.escape(said)):
        parse_json(text, Path("a.json"))


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200 + b"]" * 200,
        b"[18446744073709551615, -9223372036854775808]",
        b'["18446744073709551616", 1e30, 0.12345678901234567890123, "a, 98765432109876543210, b"]',
        b"[" + b",".join([b"[]"] * 300) + b"]",
    ],
    ids=["deep", "largest", "texts and fractions", "wide"],
)
def test_what_can_be_written_again_is_read(text: bytes) -> None:
    assert parse_json(text, Path("a.json")) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!python/str x", "x"),
        ("!!python/unicode x", "x"),
        ("!!python/tuple [a, b]", ["a", "b"]),
        ("!!python/object/new:_io.BytesIO {state: !!python/tuple [!!binary aGk=, 0]}", b"hi"),
        ("!!python/object/new:_io.BytesIO {}", b""),
        ("!!python/object/apply:builtins.iter {args: [[a, !!binary aGk=]]}", b"ahi"),
        ("!!python/object/apply:builtins.iter {}", b""),
        ("!!python/object/apply:builtins.iter {args: 3}", b""),
        ("!!python/object/apply:builtins.iter {args: []}", b""),
        ("!!python/object/new:_io.BytesIO {state: 3}", b""),
        ("!!python/object/new:_io.BytesIO {state: []}", b""),
        ("2026-01-01", "2026-01-01"),
        ("1.5", 1.5),
    ],
)
def test_the_plain_data_behind_tags_that_vcrpy_writes_is_read(text: str, value: object) -> None:
    assert load_yaml(text, "a.yaml") == value


@pytest.mark.parametrize(
    "tag", ["python/object/apply:os.system ['id']", "python/module:os ''", "python/object:a.B {}"]
)
def test_tags_that_could_run_something_are_refused(tag: str) -> None:
    with pytest.raises(FormatError, match="has the tag"):
        load_yaml(f"a: !!{tag}", "a.yaml")


def test_aliases_may_stand_for_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &a [xxxxxxxxx]\nb: [*a, *a, *a]\nc: &c xx\nd: *c\n"
    monkeypatch.setattr(untrusted_yaml, "LARGEST_EXPANSION", 36)
    assert load_yaml(text, "a.yaml")["b"] == [["xxxxxxxxx"]] * 3
    monkeypatch.setattr(untrusted_yaml, "LARGEST_EXPANSION", 32)
    with pytest.raises(FormatError, match=r"a\.yaml:2: aliases"):
        load_yaml(text, "a.yaml")


def test_the_line_of_a_value_or_of_what_is_around_it() -> None:
    text = "a:\n- b: 1\n- c: 2\n"
    assert line_of(text, ("a", 1, "c")) == 3
    assert line_of(text, ("a", 1, "nope")) == 3
    assert line_of(text, ("a", 7)) == 2
    assert line_of(text, ("a", 0, "b", "deeper")) == 2
    assert line_of("", ()) == 1
    assert line_of("", ("a",)) == 1


def test_the_lines_of_several_values_are_found_in_one_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compose = Mock(side_effect=yaml.compose)
    monkeypatch.setattr("yaml.compose", compose)
    assert lines_of("a:\n- 1\n- 2\n", [("a", n) for n in (0, 1, 2, 0)]) == [2, 3, 2, 2]
    assert compose.call_count == 1


def test_binary_as_ruby_writes_it_is_bytes() -> None:
    assert load_yaml("!binary |-\n  aGk=\n", "a.yml") == b"hi"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: !!bool maybe", "1:4: not YAML: this is no bool"),
        ("a: !!int ''", "1:4: not YAML: this is no int"),
        ("a: !!int [1]", "expected a scalar"),
        ("a: 18446744073709551616", "1:4: not YAML: an integer that 64 bits do not hold"),
        ("a: !!float x", "this is no float"),
        ("a: !!binary é", "a.yaml:1:4"),
        ("a: !!set {b}", "has the tag 'tag:yaml.org,2002:set'"),
        ("a: !!omap [b: 1]", "has the tag"),
        ("? [a]\n: b", "a key that is no text"),
        ("a: " + "[" * 201, "nested more than 200 deep"),
        ("a: " + "{b: " * 60_000, "nested more than 200 deep"),
        ("- " * 201 + "a", "nested more than 200 deep"),
    ],
)
def test_what_is_no_data_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(FormatError) as error:
        load_yaml(text, "a.yaml")
    assert said in str(error.value)


def test_aliases_cannot_make_what_is_nested_too_deeply() -> None:
    text = "- &a0 [x]\n" + "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, 300))
    with pytest.raises(FormatError, match=r"a\.yaml:200: nested more than 200 deep"):
        load_yaml(text, "a.yaml")


def test_keys_are_texts_as_they_are_written_and_times_are_texts() -> None:
    text = "{off: 1, 2: 3, null: 4, 2026-01-01: !!timestamp 2026-01-01, .nan: 5}"
    assert load_yaml(text, "a.yaml") == {
        "off": 1,
        "2": 3,
        "null": 4,
        "2026-01-01": "2026-01-01",
        ".nan": 5,
    }


@given(OBJECTS, st.booleans())
def test_each_value_of_a_json_text_has_its_line(shape: Any, is_wide: bool) -> None:
    value = numbered(shape, count(1000))
    text = json.dumps(value, indent=None if is_wide else 1)
    lines = {line.strip(" ,").rpartition(": ")[2]: n for n, line in enumerate(text.splitlines(), 1)}
    leaves = [
        (place_of(value, path), leaf) for path, leaf in places_in(value) if isinstance(leaf, int)
    ]
    expected = [1 if is_wide else lines[str(leaf)] for _, leaf in leaves]
    assert lines_in_json(text, [place for place, _ in leaves]) == expected


def place_of(value: Any, path: tuple[str, ...]) -> tuple[int | str, ...]:
    """A path with numbers for the places of lists."""
    place: list[int | str] = []
    for name in path:
        place.append(int(name) if isinstance(value, list) else name)
        value = value[place[-1]]
    return tuple(place)


@given(OBJECTS, st.integers(0, 20), st.sampled_from([2**64, -(2**63) - 1, 10**30]))
def test_the_first_integer_that_is_too_long_has_its_pointer(
    shape: Any, at: int, number: int
) -> None:
    value = numbered(shape, (number if n >= at else n for n in count()))
    leaves = [path for path, leaf in places_in(value) if leaf == number]
    expected = format_pointer(leaves[0]) if leaves else None
    assert long_integer(json.dumps(value).encode()) == expected
