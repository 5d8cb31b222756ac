from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql.nodes import (
    Binary,
    Matcher,
    Node,
    Number,
    PromqlError,
    Range,
    Selector,
    Shift,
    Subquery,
)
from mockserver.apis.monitoring.promql.parser import (
    Cursor,
    parse,
    parse_number,
    parse_selector,
    tokens,
    unquote,
)
from mockserver.apis.monitoring.promql.vectors import NAME


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("", "1:1: parse error: unexpected end of input"),
        ("sum(", "1:5: parse error: unexpected end of input"),
        ("up up", '1:4: parse error: unexpected identifier "up"'),
        ("up)", '1:3: parse error: unexpected ")"'),
        ("1 + \n* 2", '2:1: parse error: unexpected "*"'),
        ("nope(up)", '1:1: parse error: unknown function with name "nope"'),
        (
            "rate(up)",
            '1:6: parse error: expected type range vector in call to function "rate", got '
            "instant vector",
        ),
        ("sum(1)", "1:5: parse error: expected type instant vector in aggregation sum, got scalar"),
        (
            "topk(up)",
            "1:6: parse error: expected type scalar in aggregation topk, got instant vector",
        ),
        ("clamp(up, 1)", '1:1: parse error: expected 3 argument(s) in call to "clamp"'),
        ("time(1)", '1:1: parse error: expected 0 argument(s) in call to "time"'),
        ("round(up, 1, 2)", '1:1: parse error: expected 2 argument(s) in call to "round"'),
        ("1 > 2", "1:3: parse error: comparisons between scalars must use BOOL modifier"),
        (
            "1 and up",
            '1:3: parse error: set operator "and" not allowed in binary scalar expression',
        ),
        (
            "1 + bool 2",
            "1:3: parse error: bool modifier can only be used on comparison operators",
        ),
        (
            "up and on (a) group_left up",
            '1:15: parse error: no grouping allowed for "and" operation',
        ),
        (
            "up[5m] + 1",
            "1:8: parse error: binary expression must contain only scalar and instant vector types",
        ),
        (
            "-up[5m]",
            "1:1: parse error: unary expression only allowed on scalars and instant vectors",
        ),
        ("sum by (a (up)", '1:11: parse error: unexpected "(" in grouping opts'),
        ("sum by (1) (up)", '1:9: parse error: unexpected number "1" in grouping opts'),
    ],
)
def test_what_is_no_query_is_refused_with_its_place(query: str, error: str) -> None:
    with pytest.raises(PromqlError) as caught:
        parse(query)
    assert str(caught.value) == error
    assert caught.value.kind == "bad_data"


@pytest.mark.parametrize("query", ["(" * 200 + "1" + ")" * 200, "-" * 200 + "1", "1" * 50_001])
def test_what_is_too_deep_or_too_long_is_refused(query: str) -> None:
    with pytest.raises(PromqlError, match=r"nested deeper|longer than"):
        parse(query)


def test_operators_bind_as_they_should() -> None:
    assert parse("1 + 2 * 3") == Binary("+", Number(1), Binary("*", Number(2), Number(3)))
    assert parse("1 - 2 - 3") == Binary("-", Binary("-", Number(1), Number(2)), Number(3))
    assert parse("2 ^ 3 ^ 2") == Binary("^", Number(2), Binary("^", Number(3), Number(2)))


