import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.reports.texts import inert, one_line, shorten


@given(st.text())
def test_what_is_inert_can_be_written_and_stays_as_it_is(text: str) -> None:
    made = inert(text)
    assert made.encode() is not None
    assert inert(made) == made
    assert not {unicodedata.category(char) for char in made if char not in "\n\t"} & {"Cc", "Cs"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\ud800b", "a\\ud800b"),
        ("user\u202etxt", "user\\u202etxt"),
        ("a\r\nb", "a\\x0d\nb"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: [redacted]"),
        ("key AIza" + "x" * 35, "key [redacted]"),
        ("ya29.a0AfH6SMBx1234567890", "[redacted]"),
        ("the enrollment token: revoked", "the enrollment token: revoked"),
        ("Password guessing over two pages", "Password guessing over two pages"),
        ("a password reset for Bearer abcdefgh12345678", "a password reset for [redacted]"),
        ("password Password is Winter2026.", "password [redacted]."),
        ("the password is sunflower", "the [redacted]"),
    ],
)
def test_nothing_acts_and_no_credential_shows(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_a_line_is_one_line_and_cut() -> None:
    assert one_line(" a\n\tb ") == "a b"
    assert one_line("abcdef", 4) == "abc…"
    assert shorten("abc", 3) == "abc"


def test_searching_for_credentials_writes_nothing_to_the_console(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """RE2 says there when its memory does not do for so many patterns."""
    assert inert("the agent called listOrgUnits " * 100)
    assert capfd.readouterr().err == ""
