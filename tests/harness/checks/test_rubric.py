import pytest

from harness.checks.quality import SYNONYMS
from harness.checks.table import check
from harness.model import Rubric
from harness.verdicts.decisions import decide_trial
from tests.harness.records import case, record, reply

CUES = ("diagnosis", "evidence", "next")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        pytest.param("Diagnosis: x. Evidence: y. Next: z.", 3, id="all"),
        pytest.param("The root cause is x. According to the event, y.", 2, id="synonyms"),
        pytest.param("Evidence of it, and more evidence.", 1, id="counted-once"),
        pytest.param("Nothing.", 0, id="none"),
    ],
)
def test_the_score_is_the_number_of_criteria_met(text: str, score: int) -> None:
    """CEP-56, CEP-57: criteria are cues; below `min_score` fails."""
    found = check(record(text), Rubric(min_score=2, criteria=CUES))
    assert found.numbers["score"] == score
    assert found.status == ("pass" if score >= 2 else "fail")


def test_a_rubric_case_is_decided_by_its_score() -> None:
    """CEP-54"""
    asked = case(Rubric(min_score=2, criteria=CUES), mode="rubric")
    statuses = [decide_trial(asked, record(text)).status for text in ("Evidence, next: x", "x")]
    assert statuses == ["pass", "fail"]


def test_the_reason_names_what_is_missing() -> None:
    found = check(record("Evidence: x"), Rubric(min_score=2, criteria=CUES))
    assert found.reason == "rubric score 1 is below 2: no 'diagnosis', 'next'"
    assert found.numbers == {
        "score": 1,
        "min_score": 2,
        "criteria": list(CUES),
        "met": ["evidence"],
        "missing": ["diagnosis", "next"],
    }


def test_synonyms_of_the_case_add_to_ours() -> None:
    """CEPR-08: synonyms are data."""
    expectation = Rubric(min_score=1, criteria=("Scope",), synonyms={"scope": ("target OU",)})
    assert check(record("Check the target OU."), expectation).status == "pass"
    assert check(record("Check it."), expectation).status == "fail"
    assert "root cause" in SYNONYMS["diagnosis"]


def test_fields_of_the_structured_answer_meet_criteria() -> None:
    trial = record(reply("", metadata={"diagnosis": "x", "nextSteps": ["y"], "evidence": []}))
    assert check(trial, Rubric(min_score=3, criteria=CUES)).numbers["met"] == ["diagnosis", "next"]


def test_without_facts_nothing_is_decided() -> None:
    assert check(record(), Rubric(min_score=1, criteria=CUES)).status == "not_evaluated"
    assert check(record("a"), Rubric(min_score=1, criteria=(" ",))).status == "not_evaluated"
