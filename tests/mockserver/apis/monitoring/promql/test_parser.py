from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql import PromqlError, parse
from mockserver.apis.monitoring.promql.nodes import Binary, Number


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
