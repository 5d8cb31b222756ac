import pytest

from mockserver.apis.monitoring.promql import PromqlError
from mockserver.apis.monitoring.promql.parser import tokens, unquoted


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
    assert unquoted(text) == value
