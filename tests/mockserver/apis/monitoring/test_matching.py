import pytest

from mockserver.apis.monitoring.filters import (
    Rule,
    check_rule,
    field_at,
    meets,
    parse_filter,
    row_test,
)
from mockserver.googleapi import ApiError
from mockserver.model import Json


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('a = "x"', "x", True),
        ('a = "x"', None, False),
        ('a = ""', None, True),
        ('a != "x"', None, True),
        ("a = 5", "5", True),
        ("a = 5", 5.0, True),
        ("a = 5", "five", False),
        ("a = true", True, True),
        ("a = false", None, True),
        ('a = "true"', True, True),
        ('a = "2"', 2.0, True),
        ('a = starts_with("ab")', "abc", True),
        ('a = ends_with("bc")', "abc", True),
        ('a = has_substring("b")', "abc", True),
        ('a = has_substring("z")', "abc", False),
        ('a = one_of("x", "y")', "y", True),
        ('a != one_of("x", "y")', "z", True),
        ('a = monitoring.regex.full_match("a.c")', "abc", True),
        ('a = monitoring.regex.full_match("b")', "abc", False),
        ('a : "B"', "abc", True),
        ("a : id", {"id": ""}, True),
        ("a : id", ["x", "id"], True),
        ("a : *", 0, True),
        ("a : *", None, False),
        ('a = "x"', ["w", "x"], True),
        ("a > 5", "7", True),
        ("a > 5", None, False),
        ('a >= "2026-03-02T09:00:00Z"', "2026-03-02T10:00:00+01:00", True),
        ('a < "2026-03-02T09:00:00Z"', "2026-03-02T09:00:00Z", False),
        ('a <= "b"', "a", True),
    ],
)
def test_a_value_meets_a_rule(text: str, value: Json, expected: bool) -> None:
    rule = parse_filter(text)
    assert isinstance(rule, Rule)
    assert meets(rule, value) is expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a > starts_with("x")', "with '=' and '!=' only"),
        ("a = starts_with()", "number of arguments"),
        ('a = starts_with("a", "b")', "number of arguments"),
        ('a = monitoring.regex.full_match("(")', "invalid regular expression"),
    ],
)
def test_functions_are_held_to_their_form(text: str, why: str) -> None:
    rule = parse_filter(text)
    assert isinstance(rule, Rule)
    with pytest.raises(ApiError, match=why):
        check_rule(text, rule)


def test_fields_of_a_row_are_found_in_both_spellings() -> None:
    row = {"userLabels": {"team": "shop"}, "conditions": [{"name": "a"}, {}, {"name": "b"}]}
    assert field_at(row, ("user_labels", "team")) == "shop"
    assert field_at(row, ("user_label", "team")) is None
    assert field_at(row, ("condition", "name")) == ["a", "b"]
    assert field_at(row, ("conditions", "none")) is None
    assert row_test('user_labels.team = "shop" AND conditions.name = "b"')(row)


def test_a_filter_of_rows_has_no_selections() -> None:
    with pytest.raises(ApiError, match="unknown function select"):
        row_test('select("x")')
