import pytest
from pydantic import ValidationError

from mockserver.capture.google.plans import Limits, Plan, PlannedCall


def test_a_call_tells_what_it_refers_to_and_where() -> None:
    call = PlannedCall(
        id="a",
        method="m",
        params={"p": "${x.y}"},
        body={"b": ["${now}"]},
        for_each={"unit": "${units.items}"},
    )
    assert list(call.references()) == [
        (("params", "p"), "x"),
        (("body", "b", 0), "now"),
        (("for_each", "unit"), "units"),
    ]


def test_a_plan_without_calls_is_none() -> None:
    with pytest.raises(ValidationError, match="calls"):
        Plan(name="empty", calls=())


def test_limits_are_above_nothing() -> None:
    with pytest.raises(ValidationError):
        Limits(max_pages=0)
    assert Limits(retries=0).retries == 0
