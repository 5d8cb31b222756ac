import json
from typing import Any

import pytest
from pydantic_core import to_json

from harness.model import (
    ExitCode,
    Expectation,
    ExpectedFile,
    Files,
    HeldRecords,
    Patterns,
    TrialRecord,
    Usage,
)
from harness.reports.console import console_report
from harness.reports.json_report import (
    category_scores,
    json_report,
    mean_score,
    report_of,
    task_result,
)
from harness.reports.markdown import markdown_report
from harness.verdicts import decide_trial
from mockserver.model import Journal
from tests.harness.example_run import CASES, example_run, good_run
from tests.harness.records import call, case, decided, entry, manifest, record, reply, trial


def test_a_passed_case_has_the_names_of_the_registry_format() -> None:
    """CEP-36, CEP-37, CEP-38, CEP-39, CEP-40, CEP-41, CEP-42, CEP-43, CEP-44"""
    case = report_of(example_run())["cases"][0]
    expected = {
        "caseId": "EC-001",
        "title": "Policy not applied",
        "category": "policy",
        "tags": ["inheritance"],
        "prompt": "Why?",
        "responseText": "## Diagnosis\nBlocked.",
        "responseMetadata": {"nextSteps": ["wait"]},
        "schemaMatched": True,
        "rubricScore": 2,
        "rubricCriteria": ["diagnosis", "next"],
        "rubricMinScore": 1,
        "status": "pass",
        "durationMs": 1500.0,
        "error": None,
    }
    assert {name: case[name] for name in expected} == expected


def test_a_failed_case_names_its_error_and_class() -> None:
    """CEP-41, CEP-45, CEP-46"""
    case = report_of(example_run())["cases"][1]
    assert (case["status"], case["schemaMatched"], case["rubricScore"]) == ("fail", False, 0)
    assert case["error"] == "schema mismatch: missing fields: 'diagnosis', 'next_steps'"
    assert case["failureClasses"][0] == "schema mismatch"


def test_status_is_pass_or_fail_and_the_verdict_tells_more() -> None:
    """CEP-43, CEPR-11"""
    cases = report_of(example_run())["cases"]
    assert [(case["status"], case["verdict"]) for case in cases] == [
        ("pass", "passed"),
        ("fail", "failed"),
        ("fail", "flaky"),
        ("fail", "inconclusive"),
        ("fail", "skipped"),
    ]
    assert [trial["trialStatus"] for trial in cases[2]["trials"]] == ["pass", "fail", "agent_error"]


def test_a_case_shows_the_first_trial_that_did_not_pass() -> None:
    assert report_of(example_run())["cases"][2]["responseText"] == "No."


def test_every_trial_has_the_same_names_its_checks_and_its_turns() -> None:
    trial = report_of(example_run())["cases"][1]["trials"][0]
    assert trial["prompt"] == "Why?\n\nWhy?"
    assert [check["kind"] for check in trial["checks"]] == ["reply_schema", "evidence", "rubric"]
    assert trial["checks"][1]["numbers"]["missing"] == ["quota"]
    assert [turn["responseText"] for turn in trial["turns"]][1] == "402"


def test_what_a_case_does_not_ask_for_is_null() -> None:
    case = report_of(example_run())["cases"][2]
    assert [case["schemaMatched"], case["rubricScore"], case["rubricMinScore"]] == [None] * 3


def test_a_case_without_reply_shows_the_prompt_it_would_have_sent() -> None:
    assert report_of(example_run())["cases"][3]["prompt"] == "Why?"


def test_a_case_without_trial_is_told() -> None:
    report = report_of(decided(manifest(["EC-001"]), CASES[:1], [], interrupted=True))
    assert report["interrupted"]
    assert report["cases"][0]["error"] == ""
    assert report["cases"][0]["trials"] == []


def test_the_summary_counts_by_category_and_lists_failures() -> None:
    """CEPR-12"""
    summary = report_of(example_run())["summary"]
    assert summary["cases"] == {
        "total": 5,
        "passed": 1,
        "failed": 1,
        "flaky": 1,
        "inconclusive": 1,
        "skipped": 1,
    }
    assert summary["byCategory"]["policy"]["trials"]["valid"] == 4
    assert [failure["caseId"] for failure in summary["failures"]] == ["EC-002", "EC-003", "EC-004"]
    assert summary["faultsNotMet"] == ["EC-002: reports.activities.list"]
    assert summary["remedies"][0].startswith("Improve the instructions: ")


def test_the_text_is_json_and_the_same_every_time() -> None:
    text = json_report(good_run())
    assert json.loads(text) == report_of(good_run())
    assert text == json_report(good_run())


@pytest.mark.parametrize("said", [(), ("one\ntwo\u2028three\x85",), ("a", "]\n}")])
def test_the_text_is_that_of_the_whole_report_indented(said: tuple[str, ...]) -> None:
    cases = [case(id=f"EC-{number}") for number, _ in enumerate(said)]
    records = [record(reply(text), case=one.id) for one, text in zip(cases, said, strict=True)]
    run = decided(manifest([one.id for one in cases]), cases, records)
    assert json_report(run) == to_json(report_of(run), indent=2).decode() + "\n"


