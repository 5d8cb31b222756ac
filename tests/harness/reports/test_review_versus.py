from harness.model import ServiceStatus
from harness.reports import review_versus_text
from tests.harness.reviews import PUBLISHED, counted, published_records, results_of, trial

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
