import pytest
from pydantic import ValidationError

from harness.errors import (
    CaseProblem,
    Exit,
    HarnessError,
    InfrastructureError,
    InvalidCasesError,
    reason_of,
)
from harness.model import RunManifest


def test_an_error_says_what_and_what_to_do() -> None:
    assert str(HarnessError("no suite")) == "no suite"
    assert str(HarnessError("no suite", hint="name one")) == "no suite (name one)"


def test_a_problem_says_where_what_and_what_to_do() -> None:
    assert str(CaseProblem("a.yaml:3", "wrong")) == "a.yaml:3: wrong"
    assert str(CaseProblem("a.yaml:3", "wrong", "right")) == "a.yaml:3: wrong (right)"


def test_invalid_cases_are_told_all_at_once() -> None:
    problems = [CaseProblem("a", "x"), CaseProblem("b", "y")]
    error = InvalidCasesError(problems)
    assert (str(error), error.problems) == ("a: x\nb: y", tuple(problems))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (HarnessError("x"), Exit.USAGE),
        (InvalidCasesError([]), Exit.USAGE),
        (InfrastructureError("x"), Exit.INFRASTRUCTURE),
    ],
    ids=["usage", "cases", "infrastructure"],
)
def test_every_error_has_its_exit_code(error: HarnessError, code: Exit) -> None:
    assert error.exit_code == code


def test_a_message_can_be_printed_whatever_it_quotes() -> None:
    error = HarnessError("a\ud800" + "x" * 100_000 + "\nend", hint="y" * 100_000)
    assert str(error).encode().isascii()
    assert len(str(error)) < 5_000
    assert "\nend (yyy" in str(error)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{}", "/run: is missing, and 4 more"),
        ("{", "not JSON: EOF while parsing an object at line 1 column 1"),
    ],
    ids=["fields", "json"],
)
def test_a_file_that_does_not_hold_is_told_in_plain_words(content: str, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        RunManifest.model_validate_json(content)
    assert reason_of(caught.value) == reason
