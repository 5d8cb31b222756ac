import errno

import pytest

from harness.agents.shortages import shortage_behind


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
