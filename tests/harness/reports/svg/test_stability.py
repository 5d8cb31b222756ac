from harness.model import TrialFacts
from harness.reports.svg.stability import stability_chart
from harness.statistics import summarize
from tests.harness.records import case_decision


def facts(number: int, answer: int, *tools: str) -> TrialFacts:
    return TrialFacts("A", number, "replied", answer=answer, tools=tools)


def test_what_differs_has_a_row_and_the_rest_shares_one() -> None:
    decisions = [case_decision("A", ["pass", "pass"])]
    text = stability_chart(summarize(decisions, [facts(1, 7, "list"), facts(2, 8, "list")]))
    assert ">A answer<" in text
    assert ">A tools<" not in text
    assert ">1 others<" in text
    assert ">100% ideal<" in text


def test_one_trial_cannot_be_compared() -> None:
    assert stability_chart(summarize([case_decision("A", ["pass"])], [facts(1, 7)])) == ""
