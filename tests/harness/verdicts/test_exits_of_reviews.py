import pytest

from harness.errors import Exit
from harness.model import ObservationCount, Reply
from harness.verdicts import Limits, exit_code, exit_reasons
from tests.harness.reviews import (
    PUBLISHED,
    answer,
    decided_review,
    expecting,
    observation,
    refusal,
    review,
    trial,
)

CASE = expecting("case_01", ObservationCount(max=9))


@pytest.mark.parametrize(
    ("least", "code"), [(None, Exit.OK), (0.5, Exit.OK), (0.51, Exit.GATE_FAILED)], ids=str
)
def test_reviews_may_be_asked_to_be_alike(least: float | None, code: Exit) -> None:
    same = observation("A")
    records = [
        trial("case_01", 1, review(same, observation("B"))),
        trial("case_01", 2, review(same)),
    ]
    assert exit_code(decided_review([CASE], records), Limits(min_stability=least)) == code


def test_what_cannot_be_compared_is_no_instability() -> None:
    result = decided_review([CASE], [trial("case_01", 1, review()), trial("case_01", 2, review())])
    assert exit_reasons(result, Limits(min_stability=1)) == ()
    bare = result.model_copy(update={"statistics": None})
    assert exit_reasons(bare, Limits(min_stability=1)) == ()


@pytest.mark.parametrize(
    ("answers", "is_dead"),
    [
        pytest.param([answer({}, 500), answer({}, 500)], True, id="nothing but 500"),
        pytest.param([answer({}, 500), refusal()], False, id="one answer"),
        pytest.param([review(), review()], False, id="reviews"),
    ],
)
def test_a_service_that_only_fails_is_no_baseline(answers: list[Reply], is_dead: bool) -> None:
    """CSR-29: nothing was reviewed, so that no rate can be told."""
    cases = [expecting(f"case_0{place}", ObservationCount(max=9)) for place in (1, 2)]
    records = [trial(case.id, 1, made) for case, made in zip(cases, answers, strict=True)]
    result = decided_review(cases, records)
    said = [each.reason for each in result.exit_reasons if each.code == Exit.INFRASTRUCTURE]
    assert (said == ["every call of the service failed, with HTTP 500"]) == is_dead


def test_a_service_that_was_not_reached_failed_no_call() -> None:
    lost = decided_review(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED])
    assert not any("every call" in each.reason for each in lost.exit_reasons)
