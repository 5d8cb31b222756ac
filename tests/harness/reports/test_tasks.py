from typing import Any

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
from harness.reports.tasks import category_scores, mean_score, task_result
from harness.verdicts import decide_trial
from tests.harness.records import call, case, decided, manifest, record, reply, trial

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
