import pytest
from pydantic import ValidationError

from harness.cases.grammar import Expect, TurnExpect


def test_a_trial_can_show_all_that_a_turn_can_show() -> None:
    assert set(TurnExpect.model_fields) < set(Expect.model_fields)


@pytest.mark.parametrize("key", ["server", "files", "exit_code"])
def test_a_turn_has_no_end_of_its_own(key: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        TurnExpect.model_validate({key: 0})


def test_a_reference_may_be_a_text() -> None:
    reference = TurnExpect.model_validate({"reference": "Restart."}).reference
    assert reference is not None
    assert (reference.text, reference.min_similarity) == ("Restart.", 0.3)
