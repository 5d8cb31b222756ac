from typing import Any

import pytest

from harness.model import RunStatistics, TrialFacts
from harness.statistics.summary import summarize
from tests.harness.records import case_decision


def _facts(case: str, number: int, **facts: Any) -> TrialFacts:
    known = TrialFacts(case, number, "replied", duration_ms=10.0 * number, turns=1, attempts=1)
    return known._replace(**facts)


def _run() -> RunStatistics:
    decisions = [
        case_decision("A", ["pass", "pass", "fail"]),
        case_decision("B", ["pass", "agent_error", "infra_error"]),
    ]
    facts = [
        _facts("A", 1, answer=1, tools=("x",), tools_ms=2.0, first_byte_ms=1.0),
        _facts("A", 2, answer=1, tools=("x",), attempts=3),
        _facts("A", 3, answer=2, tools=("x", "y")),
        _facts("B", 1),
        _facts("B", 2, outcome="agent_error", time_limit_ms=60_000.0),
        _facts("B", 3, outcome="infra_error", duration_ms=1e9),
    ]
    return summarize(decisions, facts)


def test_each_case_counts_once() -> None:
    found = _run()
    assert found.mean == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.cases_counted == 2
    assert found.sample is None
    assert [case.classification for case in found.cases] == ["flaky", "flaky"]


def test_one_of_k_and_all_of_k_and_what_is_undefined() -> None:
    found = _run()
    assert found.cases[0].pass_hat == {1: pytest.approx(2 / 3), 2: pytest.approx(1 / 3), 3: 0.0}
    assert found.cases[0].pass_at[3] == 1.0
    assert found.pass_hat[3] == (0.0, 1)
    value, undefined = found.pass_hat[2]
    assert value == pytest.approx(1 / 6)
    assert undefined == 0, "two trials are enough for both cases"


def test_only_what_was_answered_has_a_latency_and_a_timeout_is_censored() -> None:
    """CSRR-08, CSR-28"""
    found = _run().cases[1].total
    assert (found.n, found.censored, found.mean, found.limit) == (2, 1, 10.0, 60_000.0)


def test_three_clocks_are_told_apart() -> None:
    case = _run().cases[0]
    assert case.total.max == 30.0
    assert case.first_byte.n == 1
    assert case.tools.max == 2.0


def test_answers_and_tools_are_as_stable_as_their_pairs() -> None:
    answer, tools = _run().cases[0].stability
    assert (answer.name, answer.numerator, answer.denominator) == ("answer", 1, 3)
    assert (tools.name, tools.numerator, tools.denominator) == ("tools", 1, 3)


def test_retries_are_counted() -> None:
    """Pitfall 13"""
    assert [case.retried for case in _run().cases] == [1, 0]


def test_nothing_that_ran_comes_to_nothing() -> None:
    found = summarize([case_decision("A", ["infra_error"])], [])
    assert (found.mean, found.detectable, found.cases[0].rate.rate) == (None, None, None)
    assert found.total.text == "n/a"
