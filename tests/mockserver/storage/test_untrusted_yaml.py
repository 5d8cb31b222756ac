from unittest.mock import Mock

import pytest
import yaml

from mockserver.errors import FormatError
from mockserver.storage import untrusted_yaml
from mockserver.storage.untrusted_yaml import line_of, lines_of, load_yaml


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
