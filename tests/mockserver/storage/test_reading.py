import json
import re
from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.storage import kind_of, read_json, read_object, untrusted_json
from mockserver.storage.untrusted_json import parse_json


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
