import pytest
from pydantic import ValidationError

from harness.model import ReviewResults
from harness.model.review_results import ReviewCaseResult
from tests.harness.reviews import PUBLISHED, published_records, results_of


def test_results_are_read_as_they_are_written() -> None:
    results = results_of(PUBLISHED, published_records())
    assert ReviewResults.model_validate_json(results.model_dump_json()) == results


@pytest.mark.parametrize("change", [{"version": 2}, {"cases": None}, {"more": 1}], ids=str)
def test_what_is_something_else_is_refused(change: dict[str, object]) -> None:
    written = results_of((), ()).model_dump(mode="json")
    with pytest.raises(ValidationError):
        ReviewResults.model_validate(written | change)


@pytest.mark.parametrize(
    ("counts", "fits"),
    [((3, 3, 2), True), ((3, 2, 2), True), ((3, 2, 3), False), ((1, 2, 1), False)],
)
def test_counts_of_a_case_fit(counts: tuple[int, int, int], fits: bool) -> None:
    names = dict(zip(("runs", "valid", "passed_runs"), counts, strict=True))
    case = {"id": "a", "passed": None, "status": "fail", **names}
    if fits:
        assert ReviewCaseResult.model_validate(case).runs == counts[0]
        return
    with pytest.raises(ValidationError, match="counts that do not fit"):
        ReviewCaseResult.model_validate(case)
