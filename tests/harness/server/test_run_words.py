import pytest
from pydantic import ValidationError

from harness.server.run_words import NamedRunOrder, RunOrder


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
