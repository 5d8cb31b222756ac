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
    "order", [{}, {"agent": "x", "timeout": 0}, {"agent": "x", "concurrency": 65}], ids=str
)
def test_orders_have_limits(order: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RunOrder.model_validate(order)
