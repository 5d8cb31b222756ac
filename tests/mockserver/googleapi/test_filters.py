import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi.filters import (
    Both,
    Comparison,
    Either,
    Filter,
    FilterError,
    Function,
    Leaf,
    Not,
    Text,
    holds,
    leaves,
    parse_filter,
)

A, B, C = Comparison("a", "=", "1"), Comparison("b", ":", "x"), Text("loose")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param("a=1", A, id="comparison"),
        pytest.param("a = 1", A, id="blanks around the operator"),
        pytest.param('a="1"', A, id="quoted value"),
        pytest.param("a=1 AND b:x", Both((A, B)), id="and"),
        pytest.param("a=1 b:x", Both((A, B)), id="side by side"),
        pytest.param("a=1 OR b:x", Either((A, B)), id="or"),
        pytest.param("loose a=1 OR b:x", Both((C, Either((A, B)))), id="or binds tighter"),
        pytest.param("(loose AND a=1) OR b:x", Either((Both((C, A)), B)), id="parentheses"),
        pytest.param("NOT a=1", Not(A), id="not"),
        pytest.param("-b:x", Not(B), id="minus"),
        pytest.param('in_group("groups/1")', Function("in_group", "groups/1"), id="function"),
        pytest.param("f()", Function("f", ""), id="function without argument"),
        pytest.param('"two words"', Text("two words"), id="phrase"),
        pytest.param(r"'it\'s'", Text("it's"), id="escaped quote"),
        pytest.param(
            "t>=2026-01-01T00:00:00Z", Comparison("t", ">=", "2026-01-01T00:00:00Z"), id="time"
        ),
        pytest.param("a.b-c=1", Comparison("a.b-c", "=", "1"), id="path"),
        pytest.param("", Both(()), id="blank"),
        pytest.param(
            "b:(x OR NOT (y z))",
            Either((B, Not(Both((Comparison("b", ":", "y"), Comparison("b", ":", "z")))))),
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


def test_leaves_are_listed_from_left_to_right() -> None:
    assert leaves(parse_filter("a=1 (b:x OR NOT loose) f(x)")) == (A, B, C, Function("f", "x"))


@given(st.booleans(), st.booleans(), st.booleans())
def test_a_tree_holds_as_its_operators_say(a: bool, b: bool, c: bool) -> None:
    truth: dict[Leaf, bool] = {A: a, B: b, C: c}
    tree = parse_filter("a=1 OR NOT (b:x loose)")
    assert holds(tree, truth.__getitem__) == (a or not (b and c))


@given(st.text(alphabet="ab=:()\"' -ANDORT\\", max_size=30))
def test_any_text_is_a_tree_or_a_filter_error(text: str) -> None:
    try:
        holds(parse_filter(text), lambda leaf: True)
    except FilterError:
        return
