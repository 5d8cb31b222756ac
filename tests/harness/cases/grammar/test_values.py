import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from harness.cases.grammar import Clock, Needle


@pytest.mark.parametrize(
    "clock",
    ["shift", "real", "frozen", "frozen:2026-11-20T10:15:00Z", "frozen:2026-11-20T10:15:00+01:00"],
)
def test_clocks_are_taken(clock: str) -> None:
    assert TypeAdapter(Clock).validate_python(clock) == clock


@pytest.mark.parametrize(
    "clock", ["", "now", "2026-11-20T10:15:00Z", "frozen:", "frozen:2026-11-20T10:15:00"]
)
def test_other_clocks_are_refused(clock: str) -> None:
    with pytest.raises(ValidationError, match="is no clock"):
        TypeAdapter(Clock).validate_python(clock)


@pytest.mark.parametrize("needle", ["a", "402", "\u65e5\u672c\u8a9e", "a-b"])
def test_a_needle_holds_a_letter_or_a_digit(needle: str) -> None:
    assert TypeAdapter(Needle).validate_python(needle) == needle


@given(st.text(alphabet=" \t\n-_.,:;!?\"'()[]{}$+"))
def test_punctuation_alone_is_no_needle(text: str) -> None:
    with pytest.raises(ValidationError, match="is an empty needle"):
        TypeAdapter(Needle).validate_python(text)
