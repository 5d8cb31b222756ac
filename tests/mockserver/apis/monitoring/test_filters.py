import pytest

from mockserver.apis.monitoring.filters import Leaf, Rule, Selection, parse_filter, path_of
from mockserver.googleapi import And, ApiError, Not, Or, holds, leaves


def rule(path: str, operator: str, *values: str | float | bool, function: str = "") -> Rule:
    return Rule(tuple(path.split(".")), operator, function, values)


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
    assert holds(tree, lambda leaf: leaf in {A, B, C})
    assert holds(tree, lambda leaf: leaf is not B and leaf != C)
    assert not holds(tree, lambda leaf: leaf in {A, C})


def test_segments_of_a_path_may_be_quoted() -> None:
    assert path_of('metadata.user_labels."a.\\"b"') == ("metadata", "user_labels", 'a."b')
