import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cases.words import folded, says


@pytest.mark.parametrize(
    ("text", "phrase", "said"),
    [
        ("The rollout failed", "OU", False),
        ("You should", "OU", False),
        ("in the OU", "ou", True),
        ("error 24020", "402", False),
        ("POLICY LIMIT reached", "policy_limit", True),
        ("anything", "--", False),
    ],
)
def test_a_phrase_is_said_as_whole_words(text: str, phrase: str, *, said: bool) -> None:
    assert says(text, phrase) is said


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)