def test_numbers_that_json_cannot_hold_do_not_break_the_report() -> None:
    odd = reply("x", call("t", big=10**40, none=float("nan")))
    run = decided(manifest(["EC-001"]), CASES[:1], [record(odd, case="EC-001")])
    args = json.loads(json_report(run))["cases"][0]["trials"][0]["turns"][0]["toolCalls"][0]["args"]
    assert args == {"big": 10**40, "none": None}


EXPECT: tuple[Expectation, ...] = (
    Patterns(patterns=("contains:one", "not_contains:two")),
    Files(files=(ExpectedFile(path="a.py"),)),
    ExitCode(code=0, required=False),
)


def result_of(held: TrialRecord, *expect: Expectation) -> dict[str, Any]:
    asked = case(*expect, category="bug_fix")
    return task_result(asked, decide_trial(asked, held), held)


def test_a_trial_has_every_field_of_a_task_s_result() -> None:
    """CTX-03."""
    said = reply("two", call("t"), usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5))
    held = record(said, exit_code=0, duration_ms=12.3456)
    assert result_of(held, *EXPECT) == {
        "taskId": "C-1",
        "taskCategory": "bug_fix",
        "passed": False,
        "score": 0.0,
        "durationMs": 12.346,
        "tokensUsed": 7,
        "costUsd": 0.5,
        "toolCallsMade": 1,
        "error": "the output does not meet 'contains:one': not found; 'not_contains:two': found"
        " forbidden: two",
        "details": [
            {
                "check": "pattern",
                "passed": False,
                "expected": "contains:one",
                "actual": "not found",
            },
            {
                "check": "pattern",
                "passed": False,
                "expected": "not_contains:two",
                "actual": "found forbidden: two",
            },
            {
                "check": "files",
                "passed": False,
                "expected": "",
                "actual": "files: 'a.py' is not there",
            },
            {
                "check": "exit_code",
                "passed": True,
                "expected": "expected 0",
                "actual": "as expected",
            },
        ],
    }


def test_what_nobody_says_is_null_and_a_pass_has_no_error() -> None:
    found = result_of(record("one and more"), Patterns())
    assert (found["tokensUsed"], found["costUsd"], found["error"]) == (None, None, None)
    assert (found["passed"], found["score"], found["details"][0]["check"]) == (
        True,
        1.0,
        "patterns",
    )
    assert task_result(case(), trial("infra_error"), None)["toolCallsMade"] == 0


def test_the_summary_has_a_row_for_each_category() -> None:
    """CTX-20."""
    cases = [
        case(Patterns(patterns=("one", "two")), id=id, category=category)
        for id, category in (("A", "bug_fix"), ("B", "bug_fix"), ("C", "refactoring"))
    ]
    held = HeldRecords.of_cases(
        ["A", "B", "C"],
        [
            record("one two", case="A"),
            record("one", case="B"),
            record(case="C", outcome="skipped"),
        ],
    )
    found = decided(manifest(["A", "B", "C"]), cases, held)
    assert category_scores(found) == {
        "bug_fix": {"passed": 1, "failed": 1, "avgScore": 0.75},
        "refactoring": {"passed": 0, "failed": 0, "avgScore": None},
    }
    assert mean_score(()) is None


def test_witnesses_stand_beside_each_other() -> None:
    journal = Journal(entries=(entry("tools.look", body={"q": 1}),))
    lying = record(reply("", call("look", q=2)), session="s1", journal=journal)
    honest = lying.model_copy(
        update={"number": 2, "replies": (reply("", call("look", q=1, status="ok")),)}
    )
    direct = lying.model_copy(
        update={"number": 3, "journal": Journal(entries=(entry("flights.book"),))}
    )
    found = decided(manifest(["C-1"]), [case()], [lying, honest, direct])
    head = json.loads(json_report(found))
    first, second, third = head["cases"][0]["trials"]
    assert first["witnesses"]["agree"] is False
    assert first["witnesses"]["present"] == ["claimed", "seen"]
    assert first["witnesses"]["findings"]["args_differ"][0]["where"] == "args.q"
    assert second["witnesses"]["calls"] == [
        {"name": "look", "claimed": {"status": "ok", "args": {"q": 1}}, "requested": None,
         "traced": None, "seen": {"status": "ok", "args": {"q": 1}}}
    ]  # fmt: skip
    assert head["summary"]["witnesses"] == {
        "compared": 2,
        "agreeing": 1,
        "notComparable": 1,
    }
    unlike = "not comparable: no rule says which request `look` makes"
    assert third["witnesses"]["agree"] is None
    assert third["witnesses"]["notComparable"].startswith(unlike)
    assert f"  witnesses of 1 trial are {unlike}" in console_report(found)
    assert f"- witnesses of 1 trial are {unlike}" in markdown_report(found)
    says = "C-1 trial 1: called with other arguments than said: 'look'"
    assert f"witnesses agree in 1 of 2 trials\n  {says}\n" in console_report(found)
    assert f"### Witnesses\n\n- witnesses agree in 1 of 2 trials\n- {says}" in markdown_report(
        found
    )
