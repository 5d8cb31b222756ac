"""How values are written on pages, and the headers of these."""

import re
from typing import Any

import pytest

from mockserver.console.rendering import (
    _finalize,
    cut,
    milliseconds,
    respond,
    write_json,
    write_query,
    write_value,
)


@pytest.mark.parametrize(
    ("length", "more"), [(20_000, ""), (20_001, "\n… 1 more characters"),
                         (21_500, "\n… 1,500 more characters")],
)  # fmt: skip
def test_a_text_is_cut_at_20000_characters(length: int, more: str) -> None:
    assert cut("x" * length) == "x" * 20_000 + more
    assert write_json("x" * length) == "x" * 20_000 + more


@pytest.mark.parametrize(("length", "more"), [(300, ""), (301, "… (301 characters)")])
def test_a_value_in_a_line_is_cut_at_300(length: int, more: str) -> None:
    assert write_value("x" * length) == "x" * 300 + more


@pytest.mark.parametrize(
    ("value", "written"),
    [({"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'), ('{"a":1}', '{\n  "a": 1\n}'), ("{a", "{a"),
     (None, "null"), ({1}, '"{1}"')],
)  # fmt: skip
def test_json_is_indented(value: Any, written: str) -> None:
    assert write_json(value) == written


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00 ms"), (9.994, "9.99 ms"), (10, "10.0 ms"), (999.94, "999.9 ms"), (1000, "1.0 s")],
)
def test_times_are_written_for_people(value: float, text: str) -> None:
    assert milliseconds(value) == text


def test_a_query_has_what_has_a_value() -> None:
    values = {"a": "x y", "b": "", "c": 0, "d": None, "e": False, "f": True, "g": 7}
    assert write_query(values, g=8, h="z") == "?a=x+y&f=1&g=8&h=z"
    assert write_query(values, a="") == "?f=1&g=7"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (7, 7),
        ("a\tb\nc\rd", "a\tb\nc\rd"),
        ("\x00\x08\x0b\x0c\x0e\x1f\x7f\x9f", "�" * 8),
        ("\x20\x7e\xa0", "\x20\x7e\xa0"),
        ("\u202a\u202e\u2066\u2069\u200e\u200f", r"\u202a\u202e\u2066\u2069\u200e\u200f"),
        ("\u2029\u202f\u2065\u206a\u200d\u2010", "\u2029\u202f\u2065\u206a\u200d\u2010"),
    ],
)
def test_what_turns_a_line_around_is_shown_as_its_code(value: Any, shown: Any) -> None:
    assert _finalize(value) == shown


def test_scripts_run_where_they_bear_the_number_of_the_answer() -> None:
    first, second = (respond("unlock.html", 401, is_wrong=True) for _ in range(2))
    policies = [each.headers["content-security-policy"] for each in (first, second)]
    nonces = [re.findall(r"'nonce-([\w-]{22})'", policy) for policy in policies]
    assert nonces[0] != nonces[1]
    assert all(policy.startswith("default-src 'none'; ") for policy in policies)
    assert (first.status_code, first.headers["cache-control"]) == (401, "no-store")
    assert first.headers["vary"] == "Authorization"
