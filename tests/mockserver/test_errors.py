import errno

import pytest

from mockserver.errors import (
    FormatError,
    InvalidFilesError,
    MockServerError,
    Problem,
    ServerUnavailableError,
    SessionError,
    shortage_behind,
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


def circle() -> Exception:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    return one


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        OSError("no number"),
        OSError(errno.ENOENT, "x"),
        RuntimeError("x"),
        circle(),
    ],
)
def test_any_other_error_is_no_shortage(error: Exception) -> None:
    assert shortage_behind(error) is None


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_a_cause_counts_before_what_was_being_handled(number: int) -> None:
    error, cause = ValueError("x"), OSError(number, "x")
    error.__context__ = MemoryError()
    assert shortage_behind(error) == "memory"
    error.__cause__ = cause
    assert shortage_behind(error) == "open files"
