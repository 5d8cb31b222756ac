from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from harness.model import Grounding, Witnesses


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Witnesses, {"tools": []}, "at least 1 item"),
        (Witnesses, {"allow": ["lies"]}, "'claimed_not_seen', 'seen_not_claimed'"),
        (
            Witnesses,
            {"allow": ["claimed_not_seen", "seen_not_claimed", "args_differ", "outcome_differs"]},
            "at most 3 items",
        ),
        (Grounding, {"kinds": []}, "needs 'kinds' or 'patterns'"),
        (Grounding, {"kinds": ["words"]}, "'email', 'address'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_without_a_word_all_is_held_to_account() -> None:
    assert Witnesses().tools == ("*",)
    assert len(Grounding().kinds) == 5
