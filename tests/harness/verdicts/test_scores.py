from typing import Any

import pytest

from harness.model import ExitCode, Expectation, ExpectedFile, Files, Patterns, WorkspaceFile
from harness.verdicts import decide_trial
from tests.harness.records import case, record

EXPECT: tuple[Expectation, ...] = (
    Patterns(patterns=("one", "two")),
    Files(files=(ExpectedFile(path="a.py"),)),
    ExitCode(code=0),
    ExitCode(code=7, required=False),
)
THERE = {"a.py": WorkspaceFile(size=0, text="")}


@pytest.mark.parametrize(
    ("text", "facts", "score"),
    [
        ("one two", {"files": THERE, "exit_code": 0}, 1.0),
        ("one two", {"exit_code": 0}, 0.75),
        ("one", {"files": THERE, "exit_code": 0}, 0.75),
        ("one", {"exit_code": 1}, 0.25),
        ("one two", {"files": THERE}, 0.75),
        ("", {"exit_code": 1}, 0.0),
    ],
    ids=["all", "no file", "one of two patterns", "half a pattern", "no exit code", "nothing"],
)
def test_the_score_comes_from_all_checks(text: str, facts: dict[str, Any], score: float) -> None:
    """CTXR-06: a file that is not there lowers the score, so that a regression is seen."""
    assert decide_trial(case(*EXPECT), record(text, **facts)).score == score


def test_checks_weigh_what_the_case_says() -> None:
    weighed = case(*EXPECT, weights={"files": 4})
    assert decide_trial(weighed, record("one two", exit_code=0)).score == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("facts", "score"),
    [
        ({"outcome": "agent_error"}, 0.0),
        ({"outcome": "infra_error"}, None),
        ({"outcome": "skipped"}, None),
        ({"synthetic": True}, None),
    ],
    ids=str,
)
def test_only_what_the_agent_did_is_scored(facts: dict[str, Any], score: float | None) -> None:
    assert decide_trial(case(*EXPECT), record("one two", **facts)).score == score


def test_a_case_that_requires_nothing_scores_nothing() -> None:
    assert decide_trial(case(), record("one two")).score == 0.0
