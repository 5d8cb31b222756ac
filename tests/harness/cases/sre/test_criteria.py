from typing import Any

import pytest

from harness.cases.sre.evalset import Criteria, fewest_criteria, read_criteria
from harness.documents import Document, Findings

RUBRICS = {
    "threshold": 0.8,
    "judge_model_options": {"judge_model": "some-model", "num_samples": 3},
    "rubrics": [
        {"rubric_id": "numbers", "rubric_content": {"text_property": "It gives numbers."}},
        {"rubric_id": "cause", "rubric_content": {"text_property": "It names a cause."}},
        {"rubric_id": "next", "rubric_content": {"text_property": "It says what to do."}},
    ],
}


def read(criteria: Any) -> tuple[Criteria, list[str]]:
    findings = Findings()
    found = read_criteria(Document("test_config.json", {"criteria": criteria}), findings)
    return found, [f"{item.level}: {item}" for item in findings.problems]


def test_numbers_and_objects_are_gates() -> None:
    """SRER-06: trajectory, response, rubrics with their judge's samples."""
    found, told = read(
        {
            "tool_trajectory_avg_score": {
                "threshold": 1,
                "match_type": "IN_ORDER",
                "ignore_args": True,
            },
            "response_match_score": 0.6,
            "rubric_based_final_response_quality_v1": RUBRICS,
        }
    )
    assert (found.trajectory, found.mode, found.response) == (1, "in_order", 0.6)
    assert found.ignores_args
    assert found.rubrics is not None
    texts, share = found.rubrics
    assert (len(texts), share, fewest_criteria(3, share)) == (3, 0.8, 3)
    assert len(told) == 1
    assert "informational, for a model judges them" in told[0]


def test_a_gate_may_be_written_as_min() -> None:
    found, told = read({"response_match_score": {"min": 0.4, "match_type": None}})
    assert (found.response, told) == (0.4, [])


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({"response_match_score": 1.5}, "no score reaches 1.5"),
        ({"response_match_score": 10**400}, "too large a number"),
        ({"response_match_scor": 0.5}, "did you mean 'response_match_score'"),
        ({"response_match_score": {}}, "needs 'threshold' (or 'min'), one of them"),
        ({"response_match_score": {"min": 1, "threshold": 1}}, "one of them"),
        ({"response_match_score": True}, "expected an object"),
        ({"tool_trajectory_avg_score": {"min": 1, "match_type": "ALL"}}, "'ALL' is not one of"),
        ({"rubric_based_tool_use_quality_v1": 0.5}, "has no rubrics"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_gate_that_nothing_reaches_is_an_error(criteria: Any, said: str) -> None:
    found, told = read(criteria)
    assert len(told) == 1
    assert told[0].startswith("error")
    assert said in told[0]
    assert found == Criteria()


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ({"hallucinations_v1": 0.0}, "hallucinations_v1: a minimum of 0 can never fail"),
        ({"safety_v1": {"threshold": 0.0}}, "safety_v1: a minimum of 0 can never fail"),
        ({"tool_trajectory_avg_score": -1}, "a minimum of -1 can never fail"),
        ({"response_evaluation_score": 1}, "every score is at least 1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_gate_that_nothing_fails_is_no_gate(criteria: Any, said: str) -> None:
    """SRER-04: a threshold of 0.0 accepts every score, whatever its document says of it."""
    found, told = read(criteria)
    assert len(told) == 1
    assert told[0].startswith("warning")
    assert said in told[0]
    assert found == Criteria()


def test_what_only_a_model_can_judge_is_told_and_decides_nothing() -> None:
    found, told = read({"final_response_match_v2": {"threshold": 0.6}, "safety_v1": 0.8})
    assert found == Criteria()
    assert ["a model's judgement" in each for each in told] == [True, True]
