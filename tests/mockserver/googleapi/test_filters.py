from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi.filter_trees import (
    And,
    Argument,
    Comparison,
    Filter,
    Function,
    Leaf,
    Not,
    Or,
    Text,
    Value,
    leaves,
    matches_wildcards,
    tree_test,
)
from mockserver.googleapi.filters import FilterError, parse_filter


def compared(field: str, operator: str, value: str, *, quoted: bool = False) -> Comparison:
    return Comparison((field,), operator, Value(value, quoted))


A: Leaf = compared("a", "=", "1")
B: Leaf = compared("b", ":", "x")
C: Leaf = Text(Value("loose", quoted=False))
G = Function("in_group", (Argument(("groups/1",), quoted=True),))
F = Function("f", (Argument(("x",)),))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param("a=1", A, id="comparison"),
        pytest.param("a = 1", A, id="blanks around the operator"),
        pytest.param('a="1"', compared("a", "=", "1", quoted=True), id="quoted value"),
        pytest.param("a=1 AND b:x", And((A, B)), id="and"),
        pytest.param("a=1 b:x", And((A, B)), id="side by side"),
        pytest.param("a=1 OR b:x", Or((A, B)), id="or"),
        pytest.param("loose a=1 OR b:x", And((C, Or((A, B)))), id="or binds tighter"),
        pytest.param("(loose AND a=1) OR b:x", Or((And((C, A)), B)), id="parentheses"),
        pytest.param("NOT a=1", Not(A), id="not"),
        pytest.param("-b:x", Not(B), id="minus"),
        pytest.param(
            'in_group("groups/1")',
            G,
            id="function",
        ),
        pytest.param("f()", Function("f"), id="function without argument"),
        pytest.param('"two words"', Text(Value("two words")), id="phrase"),
        pytest.param(r"'it\'s'", Text(Value("it's")), id="escaped quote"),
        pytest.param(
            "t>=2026-01-01T00:00:00Z", compared("t", ">=", "2026-01-01T00:00:00Z"), id="time"
        ),
        pytest.param("a.b-c=1", compared("a.b-c", "=", "1"), id="path"),
        pytest.param("", And(()), id="blank"),
        pytest.param(
            "b:(x OR NOT (y z))",
            Or((B, Not(And((compared("b", ":", "y"), compared("b", ":", "z")))))),  # type: ignore[arg-type]  # too nested to be inferred
            id="values in parentheses",
        ),
    ],
)
def test_text_becomes_a_tree(text: str, tree: Filter) -> None:
    assert parse_filter(text) == tree


@pytest.mark.parametrize(
    "text",
    [
        "a=",
        "(a=1",
        "a=1)",
        "a=1 AND",
        "f(x",
        "a=1 OR",
        '"open',
        "(" * 100,
        "NOT " * 100 + "a",
        "a:(x",
        "a:(b=1)",
    ],
)
def test_what_is_not_a_filter_is_refused(text: str) -> None:
    with pytest.raises(FilterError):
        parse_filter(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=1)", "unexpected ')' at position 3"),
        ("(a=1", "missing ')' at position 4"),
        ("f(x", "missing ')' after f at position 3"),
        ("a=1 AND", "expected a value at position 7"),
        ("a=1 OR OR", "expected a value at position 9"),
        ("a:(b=1)", "expected values in the parentheses after 'a'"),
        ("(" * 42, "nested deeper than 40 levels"),
    ],
)
def test_a_refusal_says_where(text: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert str(caught.value) == message


def test_leaves_are_listed_from_left_to_right() -> None:
    assert leaves(parse_filter("a=1 (b:x OR NOT loose) f(x)")) == (A, B, C, F)


def leaf_truth(leaf: Leaf) -> Callable[[dict[Leaf, bool]], bool]:
    return lambda truth: truth[leaf]


@given(st.booleans(), st.booleans(), st.booleans())
def test_a_tree_holds_as_its_operators_say(a: bool, b: bool, c: bool) -> None:
    truth: dict[Leaf, bool] = {A: a, B: b, C: c}
    tree = parse_filter("a=1 OR NOT (b:x loose)")
    assert tree_test(tree, leaf_truth)(truth) == (a or not (b and c))


@given(st.text(alphabet="ab=:()\"' -ANDORT\\", max_size=30))
def test_any_text_is_a_tree_or_a_filter_error(text: str) -> None:
    try:
        tree = parse_filter(text)
    except FilterError:
        return
    tree_test(tree, leaf_truth)(dict.fromkeys(leaves(tree), True))


@given(st.text("ab", max_size=8), st.text("ab*", max_size=5))
def test_a_star_is_any_text(text: str, pattern: str) -> None:
    assert matches_wildcards(text, pattern) is fnmatchcase(text, pattern)
