import pytest
from pydantic import ValidationError

from harness.model import ReviewResults
from tests.harness.reviews import PUBLISHED, published_records, results_of


def test_results_are_read_as_they_are_written() -> None:
    results = results_of(PUBLISHED, published_records())
    assert ReviewResults.model_validate_json(results.model_dump_json()) == results


@pytest.mark.parametrize("change", [{"version": 2}, {"cases": None}, {"more": 1}], ids=str)
def test_what_is_something_else_is_refused(change: dict[str, object]) -> None:
    written = results_of((), ()).model_dump(mode="json")
    with pytest.raises(ValidationError):
        ReviewResults.model_validate(written | change)
