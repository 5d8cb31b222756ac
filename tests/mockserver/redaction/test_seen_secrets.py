"""What was replaced."""

import html
import json
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction import Secret, SeenSecrets, unseal_secrets
from mockserver.redaction.seen_secrets import (
    LearnedValues,
    has_pattern,
    is_distinctive,
    is_distinctive_alone,
)


def test_it_shows_nothing() -> None:
    seen = SeenSecrets()
    seen.note("email", "ada@corp.io", "user-1@example.com")
    assert "ada" not in f"{seen} {next(iter(seen.secrets()))}"


def test_a_value_is_noted_once() -> None:
    seen = SeenSecrets()
    assert seen.note("email", "a", "b")
    assert not seen.note("token", "a", "c")
    assert len(seen) == 1


def test_those_after_a_place_are_the_new_ones() -> None:
    seen = SeenSecrets()
    seen.note("email", "a", "1")
    seen.note("cookie", "dark", "2", findable=False)
    before = len(seen)
    seen.note("email", "b", "3")
    assert list(seen.secrets(before)) == [Secret("email", "b")]
    assert list(seen.secrets()) == [Secret("email", "a"), Secret("email", "b")]
    assert list(seen.pseudonyms()) == ["1", "2", "3"]


def test_the_owner_of_the_key_finds_the_way_back() -> None:
    seen = SeenSecrets()
    seen.note("email", "ada@corp.io", "user-1@example.com")
    sealed = seen.seal(b"key")
    assert b"ada" not in sealed
    assert unseal_secrets(sealed, b"key") == {"user-1@example.com": Secret("email", "ada@corp.io")}
    with pytest.raises(ValueError, match="another key"):
        unseal_secrets(sealed, b"other")


def test_a_learned_value_is_replaced_as_a_word_alone() -> None:
    learned = LearnedValues()
    learned.add("dev-77", "P")
    assert learned.replace("dev-77, xdev-77, dev-779 (dev-77)") == "P, xdev-77, dev-779 (P)"


@pytest.mark.parametrize(
    "coding",
    [str, html.escape, partial(quote, safe=""), lambda text: json.dumps(text)[1:-1],
     lambda text: json.dumps(text, ensure_ascii=False)[1:-1]],
    ids=["plain", "HTML", "percent", "ASCII JSON", "JSON"],
)  # fmt: skip
def test_a_learned_value_is_found_as_codings_write_it(coding: Callable[[str], str]) -> None:
    learned = LearnedValues()
    value, pseudonym = '<"é" dev-77/', 'P"'
    learned.add(value, pseudonym)
    assert learned.replace(f"a {coding(value)} b") == f"a {coding(pseudonym)} b"


@given(st.lists(st.from_regex(r"[a-z]{3}-[0-9]{4}", fullmatch=True), max_size=80, unique=True))
def test_however_many_are_learned_each_is_found(values: list[str]) -> None:
    learned = LearnedValues()
    for value in values:
        learned.add(value, f"<{value.upper()}>")
        assert learned.replace(f"a {value} b") == f"a <{value.upper()}> b"
    assert learned.replace(" ".join(values)) == " ".join(f"<{value.upper()}>" for value in values)


def test_nothing_learned_is_the_same_object() -> None:
    text = "nothing"
    assert LearnedValues().replace(text) is text


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("cookie", "accepted", False),
        ("cookie", "a81f22", True),
        ("password", "hunter", True),
        ("device", "abc", False),
        ("person_name", "Ada Lindqvist", True),
        ("person_name", "Lindqvist", False),
        ("secret", "123456", False),
        ("domain", "corp-7.io", False),
    ],
)
def test_plain_words_are_no_secrets_by_themselves(kind: str, value: str, *, expected: bool) -> None:
    assert is_distinctive(kind, value, "redacted-id-0") is expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("id", "u_81", True),
        ("device", "u81", True),
        ("id", "u8", False),
        ("id", "u_8127", False),
        ("id", "u_812", True),
        ("id", "8127", False),
        ("id", "open", False),
        ("person_name", "u_81", False),
        ("city", "u_81", False),
        ("domain", "u_81", False),
    ],
)
def test_a_short_id_is_one_where_it_stands_alone(kind: str, value: str, *, expected: bool) -> None:
    assert is_distinctive_alone(kind, value) is expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("dev-77", [("dev-77", "P")]),
        ("is dev-77, 1234.", [("dev-77", "P"), ("1234", "Q")]),
        ("1234.5", []),
        ("5.1234", []),
        (".1234", [("1234", "Q")]),
        ("a.1234", [("1234", "Q")]),
        ("1234.a", [("1234", "Q")]),
        ("x" * 5000 + " u_81", []),
        ("u_81", [("u_81", "R")]),
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_was_learned_is_found_with_its_pseudonym(
    text: str, found: list[tuple[str, str]]
) -> None:
    learned = LearnedValues()
    assert learned.find(text) == []
    for value, pseudonym in ("dev-77", "P"), ("1234", "Q"):
        learned.add(value, pseudonym)
    learned.add_whole("u_81", "R")
    assert learned.find(text) == found
    expected = text
    for value, pseudonym in found:
        expected = expected.replace(value, pseudonym)
    assert learned.replace(text) == expected


def test_what_patterns_find_need_not_be_learned() -> None:
    assert has_pattern("email")
    assert not has_pattern("device")


def test_a_value_of_a_megabyte_is_found_and_taken_apart() -> None:
    learned = LearnedValues()
    value = "a1b2" * 300_000
    learned.add(value, "P")
    assert learned.may_occur(f"x {value}")
    assert learned.replace(f"x {value} y") == "x P y"
    del learned
