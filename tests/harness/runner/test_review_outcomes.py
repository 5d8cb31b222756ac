import pytest

from harness.errors import HarnessError
from harness.runner import outcomes_of_review
from tests.harness.reviews import PUBLISHED, published_records, results_of, trial


def test_passes_and_valid_runs_are_compared() -> None:
    found = outcomes_of_review(results_of(PUBLISHED, published_records()))
    assert found.counts == {
        "case_01": (2, 3),
        "case_04": (2, 3),
        "case_06": (0, 0),
        "case_07": (3, 3),
    }
    assert list(found.hashes) == list(found.counts)


def test_without_a_valid_run_there_is_no_baseline() -> None:
    """CSR-29."""
    lost = results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED])
    with pytest.raises(HarnessError, match="no valid run"):
        outcomes_of_review(lost)
