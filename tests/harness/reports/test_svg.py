from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import LatencyFigures, RunStatistics, TrialFacts
from harness.reports.svg import (
    MOST_CASES,
    Axis,
    Drawing,
    latency_chart,
    rates_chart,
    stability_chart,
    standalone,
    ticks_to,
)
from harness.statistics import summarize
from tests.harness.records import case_decision


@pytest.mark.parametrize(
    ("end", "ticks"),
    [
        (0, (0.0,)),
        (5e-324, (0.0,)),
        (0.3, (0.0, 0.1, 0.2, 0.3)),
        (1, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (47, (0.0, 10.0, 20.0, 30.0, 40.0)),
        (12345, (0.0, 5000.0, 10000.0)),
    ],
    ids=str,
)
def test_ticks_are_round(end: float, ticks: tuple[float, ...]) -> None:
    assert ticks_to(end) == ticks


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_ticks_are_few_and_inside(end: float) -> None:
    ticks = ticks_to(end)
    assert 2 <= len(ticks) <= 6
    assert ticks[-1] <= end * (1 + 1e-6)


def test_a_value_beyond_the_axis_stays_in_the_plot() -> None:
    axis = Axis(end=10, ticks=(0, 10), unit=" s")
    assert axis.at(-1) == axis.at(0)
    assert axis.at(99) == axis.at(10)
    assert Axis(end=0, ticks=()).at(5) == axis.at(0)
    assert axis.label(2.5) == "2.5 s"


def test_labels_are_texts_whatever_is_in_them() -> None:
    drawing = Drawing("a < b", Axis(end=1, ticks=(0, 1)), 1)
    y = drawing.row("</text><script>alert(1)</script>\x1b", "n")
    drawing.span(y, 0, 1)
    drawing.dot(y, 0.5, "good")
    drawing.dot(y, 1, "bad", square=True)
    text = drawing.to_svg()
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "title", "line", "text", "circle", "rect"}


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


def test_the_lowest_rates_stand_first_each_with_its_trials() -> None:
    decisions = [
        case_decision("A", ["pass", "pass"]),
        case_decision("B", ["fail", "fail"]),
        case_decision("C", ["pass", "fail"]),
        case_decision("D", ["infra_error"]),
    ]
    text = rates_chart(summarize(decisions, []))
    assert text.index(">B<") < text.index(">C<") < text.index(">A<")
    assert ">D<" not in text
    assert [text.count(f'class="{css}"') for css in ("good", "warn", "bad")] == [1, 1, 1]
    assert ">2/2<" in text


def test_of_many_cases_some_are_drawn() -> None:
    decisions = [case_decision(f"C-{number}", ["pass"]) for number in range(MOST_CASES + 5)]
    assert rates_chart(summarize(decisions, [])).count("<circle") == MOST_CASES


def test_without_a_valid_trial_there_is_no_chart() -> None:
    assert rates_chart(summarize([case_decision("A", ["infra_error"])], [])) == ""


def stability_facts(number: int, answer: int, *tools: str) -> TrialFacts:
    return TrialFacts("A", number, "replied", answer=answer, tools=tools)


def test_what_differs_has_a_row_and_the_rest_shares_one() -> None:
    decisions = [case_decision("A", ["pass", "pass"])]
    text = stability_chart(
        summarize(decisions, [stability_facts(1, 7, "list"), stability_facts(2, 8, "list")])
    )
    assert ">A answer<" in text
    assert ">A tools<" not in text
    assert ">1 others<" in text
    assert ">100% ideal<" in text


def test_one_trial_cannot_be_compared() -> None:
    assert stability_chart(summarize([case_decision("A", ["pass"])], [stability_facts(1, 7)])) == ""


def test_a_chart_of_its_own_is_svg_with_a_style() -> None:
    text = standalone(Drawing("a", Axis(end=1, ticks=(0,)), 0).to_svg())
    root = ElementTree.fromstring(text)
    style = root.find("{http://www.w3.org/2000/svg}style")
    assert style is not None
    assert "--good" in str(style.text)
