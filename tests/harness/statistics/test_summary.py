from typing import Any

import pytest

from harness.model import Observation, RunStatistics, TrialFacts
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
    found = _run()
    of_run, of_a, of_b = (
        [each.text.partition(" outside")[0] for each in clocks]
        for clocks in (
            (found.total, found.first_byte, found.tools),
            *((case.total, case.first_byte, case.tools) for case in found.cases),
        )
    )
    assert of_run == [
        "mean 18 ms, min 10 ms, max 30 ms (n=5), 1 timeouts (>= 60000 ms)",
        "mean 1 ms, min 1 ms, max 1 ms (n=2), 1 timeouts (>= 60000 ms)",
        "mean 0 ms, min 0 ms, max 2 ms (n=4)",
    ]
    assert of_a == [
        "mean 20 ms, min 10 ms, max 30 ms (n=3)",
        "mean 1 ms, min 1 ms, max 1 ms (n=1)",
        "mean 1 ms, min 0 ms, max 2 ms (n=3)",
    ]
    assert of_b == [
        "mean 10 ms, min 10 ms, max 10 ms (n=2), 1 timeouts (>= 60000 ms)",
        "1 timeouts (>= 60000 ms)",
        "mean 0 ms, min 0 ms, max 0 ms (n=1)",
    ]


def test_made_up_replies_and_untimed_ones_have_no_duration() -> None:
    facts = [
        _facts("A", 1, synthetic=True, first_byte_ms=1.0),
        _facts("A", 2, timed=False, first_byte_ms=2.0, tools_ms=3.0),
    ]
    case = summarize([case_decision("A", ["pass", "pass"])], facts).cases[0]
    assert (case.total.n, case.first_byte.mean, case.tools.mean) == (0, 2.0, 3.0)


def test_reviews_are_as_stable_as_their_places_and_severities() -> None:
    def seen(ref: str, span: str, severity: str) -> Observation:
        return Observation(ref=ref, span=span, severity=severity)

    facts = [
        _facts("A", 1, observations=(seen("r1", "1-2", "high"), seen("r2", "3-4", "low"))),
        _facts("A", 2, observations=(seen("r1", "1-2", "low"), seen("r2", "3-4", "low"))),
        _facts("A", 3, observations=(seen("r9", "1-2", "low"),)),
    ]
    found = summarize([case_decision("A", ["pass", "pass", "infra_error"])], facts).cases[0]
    assert [(each.name, each.numerator, each.denominator) for each in found.stability[2:]] == [
        ("span", 2, 2), ("severity", 1, 2),
    ]  # fmt: skip


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
