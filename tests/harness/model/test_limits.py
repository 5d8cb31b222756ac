import pytest
from pydantic import ValidationError

from harness.model import Budget, Phases, Stop, StopCondition


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (Budget, {"rounds": -1}),
        (Budget, {"cost_usd": 0}),
        (Budget, {"tokens": 10, "dollars": 1}),
        (StopCondition, {"content": [""]}),
        (Stop, {"any": [{"tool": "a", "unknown": 1}]}),
        (Phases, {"phases": []}),
        (Phases, {"phases": [{"first": 0, "tools": []}]}),
    ],
    ids=str,
)
def test_a_limit_that_cannot_be_is_refused(model: type[Budget], fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(fields)


def test_a_budget_has_the_prices_of_the_first_seed() -> None:
    """CEP-75: (input * 0.01 + output * 0.03) / 1000, unless other prices are given."""
    budget = Budget(cost_usd=0.5)
    assert (budget.input_price, budget.output_price) == (0.01, 0.03)
