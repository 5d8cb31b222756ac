"""What a fault may say."""

from typing import Any

import pytest
from pydantic import ValidationError

from mockserver.model import Fault

FIXED = {"distribution": "fixed", "ms": 5}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"status": 429, "times": 2},
        {"kind": "reset", "after_bytes": 0},
        {"kind": "slow_first_byte", "latency": FIXED},
        {"kind": "dribble", "chunk_bytes": 1, "latency_ms": 1},
        {"rate": {"per_minute": 60}, "status": 403, "reason": "userRateLimitExceeded"},
        {"propagation": {"after_s": 5, "reads": 2, "collections": ["users"]}},
        {"calls": [1, "2-3", "7-"], "status": 500},
        {"latency": {"distribution": "lognormal", "median_ms": 10, "sigma": 1}},
    ],
    ids=["delay", "status", "reset", "slow", "dribble", "rate", "late", "calls", "lognormal"],
)
def test_a_fault_is_read_and_written_alike(fields: dict[str, Any]) -> None:
    fault = Fault.model_validate({"method": "a.list", **fields})
    assert Fault.model_validate(fault.model_dump()) == fault


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": "reset", "status": 503}, "status goes with kind status"),
        ({"kind": "explode"}, "Input should be 'status'"),
        ({"kind": "dribble", "after_bytes": 3}, "after_bytes goes with kind reset or truncate"),
        ({"chunk_bytes": 3}, "chunk_bytes goes with kind dribble"),
        ({"kind": "slow_first_byte"}, "slow_first_byte needs latency_ms or latency"),
        ({"rate": {"per_minute": 1}, "kind": "reset"}, "one of kind, rate and propagation"),
        ({"rate": {"per_minute": 0}}, "greater than 0"),
        ({"propagation": {}}, "propagation needs after_s or reads"),
        ({"propagation": {"reads": 1}, "status": 404}, "status goes with kind status"),
        ({"calls": [0]}, "greater than or equal to 1"),
        ({"calls": ["3-x"]}, "should match pattern"),
        ({"latency": {"distribution": "uniform", "low_ms": 1}}, "uniform needs high_ms"),
        ({"latency": {"distribution": "fixed", "sigma": 1}}, "fixed has no sigma"),
        (
            {"latency": {"distribution": "uniform", "low_ms": 9, "high_ms": 1}},
            "high_ms is less than low_ms",
        ),
        ({"latency_ms": -1}, "greater than or equal to 0"),
        ({"method": ""}, "at least 1 character"),
        ({"status": 200}, "greater than or equal to 400"),
        ({"times": "twice"}, "Input should be 'always'"),
        ({"stauts": 500}, "Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_a_fault_that_says_two_things_or_nothing_is_refused(
    fields: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValidationError, match=says):
        Fault.model_validate({"method": "a.list", **fields})


def test_a_fault_lasts_until_it_is_cleared_unless_counted() -> None:
    assert Fault(method="directory.*", status=429).times == "always"
    assert Fault(method="directory.*", status=429, times=2).times == 2


def test_tokens_expire_once_unless_times_or_calls_say_otherwise() -> None:
    once = Fault.model_validate({"method": "*", "kind": "expire_token"})
    again = Fault.model_validate({"method": "*", "kind": "expire_token", "calls": ["2-"]})
    assert (once.times, again.times) == (1, "always")
