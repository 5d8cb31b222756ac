from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.model import Observation, ObservationCount, ServiceStatus, observations_of
from tests.harness.records import reply
from tests.harness.reviews import answer, observation, review


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
    st.lists(st.recursive(st.none() | st.floats() | st.text(), lambda x: st.lists(x)), max_size=5)
)
def test_there_are_as_many_observations_as_items(items: list[Any]) -> None:
    found = observations_of(reply().model_copy(update={"data": {"observations": items}}))
    assert found is not None
    assert len(found) == len(items)
