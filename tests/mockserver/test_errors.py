import pytest

from mockserver.errors import (
    FormatError,
    InvalidFilesError,
    MockServerError,
    Problem,
    ServerUnavailableError,
    SessionError,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (MockServerError("it broke"), "it broke"),
        (MockServerError("it broke", hint="mend it"), "it broke (mend it)"),
        (FormatError("a.json:1:2", "not JSON"), "a.json:1:2: not JSON"),
        (
            Problem("a.json#/b", "unknown key", "did you mean 'c'?"),
            "a.json#/b: unknown key (did you mean 'c'?)",
        ),
        (
            InvalidFilesError([Problem("a", "one"), Problem("b", "two")]),
            "a: one\nb: two",
        ),
    ],
    ids=["plain", "hint", "file", "problem", "several"],
)
def test_an_error_says_what_where_and_what_to_do(error: object, text: str) -> None:
    assert str(error) == text


def test_errors_carry_their_exit_code_and_status() -> None:
    assert MockServerError("x").exit_code == 2
    assert ServerUnavailableError("x").exit_code == 3
    assert SessionError("x", status=410).status == 410


def test_a_message_can_be_printed_whatever_it_quotes() -> None:
    error = MockServerError("a\ud800" + "x" * 100_000 + "\nend", hint="y" * 100_000)
    assert str(error).encode().isascii()
    assert len(str(error)) < 5_000
    assert "\nend (yyy" in str(error)
