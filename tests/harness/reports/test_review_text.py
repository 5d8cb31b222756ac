import pytest

from harness.model import ReviewLatency, ServiceStatus
from harness.reports import latency_hint, review_text, review_versus_text
from tests.harness.reviews import PUBLISHED, answer, counted, published_records, results_of, trial


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


BEFORE = results_of(PUBLISHED, published_records())


def test_what_flipped_is_told_case_by_case() -> None:
    """CSR-30, CSRR-11: pass, observations, expectations, latency."""
    slow = [
        record.model_copy(update={"agent_ms": 900.0})
        for record in [*counted(1, 1, 1, case="case_01"), *counted(0, 0, 0, case="case_04")]
    ]
    after = results_of(PUBLISHED, [*slow, *published_records()[6:]])
    assert review_versus_text(BEFORE, after).splitlines() == [
        "cases passed:  no rate -> no rate",
        "expectations:  3/6 (1 open) -> 2/6 (1 open)",
        f"latency:       {BEFORE.summary.latency.text} -> {after.summary.latency.text}",
        "  case_01: partial -> pass",
        "  case_01: mean observations 2.7 -> 1.0",
        "  case_01: observation_count failed -> passed",
        "  case_01: mean latency 200 ms -> 900 ms",
        "  case_04: partial -> fail",
        "  case_04: mean observations 5.0 -> 0.0",
        "  case_04: expected_severity:warning passed -> failed",
        "  case_04: expected_ref:NAV-TR-3.1.1 passed -> failed",
        "  case_04: mean latency 200 ms -> 900 ms",
    ]


def test_cases_of_one_side_are_named() -> None:
    """CSRR-12."""
    fewer = results_of(PUBLISHED[:2], published_records()[:6])
    assert "cases passed:  no rate -> 0/2" in review_versus_text(BEFORE, fewer)
    assert "only in the first: case_06, case_07" in review_versus_text(BEFORE, fewer)
    assert "only in the second: case_06, case_07" in review_versus_text(fewer, BEFORE)


def test_equal_results_differ_in_nothing_and_lost_ones_have_no_rate() -> None:
    assert len(review_versus_text(BEFORE, BEFORE).splitlines()) == 3
    lost = results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED])
    told = review_versus_text(BEFORE, lost)
    assert "no rate -> no rate" in told
    assert "case_07: expected_error_code passed -> open" in told


def test_a_case_that_has_changed_is_said_to_have() -> None:
    changed = [PUBLISHED[0].model_copy(update={"expect": (ServiceStatus(),)})]
    after = results_of(changed, counted(2, 2, 4, case="case_01"))
    moved = after.cases[0].model_copy(update={"hash": "other"})
    told = review_versus_text(BEFORE, after.model_copy(update={"cases": (moved,)}))
    assert "case_01: the case has changed" in told
