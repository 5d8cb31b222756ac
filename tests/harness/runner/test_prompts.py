import pytest

from harness.errors import HarnessError
from harness.model import Case, Turn
from harness.runner import check_template, prompts_of

CASE = Case(id="C-1", turns=(Turn(user="Why {prompt}?"), Turn(user="And now?")))


def test_a_prompt_is_sent_exactly_as_the_case_says_it() -> None:
    """CEP-08, pitfall 16."""
    assert prompts_of(CASE) == ("Why {prompt}?", "And now?")


def test_a_template_stands_around_every_turn() -> None:
    """CEPR-24."""
    said = prompts_of(CASE, template="{prompt}\nBe short.")
    assert said == ("Why {prompt}?\nBe short.", "And now?\nBe short.")


def test_plain_text_fixtures_follow_the_first_prompt() -> None:
    """CEPR-25."""
    said = prompts_of(CASE, texts={"net.log": "ERR_FAILED\n"})
    assert said[0] == "Why {prompt}?\n\n--- net.log ---\nERR_FAILED\n--- end of net.log ---"
    assert said[1] == "And now?"


def test_a_template_without_a_place_for_the_prompt_is_refused() -> None:
    assert check_template("Q: {prompt}") == "Q: {prompt}"
    with pytest.raises(HarnessError, match=r"no \{prompt\}"):
        check_template("Hello")
