import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.logging.query.language import (
    DIALECT,
    LONGEST,
    OPERATORS,
    parse_query,
)
from mockserver.googleapi import And, ApiError, Comparison, Filter, Function, Leaf, Not, Or, Text
from mockserver.googleapi.filter_trees import Argument, Value
from tests.mockserver.apis.logging.query.printing import print_query, quote

EITHER: Or[Leaf] = Or((Text(Value("a")), Text(Value("b"))))
BARE = st.from_regex(r"[a-zA-Z0-9_/*][a-zA-Z0-9_/%.\-]{0,8}", fullmatch=True)
SEGMENTS = st.one_of(
    st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,6}", fullmatch=True),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=5),
    st.sampled_from(["AND", "k8s-pod/app", "a.b", "-x"]),
)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=3).map(tuple)
VALUES = st.one_of(
    st.builds(Value, st.text(st.characters(codec="utf-8"), max_size=8)),
    st.builds(Value, BARE.filter(lambda text: text not in {"AND", "OR", "NOT"}), st.just(False)),
)
ARGUMENTS = st.one_of(
    st.builds(Argument, SEGMENTS.map(lambda text: (text,)), st.just(True)),
    st.builds(Argument, st.from_regex(r"[a-z]{1,5}(\.[a-z0-9]{1,4})?", fullmatch=True).map(
        lambda text: tuple(text.split("."))
    )),
)  # fmt: skip
LEAVES = st.one_of(
    st.builds(Comparison, PATHS, st.sampled_from(OPERATORS), VALUES),
    st.builds(Text, VALUES),
    st.builds(
        Function,
        st.sampled_from(["log_id", "SEARCH", "f"]),
        st.lists(ARGUMENTS, max_size=2).map(tuple),
    ),
)
QUERIES: st.SearchStrategy[Filter] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@given(QUERIES, st.booleans())
def test_a_printed_query_reads_as_itself(query: Filter, or_first: bool) -> None:
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
    assert parse_query("a" * LONGEST) == Text(Value("a" * LONGEST, quoted=False))
    with pytest.raises(ApiError, match="20,000"):
        parse_query("a" * (LONGEST + 1))


def test_blank_text_is_the_query_that_always_holds() -> None:
    assert parse_query(" \n -- nothing") == And(())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (And(()), ""),
        (Text(Value("AND", quoted=False)), '"AND"'),
        (Text(Value("-5", quoted=False)), "-5"),
        (Comparison(("labels", "a/b c"), ":", Value("*", quoted=False)), 'labels."a/b c":*'),
        (Not(EITHER), 'NOT ("a" OR "b")'),  # type: ignore[arg-type]  # too nested to be inferred
        (
            Function("sample", (Argument(("insertId",)), Argument(("0.5",), quoted=True))),
            'sample(insertId, "0.5")',
        ),
    ],
    ids=repr,
)
def test_a_tree_is_written_as_a_query(query: Filter, text: str) -> None:
    assert print_query(query) == text


def test_an_argument_is_one_text() -> None:
    assert Argument(("0", "25")).text == "0.25"


def words(text: str) -> list[tuple[str, str]]:
    return [
        ("string" if token.quoted else str(token.kind), token.text)
        for token in DIALECT.tokens(text)
    ][:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("severity>=ERROR", [("word", "severity"), ("operator", ">="), ("word", "ERROR")]),
        ("a !~ b", [("word", "a"), ("operator", "!~"), ("word", "b")]),
        ("-a (b,c)", [("keyword", "-"), ("word", "a"), ("sign", "("), ("word", "b"),
                      ("sign", ","), ("word", "c"), ("sign", ")")]),
        ("k8s-pod/a%2Fb", [("word", "k8s-pod/a%2Fb")]),
        ("'one' \"two\"", [("string", "one"), ("string", "two")]),
        ("a -- a comment\n  b --", [("word", "a"), ("word", "b")]),
        ("", []),
    ],
    ids=repr,
)  # fmt: skip
def test_a_query_is_read_word_by_word(text: str, expected: list[tuple[str, str]]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"a\"b\\c"', r'a"b\c'),
        (r'"\t\n\u00e9\x41\101"', "\t\néAA"),
        (r'"\d+\.\w"', r"\d+.\w"),
        (r'"\ud800"', "�"),
        (r'"\xzz\uq"', r"\xzz\uq"),
    ],
    ids=repr,
)
def test_escapes_mean_what_they_mean(written: str, meant: str) -> None:
    assert words(written) == [("string", meant)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a &&b", "syntax error at line 1, column 3, token '&'"),
        ("a\n b ^", "syntax error at line 2, column 4, token '^'"),
        ('a="b', "syntax error at line 1, column 3, token '\"'"),
    ],
    ids=repr,
)
def test_what_begins_no_word_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_query(text)
    assert (caught.value.status, caught.value.message) == (400, f"Unparseable filter: {said}")


def test_a_quoted_text_reads_as_itself() -> None:
    text = 'say "hi" \\ there'
    assert words(quote(text)) == [("string", text)]
