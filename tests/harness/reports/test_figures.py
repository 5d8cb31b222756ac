import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from harness.model import (
    Attempt,
    Budget,
    CaseVerdict,
    Custody,
    ExpectedRequest,
    HeldRecords,
    RunResult,
    ServerRequests,
    TextContains,
    TrialStatus,
)
from harness.reports import REPORTS
from harness.reports.console import console_report
from harness.reports.figures import (
    OPEN,
    Figures,
    always_failing,
    by_category,
    custody_lines,
    failure_lines,
    figures,
    flaky,
    is_synthetic,
    made_up_answers,
    recoveries,
    retries,
    statistics_lines,
)
from harness.reports.html import html_report
from harness.reports.json_report import report_of
from harness.reports.junit import junit_report
from harness.reports.markdown import markdown_report
from harness.statistics import summarize
from harness.verdicts import decide_run
from mockserver.model import Journal, Tampering
from tests.harness.example_run import CASES, example_run, synthetic_run
from tests.harness.records import case, case_decision, decided, entry, manifest, record, result

VERDICTS: Mapping[CaseVerdict, int] = {"passed": 7, "failed": 1}
STATUSES: Mapping[TrialStatus, int] = {"pass": 17, "fail": 1, "infra_error": 1, "replay_miss": 1}


def _figures(not_evaluated: int = 0) -> Figures:
    return Figures(VERDICTS, {**STATUSES, "not_evaluated": not_evaluated}, 0)


def test_what_is_not_valid_stands_beside_the_rate() -> None:
    assert _figures().trial_rate() == "17/18 (18 of 20 valid: 1 infra, 1 replay miss)"
    assert _figures().case_rate() == "7/8"


def test_trials_without_a_decision_are_told() -> None:
    assert _figures(not_evaluated=1).trial_rate() == (
        "17/18 (18 of 21 valid: 1 not evaluated, 1 infra, 1 replay miss)"
    )


def test_a_run_that_broke_has_no_pass_rate() -> None:
    total = figures(example_run())
    assert total.case_rate() == "no pass rate (3 of 5 decided: 1 inconclusive, 1 skipped)"
    assert total.trial_rate() == "no pass rate (5 of 7 valid: 1 infra, 1 synthetic)"


def test_made_up_replies_are_no_quality() -> None:
    run = synthetic_run()
    assert is_synthetic(run)
    assert not is_synthetic(example_run())
    assert figures(run).trial_rate() == "no pass rate (0 of 1 valid: 1 synthetic)"


def test_categories_are_sorted_and_complete() -> None:
    """CEPR-12: the summary is broken down by category."""
    groups = by_category(example_run())
    assert {name: (each.cases, each.trials) for name, each in groups.items()} == {
        "policy": (2, 4),
        "system": (2, 2),
        "uncategorised": (1, 1),
    }
    assert list(groups) == sorted(groups)


def test_always_failing_and_flaky_are_listed_apart() -> None:
    lost = decided(
        manifest(["EC-003"]), CASES[2:3], [record("No.", case="EC-003", number=n) for n in (1, 2)]
    )
    assert always_failing(lost) == ["EC-003"]
    assert always_failing(example_run()) == []
    assert flaky(example_run()) == ["EC-003"]


def test_only_what_is_open_counts_as_not_evaluated() -> None:
    asked = case(Budget(tokens=5), TextContains(needles=("a",)))
    records = [record("a"), record("b", number=2)]
    assert figures(decided(manifest(["C-1"]), [asked], records)).not_evaluated == 1


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


def test_recovery_is_counted_over_cases_that_pass_without_faults() -> None:
    decisions = [
        case_decision("A", ["pass", "pass"]),
        case_decision("A--slow", ["pass", "fail"]),
        case_decision("B", ["fail"]),
        case_decision("B--slow", ["fail"]),
        case_decision("C", ["pass"]),
        case_decision("C--slow", ["pass"]),
    ]
    cases = tuple(
        case(
            id=each.case,
            tags=("x", "faults:slow") if each.case.endswith("slow") else ("faults:fast",),
        )
        for each in decisions
    )
    made = result(*decisions, cases=cases, faults_not_met=("C--slow: *",))
    (slow,) = recoveries(made)
    assert (slow.profile, slow.recovered, slow.valid) == ("slow", 1, 2)
    assert slow.text == "1/2 trials; lost: A; never met: C"


def test_without_faults_there_is_nothing_to_recover_from() -> None:
    assert recoveries(result(case_decision("A", ["pass"]))) == ()


def test_a_profile_whose_cases_all_fail_says_so() -> None:
    decisions = [case_decision("A", ["fail"]), case_decision("A--slow", ["fail"])]
    cases = (case(id="A"), case(id="A--slow", tags=("faults:slow",)))
    (slow,) = recoveries(result(*decisions, cases=cases))
    assert slow.text == "nothing to recover"


