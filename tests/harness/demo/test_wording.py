import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.demo.wording import counted, email_in, listed, mentioned, mentions, plain


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        pytest.param("The rollout stopped", "out", False, id="part of a word"),
        pytest.param("It ran out.", "out", True, id="before a full stop"),
        pytest.param("SAFE-browsing", "safe browsing", True, id="case and separators"),
        pytest.param("safe then browsing", "safe browsing", False, id="words apart"),
    ],
)
def test_a_phrase_is_found_at_word_boundaries(text: str, phrase: str, expected: bool) -> None:
    assert mentions(text, phrase) is expected


@given(st.text())
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_the_phrases_of_a_text_are_told_in_their_own_order() -> None:
    assert mentioned("b and a", ["a", "c", "b"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Why does ann@example.com see this?", "ann@example.com"),
        ("Ask ann@example.com.", "ann@example.com"),
        ("Ask ann@ home", ""),
    ],
)
def test_the_first_address_of_a_text_is_found(text: str, expected: str) -> None:
    assert email_in(text) == expected


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(n, "crash") for n in (0, 1, 2)] == ["0 crashes", "1 crash", "2 crashes"]
    assert counted(2, "rule") == "2 rules"


def test_things_stand_in_a_row() -> None:
    assert [listed(t) for t in ([], ["a"], ["a", "b", "c"])] == ["", "a", "a, b and c"]
