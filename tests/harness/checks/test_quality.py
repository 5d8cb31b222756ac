from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.checks.quality import SYNONYMS, rouge_1, token_f1
from harness.checks.registry import check
from harness.model import Reference, Rubric, Signals
from harness.verdicts.decisions import decide_trial
from tests.harness.records import case, record, reply

WORDS = ("configur", "policy", "next")
LONG = "x" * 60


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (f"Reconfigured the POLICY. {LONG}", True),
        (f"The policy, and policies again. {LONG}", False),
        ("Next: configure the policy.", False),
        (f"policy next{'x' * 39}", True),
        (f"policy next{'x' * 38}", False),
        (f"policy next{'x' * 37}\U0001f600", True),
        ("", False),
    ],
    ids=["enough", "one word twice", "short", "just long", "just short", "two units", "empty"],
)
def test_an_answer_is_long_enough_and_has_enough_of_the_words(text: str, *, passes: bool) -> None:
    found = check(record(reply(text)), Signals(words=WORDS))
    assert (found.status == "pass") == passes
    assert found.reason.startswith("" if passes else "hardly an answer: ")


def test_a_structured_reply_is_an_answer() -> None:
    structured = record(reply("", metadata={"diagnosis": "x"}))
    assert check(structured, Signals(words=WORDS)).status == "pass"


def test_replies_to_several_turns_count_together() -> None:
    several = record(reply(f"The policy {LONG}"), reply("is next"))
    assert check(several, Signals(words=WORDS)).status == "pass"
    second = record(reply("x", turn=1), reply(f"The policy {LONG}", turn=2))
    assert check(second, Signals(words=WORDS, turn=2)).status == "fail"
    structured = record(reply("a", metadata={}), reply("b", metadata={}))
    assert check(structured, Signals(words=WORDS)).status == "fail"


def test_what_is_missing_is_said() -> None:
    found = check(record(reply("Next?")), Signals(words=WORDS))
    assert found.reason == (
        "hardly an answer: 5 characters, at least 50 wanted; 1 of the words that answers have, at"
        " least 2 wanted"
    )
    assert found.numbers["found"] == ["next"]


@pytest.mark.parametrize("wrong", [{"words": ()}, {"min_words": 0}, {"min_length": -1}])
def test_what_nothing_could_meet_or_fail_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Signals.model_validate({"words": WORDS, **wrong})


def test_without_a_reply_nothing_is_decided() -> None:
    assert check(record(), Signals(words=WORDS)).status == "not_evaluated"


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


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("a b", "A, b!", 1.0, id="equal"),
        pytest.param("a b", "c d", 0.0, id="disjoint"),
        pytest.param("a a a", "a", 0.5, id="repeats-count"),
        pytest.param("", "", 0.0, id="nothing"),
        pytest.param("設定を確認", "設定の確認", 0.8, id="by-character"),
    ],
)
def test_similarity(one: str, other: str, expected: float) -> None:
    assert token_f1(one, other) == expected


def test_the_last_reply_is_compared() -> None:
    """CEPR-05: the reference response is used."""
    expectation = Reference(text="check the OU", min_similarity=0.5)
    assert check(record("Hm.", "Check the OU."), expectation).status == "pass"
    found = check(record("No idea."), expectation)
    assert found.reason == "similarity 0 with the reference, at least 0.5 expected"
    assert found.numbers == {"similarity": 0.0, "min_similarity": 0.5}
    assert check(record(), expectation).status == "not_evaluated"


@pytest.mark.parametrize(
    ("said", "least", "status"),
    [
        pytest.param("a b c d e", 0.8, "pass", id="at-the-threshold"),
        pytest.param("a b c d e", 0.80004, "fail", id="not-rounded-up-to-it"),
        pytest.param("A, B. c! (d) e?", 0.8, "pass", id="signs-do-not-count"),
    ],
)
def test_a_threshold_is_held_to_the_digit(said: str, least: float, status: str) -> None:
    wanted = Reference(text="a b c d f", min_similarity=least, measure="rouge1")
    assert check(record(said), wanted).status == status


def test_a_similarity_below_the_threshold_is_not_shown_as_reaching_it() -> None:
    wanted = Reference(text="a b c", min_similarity=0.6667)
    found = check(record("a b d"), wanted)
    assert (found.status, found.reason.split()[1]) == ("fail", "0.6666666666666666")


def test_rouge_counts_stems_of_words_that_are_long_enough() -> None:
    assert rouge_1("pools exhausted", "pool exhausting") == 1
    assert rouge_1("ids", "id") == 0
    assert rouge_1("", "id") == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) == token_f1(other, one) <= 1
