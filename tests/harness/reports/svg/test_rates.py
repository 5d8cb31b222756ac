from harness.reports.svg.rates import MOST, rates_chart
from harness.statistics import summarize
from tests.harness.records import case_decision


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
    decisions = [case_decision(f"C-{number}", ["pass"]) for number in range(MOST + 5)]
    assert rates_chart(summarize(decisions, [])).count("<circle") == MOST


def test_without_a_valid_trial_there_is_no_chart() -> None:
    assert rates_chart(summarize([case_decision("A", ["infra_error"])], [])) == ""
