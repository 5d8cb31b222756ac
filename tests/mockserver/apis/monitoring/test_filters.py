from collections.abc import Callable

import pytest

from mockserver.apis.monitoring.filters import (
    Condition,
    Leaf,
    Selection,
    check_condition,
    field_at,
    meets_condition,
    parse_filter,
    row_test,
    split_selector,
)
from mockserver.googleapi import And, ApiError, Not, Or, leaves, tree_test
from mockserver.model import Json


def rule(path: str, operator: str, *values: str | float | bool, function: str = "") -> Condition:
    return Condition(tuple(path.split(".")), operator, function, values)


A: Leaf = rule("a", "=", 1.0)
B: Leaf = rule("b", "=", 2.0)
C: Leaf = rule("c", "=", 3.0)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ('metric.type = "x"', rule("metric.type", "=", "x")),
        ("metric.labels.code='5\\'xx'", rule("metric.labels.code", "=", "5'xx")),
        ("resource.label:id", rule("resource.label", ":", "id")),
        ("enabled = TRUE", rule("enabled", "=", True)),
        ('t >= "2026"', rule("t", ">=", "2026")),
        ("v < -1.5e3", rule("v", "<", -1500.0)),
        ('t = starts_with("a/")', rule("t", "=", "a/", function="starts_with")),
        ('t != one_of("a", "b")', rule("t", "!=", "a", "b", function="one_of")),
        (
            't = monitoring.regex.full_match("a.*")',
            rule("t", "=", "a.*", function="monitoring.regex.full_match"),
        ),
        ("a=1 b=2", And((A, B))),
        ("a=1 AND b=2 OR c=3", And((A, Or((B, C))))),
        ("(a=1 AND b=2) OR c=3", Or((And((A, B)), C))),
        ("NOT a=1 -b=2", And((Not(A), Not(B)))),  # type: ignore[arg-type]  # too nested to be inferred
        ("", And(())),
        ('select_slo_burn_rate("s", "60s")', Selection("select_slo_burn_rate", ("s", "60s"))),
    ],
)
def test_a_filter_becomes_a_tree(text: str, tree: object) -> None:
    assert parse_filter(text) == tree


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("metric.type =", "line 1, column 14, token 'end of expression'"),
        ("a = 1 AND", "line 1, column 10, token 'end of expression'"),
        ("a =~ 1", "line 1, column 3, token '=~'"),
        ("a = (1)", "line 1, column 5, token '('"),
        ("(a = 1", "line 1, column 7, token 'end of expression'"),
        ("a = 1)", "line 1, column 6, token ')'"),
        ("a = 1\n AND ! b", "line 2, column 6, token '!'"),
        ('"a" = 1', "line 1, column 1, token '\"a\"'"),
        ("a = one_of(1 2)", "line 1, column 14, token '2'"),
        ("AND a = 1", "line 1, column 1, token 'AND'"),
        ('a = "b', "line 1, column 5, token '\"'"),
    ],
)
def test_what_is_no_filter_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ApiError, match="syntax error") as caught:
        parse_filter(text)
    assert caught.value.message == (
        f'Field filter had an invalid value of "{text}": syntax error at {place}'
    )


@pytest.mark.parametrize("text", ["(" * 60 + "a=1", "NOT " * 60 + "a=1", "a" * 20_001])
def test_what_is_too_deep_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match=r"nested deeper|longer than"):
        parse_filter(text)


def test_a_filter_holds_by_its_leaves() -> None:
    tree = parse_filter("a=1 AND (b=2 OR NOT c=3)")
    assert list(leaves(tree)) == [A, B, C]

    def leaf_test(leaf: Leaf) -> Callable[[set[Leaf]], bool]:
        return lambda true: leaf in true

    test = tree_test(tree, leaf_test)
    assert test({A, B, C})
    assert test({A})
    assert not test({A, C})


def test_segments_of_a_path_may_be_quoted() -> None:
    assert split_selector('metadata.user_labels."a.\\"b"') == ("metadata", "user_labels", 'a."b')


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
    assert isinstance(rule, Condition)
    assert meets_condition(rule, value) is expected


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
    assert isinstance(rule, Condition)
    with pytest.raises(ApiError, match=why):
        check_condition(text, rule)


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