@given(st.text(alphabet="sumrate(){}[]by=~!\"'5m:@,+-*/ upoffset<>#`\\", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(PromqlError):
        parse(text)


@pytest.mark.parametrize("sign", ["*", "+", "or"])
def test_a_chain_of_operators_is_bounded(sign: str) -> None:
    assert isinstance(parse(f" {sign} ".join(["a"] * 200)), Binary)
    with pytest.raises(PromqlError, match="more than 250 operators"):
        parse(f" {sign} ".join(["a"] * 2000))


MINUTE = 60_000_000
UP = Selector((Matcher(NAME, "=", "up"),))


@pytest.mark.parametrize(
    ("query", "node"),
    [
        ("up{}", UP),
        ('{"up"}', UP),
        (
            '{"a.b/c", x="1",}',
            Selector((Matcher("__name__", "=", "a.b/c"), Matcher("x", "=", "1"))),
        ),
        ("up[1h30m]", Range(UP, 90 * MINUTE)),
        ("up[60]", Range(UP, MINUTE)),
        ("up[5m:]", Subquery(UP, 5 * MINUTE, 0)),
        ("up[5m:1m]", Subquery(UP, 5 * MINUTE, MINUTE)),
        ("up offset 5m", Selector(UP.matchers, Shift(5 * MINUTE))),
        ("up[1m] offset -5m", Range(Selector(UP.matchers, Shift(-5 * MINUTE)), MINUTE)),
        ("up[5m:1m] @ end()", Subquery(UP, 5 * MINUTE, MINUTE, Shift(0, "end"))),
        ("up @ -1.5", Selector(UP.matchers, Shift(0, -1_500_000))),
    ],
)
def test_selectors_are_read(query: str, node: Node) -> None:
    assert parse(query) == node


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("{}", "must contain at least one non-empty matcher"),
        ('{a=~".*"}', "must contain at least one non-empty matcher"),
        ('up{"down"}', "metric name must not be set twice"),
        ("up{a}", "expected label matching operator"),
        ("up{a=b}", 'unexpected identifier "b" in label matching, expected string'),
        ('up{a="b" c="d"}', 'unexpected identifier "c" inside braces'),
        ('up{a=~"("}', "error parsing regexp"),
        ("up[]", "expected duration"),
        ("up[0s]", "duration must be greater than 0"),
        ("up[5m", "unexpected end of input in range selector"),
        ("1[5m]", "ranges only allowed for vector selectors"),
        ("time()[5m:1m]", "subquery is only allowed on instant vector"),
        ("up[5m][5m]", "ranges only allowed for vector selectors"),
        ("sum(up) offset 5m", "offset modifier must be preceded by"),
        ("up @ up", "expected timestamp"),
        ("up @ start(", "unexpected end of input"),
    ],
)
def test_selectors_that_cannot_be_are_refused(query: str, words: str) -> None:
    with pytest.raises(PromqlError) as caught:
        parse(query)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["up[5m]", "1", "up offset 5m", "sum(up)"])
def test_only_a_plain_selector_chooses_series(text: str) -> None:
    with pytest.raises(PromqlError, match="expected a series selector"):
        parse_selector(text)


def test_what_is_nested_too_deep_or_too_long_is_refused() -> None:
    for kept, refused, words in (
        ("(" * 59 + "1" + ")" * 59, "(" * 60 + "1" + ")" * 60, "nested deeper than 60 levels"),
        (" " * 49_999 + "1", " " * 50_000 + "1", "longer than 50,000 characters"),
    ):
        parse(kept)
        with pytest.raises(PromqlError, match=words):
            parse(refused)


def test_numbers_may_be_hexadecimal() -> None:
    assert (parse_number("0x10"), parse_number("1e3"), parse_number(".5")) == (16, 1000, 0.5)


def test_steps_are_taken_where_they_fit() -> None:
    cursor = Cursor("BY (a, 'b',) x")
    assert cursor.is_next("by")
    assert cursor.take("by")
    assert not cursor.take("x")
    assert cursor.names() == ("a", "b")
    assert cursor.step().text == "x"
    assert cursor.token.kind == "end"


def test_errors_say_where() -> None:
    cursor = Cursor("a\n b")
    first = cursor.step()
    assert str(cursor.error("why")) == "2:2: parse error: why"
    assert str(cursor.error("why", first)) == "1:1: parse error: why"
    with pytest.raises(PromqlError, match='unexpected identifier "b" here'):
        cursor.expect("(", " here")
    assert str(Cursor("'x'").unexpected()) == "1:1: parse error: unexpected string \"'x'\""
    with pytest.raises(PromqlError, match="unexpected number"):
        Cursor("1").name("")


def read(query: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in tokens(query)][:-1]


def test_a_colon_is_part_of_a_name_except_in_brackets() -> None:
    assert read("a:b[5m:1m]") == [
        ("word", "a:b"),
        ("sign", "["),
        ("duration", "5m"),
        ("sign", ":"),
        ("duration", "1m"),
        ("sign", "]"),
    ]


def test_spaces_and_comments_are_nothing() -> None:
    assert read(" 1 # one\n+ .5e-1 ") == [("number", "1"), ("sign", "+"), ("number", ".5e-1")]


def test_signs_are_as_long_as_they_can_be() -> None:
    assert [text for _, text in read("=~ != >= = <")] == ["=~", "!=", ">=", "=", "<"]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("a $", "1:3: parse error: unexpected character: '$'"),
        ('a\n "b', "2:2: parse error: unterminated quoted string"),
        ("up[x]", "1:4: parse error: unexpected character: 'x'"),
    ],
)
def test_what_is_no_token_is_refused_with_its_place(query: str, error: str) -> None:
    with pytest.raises(PromqlError) as caught:
        read(query)
    assert str(caught.value) == error


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\"b\\"', 'a"b\\'),
        (r"'\x41\u00e9'", "Aé"),
        (r"`a\n`", r"a\n"),
        (r'"\q"', "q"),
        (r'"\x"', "x"),
    ],
)
def test_quotes_and_escapes_are_undone(text: str, value: str) -> None:
    assert unquote(text) == value
