import pytest
from pydantic import ValidationError

from harness.server.schemas import NamedRunOrder, NewSuite, RagResponse, RunOrder


def test_names_are_in_camel_case_outside() -> None:
    said = RagResponse(queries=1, hit_at_1=1, recall=1, mrr=1)
    named = {"queries", "query", "retrievedCount", "hitAt1", "recall", "mrr"}
    assert set(said.model_dump(by_alias=True)) == named


def test_nothing_unknown_is_taken() -> None:
    with pytest.raises(ValidationError):
        NewSuite.model_validate({"name": "a", "tasks": [{}], "more": 1})


def test_the_short_order_has_the_names_of_the_seed() -> None:
    """CTXR-03: {suiteId, provider, baselineId, timeout}"""
    order = NamedRunOrder.model_validate({"suiteId": "a", "provider": "echo", "baselineId": "r1"})
    assert (order.suite_id, order.provider, order.baseline_id) == ("a", "echo", "r1")


@pytest.mark.parametrize(
    ("field", "least", "most", "below", "above"),
    [
        ("limit", 1, 10**9, 0, None),
        ("trials", 1, 10_000, 0, 10_001),
        ("concurrency", 1, 64, 0, 65),
        ("timeout", 0.001, 86_400, 0, 86_401),
        ("retries", 0, 10, -1, 11),
        ("margin", 0, 1, -0.01, 1.01),
        ("threshold", 0, 1, -0.01, 1.01),
    ],
)
def test_orders_have_limits(
    field: str, least: float, most: float, below: float, above: float | None
) -> None:
    for allowed in (least, most):
        assert getattr(RunOrder.model_validate({"agent": "x", field: allowed}), field) == allowed
    for refused in (below, above):
        if refused is not None:
            with pytest.raises(ValidationError, match=field):
                RunOrder.model_validate({"agent": "x", field: refused})


def test_an_order_names_an_agent_and_the_rest_is_told_for_it() -> None:
    for order in ({}, {"agent": ""}):
        with pytest.raises(ValidationError, match="agent"):
            RunOrder.model_validate(order)
    found = RunOrder.model_validate({"agent": "x"}).model_dump()
    assert {name: value for name, value in found.items() if value} == {
        "agent": "x", "concurrency": 4, "timeout": 180.0, "retries": 2, "policy": "all",
        "profile": "ai-sdk", "input": "text", "margin": 0.05,
    }  # fmt: skip
