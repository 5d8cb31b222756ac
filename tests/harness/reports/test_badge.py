"""The badge: green only for a run that passed whole."""

import json
from xml.etree import ElementTree

import pytest

from harness.model import CaseDecision, Comparison, RunResult
from harness.reports.badge import badge_json, badge_svg
from tests.harness.example_run import example_run, good_run, synthetic_run
from tests.harness.records import case_decision, result

PASSED = [case_decision(f"C-{number}", ["pass"]) for number in range(5)]
FAILED: CaseDecision = case_decision("F", ["fail"])
LOST = Comparison(baseline="a", candidate="b", verdict="regressed")


@pytest.mark.parametrize(
    ("run", "message", "color"),
    [
        (good_run(), "1/1 passed", "brightgreen"),
        (result(*PASSED), "5/5 passed", "brightgreen"),
        (result(*PASSED, FAILED), "5/6 passed", "yellow"),
        (result(PASSED[0], FAILED), "1/2 passed", "red"),
        (result(*PASSED, interrupted=True), "5/5 passed", "yellow"),
        (result(*PASSED, comparison=LOST), "5/5 passed, regressed", "red"),
        (synthetic_run(), "no verdict", "lightgrey"),
        (example_run(), "1/5 passed", "yellow"),
    ],
)
def test_a_badge_says_how_many_passed(run: RunResult, message: str, color: str) -> None:
    held = json.loads(badge_json(run))
    assert held == {"schemaVersion": 1, "label": "agent", "message": message, "color": color}
    root = ElementTree.fromstring(badge_svg(run))
    assert root.get("aria-label") == f"agent: {message}"
