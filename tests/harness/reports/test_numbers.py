import pytest
from inline_snapshot import snapshot

from harness.model import HeldRecords, RunResult, TextContains
from harness.reports.numbers import failure_lines, statistics_lines
from harness.statistics import summarize
from harness.verdicts import decide_run
from tests.harness.example_run import example_run
from tests.harness.records import case, manifest, record


def _run(cases: int, trials: int, **facts: object) -> RunResult:
    names = [f"C-{number}" for number in range(cases)]
    asked = [case(TextContains(needles=("a",)), id=name) for name in names]
    held = HeldRecords(
        tuple(
            record(
                "a" if (number + place) % 4 else "b", case=name, number=number, duration_ms=100.0
            )
            for place, name in enumerate(names)
            for number in range(1, trials + 1)
        )
    )
    made = decide_run(manifest(names), asked, held)
    found = {"statistics": summarize(made.decisions, made.facts), **facts}
    return made.model_copy(update=found)


def test_figures_in_words() -> None:
    assert statistics_lines(_run(12, 3)) == snapshot(
        [
            "mean rate 75.0 % over 12 cases, 58.7 to 91.3 % for these cases, "
            "65.4 to 84.6 % for cases like them",
            "pass^3 25.0 %, pass@3 100.0 %",
            "latency: mean 100 ms, min 100 ms, p95 100 ms",
            "in tools: mean 0 ms, min 0 ms, p95 0 ms",
            "a comparison with as many trials would see a drop of 37 points (power 80 %)",
        ]
    )


def test_one_trial_a_case_has_no_interval() -> None:
    assert statistics_lines(_run(2, 1))[:1] == snapshot(["mean rate 100.0 % over 2 cases"])


@pytest.mark.parametrize("change", [{"statistics": None}, {"interrupted": True}], ids=str)
def test_what_is_not_whole_has_no_figures(change: dict[str, object]) -> None:
    assert statistics_lines(_run(2, 1, **change)) == []


def test_nothing_valid_has_no_figures() -> None:
    assert statistics_lines(_run(0, 0)) == []


def test_failures_alike_are_told_with_their_cases() -> None:
    assert failure_lines(_run(9, 3)) == snapshot(
        [
            "trials failed on account of: agent 6",
            "alike in 6 cases: text contains 'a' (C-1, C-2, C-3, C-5, C-6, C-7)",
        ]
    )
    assert failure_lines(example_run())[0] == snapshot(
        "trials failed on account of: agent 3, infrastructure 1"
    )


def test_where_nothing_varied_no_interval_is_claimed() -> None:
    names = [f"C-{number}" for number in range(12)]
    held = HeldRecords(
        tuple(record("a", case=name, number=number) for name in names for number in (1, 2, 3))
    )
    cases = [case(TextContains(needles=("a",)), id=name) for name in names]
    made = decide_run(manifest(names), cases, held)
    figures = made.model_copy(update={"statistics": summarize(made.decisions, made.facts)})
    assert statistics_lines(figures)[0] == "mean rate 100.0 % over 12 cases"
