from typing import Any

import pytest
from pydantic import ValidationError

from harness.model import Judge


@pytest.mark.parametrize(
    "written",
    [
        {"accept": ("great",)},
        {"accept": ("pass", "fail")},
        {"menu": ("pass",)},
        {"samples": 2, "votes": 3},
        {"samples": 0},
        {"temperature": -1},
    ],
    ids=str,
)
def test_a_judge_that_could_not_fail_or_pass_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Judge(question="q", **written)


def test_more_than_half_is_needed_unless_told() -> None:
    assert [Judge(question="q", samples=samples).needed for samples in (1, 2, 3, 5)] == [1, 2, 2, 3]
    assert Judge(question="q", samples=5, votes=1).needed == 1


def test_what_is_asked_is_what_changes_the_question() -> None:
    first = Judge(question="q")
    assert (
        first.question_hash == Judge(question="q", samples=5, votes=2, required=False).question_hash
    )
    for change in ({"question": "p"}, {"turn": 1}, {"criteria": ("c",)}, {"temperature": 1}):
        assert first.model_copy(update=change).question_hash != first.question_hash
