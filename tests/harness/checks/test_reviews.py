from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.checks import check
from harness.model import (
    Expectation,
    Observation,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Reply,
    ReplySchema,
    ServiceStatus,
    observations_of,
)
from tests.harness.records import record, reply
from tests.harness.reviews import answer, observation, refusal, review

TWO = review(observation("NAV-TR-3.1.1", "warning"), observation("NAV-TR-3.3.1", "violation"))
REFUSED = ServiceStatus(family="client_error", code="EMPTY_CONTENT")
MODEL = ReplySchema(model="python:harness.checks.reviews:ReviewResponse")


def status_of(made: Reply, expectation: Expectation) -> tuple[str, str]:
    found = check(record(made), expectation)
    return found.status, found.reason


@pytest.mark.parametrize(
    ("made", "expectation", "status", "reason"),
    [
        pytest.param(TWO, ServiceStatus(), "pass", "", id="success"),
        pytest.param(
            refusal(), ServiceStatus(), "fail", "HTTP 422, expected 2xx", id="refused"
        ),
        pytest.param(refusal(), REFUSED, "pass", "", id="the error and its code"),
        pytest.param(
            refusal("OTHER"),
            REFUSED,
            "fail",
            "the body does not hold 'EMPTY_CONTENT'",
            id="another code",
        ),
        pytest.param(
            refusal(status=500), REFUSED, "fail", "HTTP 500, expected 4xx", id="500 with the code"
        ),
        pytest.param(
            review(), REFUSED, "fail",
            "HTTP 200, expected 4xx; the body does not hold 'EMPTY_CONTENT'", id="200",
        ),
        pytest.param(
            refusal("ANY"), ServiceStatus(family="client_error"), "pass", "", id="any 4xx"
        ),
        pytest.param(reply("x"), REFUSED, "fail", "no HTTP status, expected 4xx", id="no service"),
    ],
)  # fmt: skip
def test_an_error_is_met_by_4xx_and_its_code_alone(
    made: Reply, expectation: ServiceStatus, status: str, reason: str
) -> None:
    """CSR-16, CSR-21, CSRR-02, CSRR-03: a 200 or a 5xx is no expected error."""
    assert status_of(made, expectation) == (status, reason)
    code = expectation.code
    assert check(record(made), expectation).numbers == {
        "status": made.http_status,
        "code": code,
        "code_found": code in made.text if code else None,
    }


@pytest.mark.parametrize(
    ("least", "most", "reason"),
    [
        (2, 2, ""),
        (1, None, ""),
        (None, 2, ""),
        (3, None, "2 observations (expected at least 3)"),
        (None, 1, "2 observations (expected at most 1)"),
        (0, 1, "2 observations (expected 0-1)"),
    ],
    ids=str,
)
def test_the_number_of_observations_is_in_its_range(
    least: int | None, most: int | None, reason: str
) -> None:
    """CSR-13, CSRR-06, CSRR-15: the figures are numbers, not text."""
    found = check(record(TWO), ObservationCount(min=least, max=most))
    assert (found.status, found.reason) == ("fail" if reason else "pass", reason)
    assert found.numbers == {"count": 2, "min": least, "max": most}


@pytest.mark.parametrize(
    ("expectation", "reason"),
    [
        (ObservationSeverity(severity="violation"), ""),
        (
            ObservationSeverity(severity="info"),
            "no observation with severity info; found: warning, violation",
        ),
        (ObservationRef(ref="NAV-TR-3.3.1"), ""),
        (
            ObservationRef(ref="NAV-TR-3"),
            "no observation with ref NAV-TR-3; found: NAV-TR-3.1.1, NAV-TR-3.3.1",
        ),
    ],
    ids=str,
)
def test_one_observation_with_it_suffices_and_a_part_of_a_name_does_not(
    expectation: Expectation, reason: str
) -> None:
    """CSR-14, CSR-15."""
    assert status_of(TWO, expectation) == ("fail" if reason else "pass", reason)


@pytest.mark.parametrize(
    "expectation",
    [ObservationCount(max=3), ObservationSeverity(severity="a"), ObservationRef(ref="a")],
    ids=str,
)
def test_an_answer_without_observations_fails_every_check_on_them(
    expectation: Expectation,
) -> None:
    """A range from 0 is not met by an error that has no list at all."""
    assert status_of(refusal(), expectation)[0] == "fail"
    assert check(record(), expectation).status == "not_evaluated"


def test_no_observation_at_all_is_named() -> None:
    assert status_of(review(), ObservationRef(ref="a"))[1].endswith("found: none")


def test_a_review_is_held_against_its_model_with_the_reason() -> None:
    """CSR-02."""
    good = {**observation(), "suggestion": "y"}
    assert status_of(review(good), MODEL) == ("pass", "")
    status, reason = status_of(review({**good, "severity": "major"}), MODEL)
    assert status == "fail"
    assert "/observations/0/severity" in reason
    assert status_of(answer({"error": {}}, 422), MODEL)[0] == "fail"


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [(2, 8, "2-8"), (None, 3, "at most 3"), (1, None, "at least 1"), (0, 0, "0-0")],
    ids=str,
)
def test_each_bound_is_usable_alone(least: int | None, most: int | None, said: str) -> None:
    """CSR-12."""
    assert ObservationCount(min=least, max=most).range == said


@pytest.mark.parametrize("bounds", [{}, {"min": 0}, {"min": 3, "max": 2}, {"max": -1}], ids=str)
def test_a_count_that_cannot_fail_or_cannot_hold_is_refused(bounds: dict[str, int]) -> None:
    """Pitfall 6: a gate that no value can fail is a mistake."""
    with pytest.raises(ValidationError):
        ObservationCount(**bounds)


def test_a_code_needs_an_error() -> None:
    with pytest.raises(ValidationError, match="client_error"):
        ServiceStatus(code="EMPTY_CONTENT")


def test_observations_are_read_in_order_and_doubles_stay() -> None:
    """CSRR-05."""
    same = observation("A", "warning", "here")
    found = observations_of(review(same, same, observation("B", "violation", "there")))
    assert found == (
        Observation("A", "warning", "here"),
        Observation("A", "warning", "here"),
        Observation("B", "violation", "there"),
    )


@pytest.mark.parametrize(
    "body", [None, 3, "text", [], {}, {"observations": {}}, {"observations": "none"}], ids=str
)
def test_what_is_no_review_has_no_observations(body: Any) -> None:
    assert observations_of(answer(body)) is None
    assert observations_of(reply("only text")) is None


def test_what_is_no_observation_counts_and_says_nothing() -> None:
    found = observations_of(review(7, {"span": {"start": 1, "end": 4}}))
    assert found == (Observation("", "", ""), Observation("", "", '{"start":1,"end":4}'))


def test_a_place_nested_without_end_breaks_nothing() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = [nested]
    assert observations_of(
        review().model_copy(update={"data": {"observations": [{"span": nested}]}})
    )


@given(
    st.lists(
        st.recursive(st.none() | st.floats() | st.text(), lambda x: st.lists(x), max_leaves=6),
        max_size=5,
    )
)
def test_there_are_as_many_observations_as_items(items: list[Any]) -> None:
    found = observations_of(reply().model_copy(update={"data": {"observations": items}}))
    assert found is not None
    assert len(found) == len(items)
