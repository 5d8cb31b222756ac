import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.logging.query.reader import LONGEST, parse_query
from mockserver.apis.logging.query.tokens import OPERATORS
from mockserver.apis.logging.query.tree import (
    Argument,
    Both,
    Comparison,
    Either,
    Function,
    Literal,
    Not,
    Query,
    Search,
    print_query,
)
from mockserver.googleapi import ApiError

BARE = st.from_regex(r"[a-zA-Z0-9_/*][a-zA-Z0-9_/%.\-]{0,8}", fullmatch=True)
SEGMENTS = st.one_of(
    st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,6}", fullmatch=True),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5),
    st.sampled_from(["AND", "k8s-pod/app", "a.b", "-x"]),
)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=3).map(tuple)
VALUES = st.one_of(
    st.builds(Literal, st.text(st.characters(codec="utf-8"), max_size=8)),
    st.builds(Literal, BARE.filter(lambda text: text not in {"AND", "OR", "NOT"}), st.just(False)),
)
ARGUMENTS = st.one_of(
    st.builds(Argument, SEGMENTS.map(lambda text: (text,)), st.just(True)),
    st.builds(Argument, st.from_regex(r"[a-z]{1,5}(\.[a-z0-9]{1,4})?", fullmatch=True).map(
        lambda text: tuple(text.split("."))
    )),
)  # fmt: skip
LEAVES = st.one_of(
    st.builds(Comparison, PATHS, st.sampled_from(OPERATORS), VALUES),
    st.builds(Search, VALUES),
    st.builds(
        Function,
        st.sampled_from(["log_id", "SEARCH", "f"]),
        st.lists(ARGUMENTS, max_size=2).map(tuple),
    ),
)
QUERIES: st.SearchStrategy[Query] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Both, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Either, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@given(QUERIES, st.booleans())
def test_a_printed_query_reads_as_itself(query: Query, or_first: bool) -> None:
    assert parse_query(print_query(query), or_first=or_first) == query


@given(st.text(st.sampled_from("aAND OR()\"'-.:=~!<>,\\\n*5NULL"), max_size=30))
def test_any_text_is_a_query_or_refused(text: str) -> None:
    try:
        query = parse_query(text)
    except ApiError as error:
        said = (error.status, error.message[:20])
    else:
        said = (400, "Unparseable filter: ")
        assert parse_query(print_query(query)) == query
    assert said == (400, "Unparseable filter: ")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a OR b AND c", "(a OR b) AND c"),
        ("a AND b OR c", "a AND (b OR c)"),
        ("a b OR c d", "a AND (b OR c) AND d"),
        ("a OR NOT b AND NOT c OR d", "(a OR (NOT b)) AND ((NOT c) OR d)"),
        ("-a b", "NOT a AND b"),
        ("f=(a OR b)", "f=a OR f=b"),
        ("f:(a AND NOT -5)", "f:a AND NOT f:-5"),
        ("f=((a OR b) c)", "(f=a OR f=b) AND f=c"),
        ("f='a' -- why\n g=b", 'f="a" AND g=b'),
        ('"a".b=c', "a.b=c"),
    ],
    ids=repr,
)
def test_or_binds_tighter_than_and_which_may_be_left_out(text: str, same: str) -> None:
    assert parse_query(text) == parse_query(same)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a OR b AND c", "a OR (b AND c)"),
        ("a b OR c d", "(a AND b) OR (c AND d)"),
        ("f=(a OR b c)", "f=a OR (f=b AND f=c)"),
    ],
    ids=repr,
)
def test_the_other_order_is_a_switch(text: str, same: str) -> None:
    assert parse_query(text, or_first=False) == parse_query(same, or_first=False)


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("textPayload:rc=", 15, "="),
        ("insertId = abc:def", 15, ":"),
        ("(a", 3, ""),
        ("a)", 2, ")"),
        ("a AND", 6, ""),
        ("OR a", 1, "OR"),
        ("a=", 3, ""),
        ("a= AND b", 4, "AND"),
        ("a=- 5", 5, "5"),
        ("labels.=x", 1, "labels."),
        ("f(a b)", 5, "b"),
        ("f=(a=b)", 5, "="),
        ("> 5", 1, ">"),
    ],
    ids=repr,
)
def test_a_syntax_error_names_column_and_word(text: str, place: int, word: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_query(text)
    said = f"Unparseable filter: syntax error at line 1, column {place}, token '{word}'"
    assert caught.value.message == said


@pytest.mark.parametrize("text", ["(" * 100, "NOT " * 100 + "a", "- " * 100 + "a", "f=" + "(" * 90])
def test_a_query_that_is_nested_too_deep_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match=r"Unparseable filter"):
        parse_query(text)


def test_a_query_has_a_greatest_length() -> None:
    assert parse_query("a" * LONGEST) == Search(Literal("a" * LONGEST, quoted=False))
    with pytest.raises(ApiError, match="20,000"):
        parse_query("a" * (LONGEST + 1))


def test_blank_text_is_the_query_that_always_holds() -> None:
    assert parse_query(" \n -- nothing") == Both(())
