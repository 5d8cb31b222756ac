import pytest

from harness.model import ReviewLatency
from harness.reports import latency_hint, review_text
from tests.harness.reviews import PUBLISHED, answer, published_records, results_of, trial


def text() -> str:
    asked = {"agent": "service:http://h", "options": {"backend": "ollama"}}
    return review_text(results_of(PUBLISHED, published_records(), **asked))


def test_the_summary_has_cases_expectations_and_latency() -> None:
    """CSR-01, CSR-05, CSR-27."""
    told = text()
    assert told.startswith("review of service:http://h (backend ollama)\n")
    assert "expectations: 3/6 (1 open)\nlatency: mean 200 ms" in told
    assert "no rate, for infrastructure errors (1 passed, 1 of 4 without a valid run)" in told
    sound = review_text(results_of(PUBLISHED[:2], published_records()[:6]))
    assert "cases passed: 0/2\nexpectations: 2/4\n" in sound


def test_each_case_has_its_runs_stability_and_what_failed() -> None:
    """CSR-23, CSR-28."""
    lines = text().splitlines()
    (first,) = [line for line in lines if line.startswith("  case_01")]
    assert "2/3 runs; observations 2, 2, 4; span 67% watch (6/10)" in first
    assert "    observation_count: 7, 3, 5 (expected 1-6)" in lines
    (late,) = [line for line in lines if line.startswith("  case_06 timeout")]
    assert late.endswith("timeout or infrastructure issue, no quality failure")
    (error,) = [line for line in lines if line.startswith("  case_07 PASS")]
    assert "span" not in error


def test_a_service_that_was_not_reached_has_no_rate() -> None:
    """CSR-29."""
    told = review_text(results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED]))
    assert "cases passed: no rate" in told
    assert "expectations" not in told


def test_a_warning_is_told_and_texts_move_no_cursor() -> None:
    hostile = answer({"observations": [{"standard_ref": "\x1b[31m\nx", "severity": "s"}]})
    told = review_text(results_of(PUBLISHED[1:2], [trial("case_04", 1, hostile)]))
    assert "\x1b" not in told
    empty = answer({"observations": []})
    assert "warning: no review found anything" in review_text(
        results_of(PUBLISHED[1:2], [trial("case_04", 1, empty)])
    )


@pytest.mark.parametrize(
    ("mean", "hint"),
    [
        (14, "cached or cut short"),
        (99.9, "cached or cut short"),
        (100, ""),
        (500, "normal for a model"),
        (5_000, "normal for a model"),
        (9_000, ""),
        (10_001, "loading or queueing"),
        (None, ""),
    ],
)
def test_a_latency_is_explained(mean: float | None, hint: str) -> None:
    """CSR-25."""
    assert latency_hint(mean) == hint
    assert ReviewLatency().text == ""
