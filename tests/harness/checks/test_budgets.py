from harness.checks.table import check
from harness.model import Budget, Usage
from tests.harness.records import record, reply

USED = Usage(input_tokens=10_000, output_tokens=10_000)
TRIAL = record(reply("x", rounds=5, usage=USED), agent_ms=1500)


def test_limits_that_are_met_are_kept() -> None:
    """CEP-72, CEP-75"""
    budget = Budget(rounds=5, tokens=20_000, cost_usd=0.4, seconds=1.5)
    found = check(TRIAL, budget)
    assert found.status == "pass"
    assert found.numbers == {
        "rounds": 5,
        "max_rounds": 5,
        "tokens": 20_000,
        "max_tokens": 20_000,
        "cost_usd": 0.4,
        "max_cost_usd": 0.4,
        "seconds": 1.5,
        "max_seconds": 1.5,
    }


def test_all_limits_that_are_broken_are_named() -> None:
    found = check(TRIAL, Budget(rounds=4, cost_usd=0.5, seconds=1))
    assert (
        found.reason == "over budget: 5 rounds, at most 4 allowed; 1.5 seconds, at most 1 allowed"
    )


def test_prices_are_the_cases() -> None:
    assert check(TRIAL, Budget(cost_usd=0.5, input_price=0.1)).status == "fail"
    assert check(TRIAL, Budget(cost_usd=0.5, output_price=0.1)).status == "fail"


def test_tokens_that_are_not_reported_decide_nothing() -> None:
    found = check(record("x"), Budget(tokens=10, cost_usd=0.1))
    assert (found.status, found.reason) == ("not_evaluated", "not reported: tokens, cost_usd")


def test_a_broken_limit_fails_whatever_is_unknown() -> None:
    assert check(record(reply("x", rounds=9)), Budget(tokens=10, rounds=5)).status == "fail"


def test_no_limit_decides_nothing() -> None:
    assert check(TRIAL, Budget()).status == "not_evaluated"
