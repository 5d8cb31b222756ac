"""Upper limits on what a trial took."""

from harness.checks.consumption import cost_taken, rounds_taken, seconds_taken, tokens_taken
from harness.checks.results import failed, not_evaluated, passed
from harness.model import Budget, CheckResult, TrialRecord

Limit = tuple[str, float | None, float | None]


def check_budget(record: TrialRecord, expectation: Budget) -> CheckResult:
    """Whether every limit that is set was kept; a limit that is met exactly is kept."""
    limits = [limit for limit in _limits(record, expectation) if limit[2] is not None]
    numbers = {
        key: value
        for name, taken, most in limits
        for key, value in ((name, taken), (f"max_{name}", most))
    }
    over = [
        f"{_shown(taken)} {name}, at most {_shown(most)} allowed"
        for name, taken, most in limits
        if taken is not None and most is not None and taken > most
    ]
    unknown = [name for name, taken, _ in limits if taken is None]
    if over:
        return failed(expectation, "over budget: " + "; ".join(over), **numbers)
    if unknown or not limits:
        reason = f"not reported: {', '.join(unknown)}" if unknown else "the case sets no limit"
        return not_evaluated(expectation, reason, **numbers)
    return passed(expectation, **numbers)


def _limits(record: TrialRecord, budget: Budget) -> list[Limit]:
    turn = budget.turn
    tokens = tokens_taken(record, turn)
    cost = cost_taken(
        record, turn, input_price=budget.input_price, output_price=budget.output_price
    )
    return [
        ("rounds", rounds_taken(record, turn), budget.rounds),
        ("tokens", sum(tokens) if tokens else None, budget.tokens),
        ("cost_usd", cost, budget.cost_usd),
        ("seconds", seconds_taken(record, turn), budget.seconds),
    ]


def _shown(value: float) -> str:
    return f"{value:g}" if isinstance(value, int) else f"{value:.4g}"
