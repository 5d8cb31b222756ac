"""Scores of other tools: their verdict, or a figure that is high enough."""

import pytest

from harness.checks.registry import check
from harness.model import ExpectedScore, Score
from tests.harness.records import record


@pytest.mark.parametrize(
    ("score", "least", "status", "reason"),
    [
        (Score(name="s", passed=True), None, "pass", ""),
        (Score(name="s", passed=False, reason="too short"), None, "fail", "s: too short"),
        (Score(name="s", passed=False, value="I"), None, "fail", "s: I"),
        (Score(name="s", passed=False), None, "fail", "s: failed"),
        (Score(name="verdict", passed=False, reason="no"), None, "fail", "no"),
        (Score(name="s", value=0.7), 0.7, "pass", ""),
        (Score(name="s", value=0.7, passed=True), 0.8, "fail", "s: 0.7 is below 0.8"),
        (Score(name="s", value="I", passed=False), 0.5, "fail", "s: I"),
        (
            Score(name="s", value=0.7), None, "not_evaluated",
            "s: 0.7 is neither a pass nor a failure",
        ),
        (Score(name="s", reason="no grader"), 0.5, "not_evaluated", "s: no grader"),
        (Score(name="t", passed=True), None, "not_evaluated", "no tool gave the trial a score 's'"),
    ],
)  # fmt: skip
def test_a_score_passes_by_its_verdict_or_by_its_figure(
    score: Score, least: float | None, status: str, reason: str
) -> None:
    found = check(
        record("a", scores=(score,)),
        ExpectedScore(name="s" if score.name != "verdict" else "verdict", min=least),
    )
    assert (found.status, found.reason) == (status, reason)
