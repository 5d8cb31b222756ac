import pytest
from pydantic import ValidationError

from harness.demo.review import ReviewResponse

FOUND = {"standard_ref": "NAV-TR-3.1.1", "severity": "warning", "span": "x", "message": "m"}
GOOD = {"standards_set": "naval_v3", "strictness": "medium", "observations": [FOUND]}


def test_a_review_is_read_as_it_is_written() -> None:
    review = ReviewResponse.model_validate(GOOD)
    assert ReviewResponse.model_validate_json(review.model_dump_json()) == review


@pytest.mark.parametrize(
    "change",
    [
        {"observations": None},
        {"strictness": "very"},
        {"more": 1},
        {"observations": [FOUND | {"severity": "major"}]},
        {"observations": [FOUND | {"span": ""}]},
        {"observations": [FOUND | {"more": 1}]},
        {"observations": [{"standard_ref": "x"}]},
    ],
    ids=str,
)
def test_anything_else_is_no_review(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ReviewResponse.model_validate(GOOD | change)
