from typing import Any

from harness.model import LatencyFigures, RunStatistics, TrialFacts
from harness.reports.svg.latency import latency_chart
from harness.statistics import summarize
from tests.harness.records import case_decision


def facts(case: str, number: int, duration: float, **more: Any) -> TrialFacts:
    return TrialFacts(case=case, number=number, outcome="replied", duration_ms=duration, **more)


def test_the_slowest_stand_first_in_seconds_where_that_reads_better() -> None:
    decisions = [case_decision("A", ["pass", "pass"]), case_decision("B", ["pass"])]
    figures = [facts("A", 1, 100), facts("A", 2, 300), facts("B", 1, 4000)]
    text = latency_chart(summarize(decisions, figures))
    assert text.index(">B<") < text.index(">A<")
    assert ">4.0 s<" in text
    assert ">1 s<" in text


def test_short_times_are_milliseconds() -> None:
    text = latency_chart(summarize([case_decision("A", ["pass"])], [facts("A", 1, 90)]))
    assert ">90 ms<" in text
    assert ">20 ms<" in text


def test_trials_that_timed_out_have_a_mark_of_their_own() -> None:
    decisions = [case_decision("A", ["pass", "agent_error"]), case_decision("B", ["agent_error"])]
    late: dict[str, Any] = {"outcome": "agent_error", "time_limit_ms": 5000}
    figures = [
        facts("A", 1, 100),
        facts("A", 2, 5001)._replace(**late),
        facts("B", 1, 5001)._replace(**late),
    ]
    text = latency_chart(summarize(decisions, figures))
    assert text.count("<rect") == 2
    assert "1 timed out" in text


def test_without_times_there_is_no_chart() -> None:
    none = LatencyFigures(n=0)
    statistics = RunStatistics(mean=None, cases_counted=0, total=none, first_byte=none, tools=none)
    assert latency_chart(statistics) == ""
