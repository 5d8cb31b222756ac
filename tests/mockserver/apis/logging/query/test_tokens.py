import pytest

from mockserver.apis.logging.query.tokens import quoted, syntax_error, tokens, unparseable
from mockserver.googleapi import ApiError


def words(text: str) -> list[tuple[str, str]]:
    return [(str(token.kind), token.text) for token in tokens(text)][:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("severity>=ERROR", [("text", "severity"), ("operator", ">="), ("text", "ERROR")]),
        ("a !~ b", [("text", "a"), ("operator", "!~"), ("text", "b")]),
        ("-a (b,c)", [("sign", "-"), ("text", "a"), ("sign", "("), ("text", "b"),
                      ("sign", ","), ("text", "c"), ("sign", ")")]),
        ("k8s-pod/a%2Fb", [("text", "k8s-pod/a%2Fb")]),
        ("'one' \"two\"", [("string", "one"), ("string", "two")]),
        ("a -- a comment\n  b --", [("text", "a"), ("text", "b")]),
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
        tokens(text)
    assert (caught.value.status, caught.value.message) == (400, f"Unparseable filter: {said}")


def test_a_quoted_text_reads_as_itself() -> None:
    text = 'say "hi" \\ there'
    assert words(quoted(text)) == [("string", text)]


def test_refusals_are_those_of_the_api() -> None:
    assert unparseable("x").message == "Unparseable filter: x"
    assert "line 1, column 1" in syntax_error("x", 0, "x").message
