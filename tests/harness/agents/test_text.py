from hypothesis import given
from hypothesis import strategies as st

from harness.agents.text import LONGEST_ERROR, shortened, well_formed

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_any_text_becomes_one_that_can_be_written(text: str) -> None:
    formed = well_formed(text)
    assert formed.encode().decode() == formed
    assert well_formed(formed) == formed


@given(st.text())
def test_good_text_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


def test_halves_of_a_character_that_meet_are_one() -> None:
    assert well_formed("\ud83e" + "\uddff") == "\U0001f9ff"


@given(ANY_TEXT.map(lambda text: text * 400))
def test_an_error_is_short(text: str) -> None:
    assert len(shortened(text)) <= LONGEST_ERROR + 3