def attempts(*numbers: int) -> tuple[Attempt, ...]:
    return tuple(Attempt(turn=1, number=number) for number in numbers)


def test_every_retry_is_shown_with_its_case() -> None:
    """Pitfall 13: retries hide instability where nobody sees them."""
    records = (
        record("fine", case="A", attempts=attempts(1, 2, 3)),
        record(case="A", number=2, outcome="infra_error", attempts=attempts(1, 2)),
        record("fine", case="B", attempts=attempts(1)),
    )
    decisions = (case_decision("A", ["pass", "infra_error"]), case_decision("B", ["pass"]))
    made = result(*decisions, records=HeldRecords(records))
    assert retries(made) == {"A": 3}
    assert report_of(made)["summary"]["retries"] == {"A": 3}
    assert "retried: A 3x" in console_report(made)
    assert "- Retried: A 3x" in markdown_report(made)


def test_a_trial_that_was_never_tried_has_no_retries() -> None:
    skipped = record(case="A", outcome="infra_error")
    made = result(case_decision("A", ["infra_error"]), records=HeldRecords((skipped,)))
    assert retries(made) == {}


STRANGER = Tampering(at="", attempt="GET /_mock/sessions", reason="no token", status=401)


def test_a_run_whose_evidence_is_in_order_says_nothing() -> None:
    assert custody_lines(example_run()) == []
    held = example_run().model_copy(update={"custody": (Custody(protected=True),)})
    assert custody_lines(held) == []


def test_an_open_server_and_strangers_are_told_in_every_report() -> None:
    planted = "trials/A/1.foreign-1.json"
    changed = "trials/B/2.json"
    last = Custody(protected=False, attempts=(STRANGER,), planted=(planted,), changed=(changed,))
    times = (Custody(protected=True), last)
    result = example_run().model_copy(update={"custody": times})
    refused = "refused to an unknown caller: GET /_mock/sessions (401)"
    assert custody_lines(result) == [
        OPEN,
        refused,
        f"not the harness's, and set aside: {planted}",
        f"not what the harness wrote: {changed}",
    ]
    assert OPEN in REPORTS["summary.md"](result)
    summary = json.loads(REPORTS["report.json"](result))["summary"]
    assert summary["custody"] == {
        "protected": False,
        "strangers": [{"attempt": "GET /_mock/sessions", "reason": "no token", "status": 401}],
        "planted": [planted],
        "changed": [changed],
    }


def made_up_run(methods: int = 1) -> RunResult:
    """Two trials with answers of stubs and of documents; a request passes by the latter alone."""
    asked = ServerRequests(requests=(ExpectedRequest(method="github.m1"),))
    cases = [case(asked, id="A"), case(asked, id="B")]
    made = [entry(f"github.m{n}", n, source="synthesis") for n in range(1, methods + 1)]
    others: list[dict[str, Any]] = [
        {"parent": 1, "source": "synthesis"}, {"source": "none"}, {"source": "stub"},
    ]  # fmt: skip
    held = [*made, *(entry("x", methods + n, **each) for n, each in enumerate(others, 1))]
    stored = (entry("github.m1", 1), *made)
    records = [
        record("done", case=id, session="s1", journal=Journal(entries=entries))
        for id, entries in (("A", tuple(held)), ("B", stored))
    ]
    return decided(manifest(["A", "B"]), cases, records)


def test_made_up_answers_are_counted_and_the_checks_that_rest_on_them_named() -> None:
    found = made_up_answers(made_up_run())
    assert found.text == "2 of 4 answers were made up"
    assert found.lines == [
        "2 of 4 answers were made up: github.m1 2",
        "A trial 1: server_requests: passed only by answers that were made up: github.m1",
    ]
    many = made_up_answers(made_up_run(12))
    assert many.lines[0].endswith(", 2 more methods")
    crowd = replace(found, notes=tuple(f"C trial {n}: x" for n in range(12))).lines
    assert (len(crowd), crowd[-1]) == (12, "and 2 more checks")
    none = made_up_answers(example_run())
    assert (none.text, none.lines) == ("", [])


def test_every_report_tells_of_made_up_answers() -> None:
    run, told = made_up_run(), "2 of 4 answers were made up"
    for text in (console_report(run), markdown_report(run), junit_report(run), html_report(run)):
        assert told in text
        assert "passed only by answers that were made up: github.m1" in " ".join(text.split())
        assert told not in markdown_report(example_run())
    summary = report_of(run)["summary"]["madeUp"]
    assert summary == {
        "answers": 4,
        "madeUp": 2,
        "byMethod": {"github.m1": 2},
        "checks": [made_up_answers(run).notes[0]],
    }
    noted = [bool(each["trials"][0]["checks"][0]["note"]) for each in report_of(run)["cases"]]
    assert noted == [True, False]
