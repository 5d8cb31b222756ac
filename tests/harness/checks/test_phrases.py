from typing import Any

import pytest

from harness.checks.registry import check
from harness.model import (
    Evidence,
    Expectation,
    ForbiddenEvidence,
    TextContains,
    TextLacks,
    TextMatches,
)
from tests.harness.records import record, reply

REPLY = record("The policy limit is 5.", "Wait an hour.")


@pytest.mark.parametrize(
    ("expectation", "reason", "numbers"),
    [
        (TextContains(needles=("policy_limit", "hour", "quota")), "the reply lacks 'quota'",
         {"missing": ["quota"], "found": 2, "of": 3}),
        (TextContains(needles=("quota", "hour"), match="any"), "",
         {"missing": ["quota"], "found": 1, "of": 2}),
        (TextContains(needles=("quota", "day"), match="any"),
         "the reply has none of 'quota', 'day'",
         {"missing": ["quota", "day"], "found": 0, "of": 2}),
        (TextContains(needles=("hours",)), "", {"missing": [], "found": 1, "of": 1}),
        (TextContains(needles=("hours",), exact=True), "the reply lacks 'hours'",
         {"missing": ["hours"], "found": 0, "of": 1}),
        (TextContains(turn=1, needles=("hour",)), "the reply lacks 'hour'",
         {"missing": ["hour"], "found": 0, "of": 1}),
        (TextContains(turn=2, needles=("hour",)), "", {"missing": [], "found": 1, "of": 1}),
        (TextLacks(needles=("hour", "day", "wait")),
         "the reply holds 'hour', 'wait', which it must not", {"found": ["hour", "wait"]}),
        (TextLacks(needles=("day",)), "", {"found": []}),
        (TextLacks(needles=("hours",)), "the reply holds 'hours', which it must not",
         {"found": ["hours"]}),
        (TextLacks(needles=("hours",), exact=True), "", {"found": []}),
        (TextMatches(patterns=(r"LIMIT is \d",)), "", {"missing": [], "found": 1, "of": 1}),
        (TextMatches(patterns=("hour", "x$")), "the reply lacks 'x$'",
         {"missing": ["x$"], "found": 1, "of": 2}),
        (TextMatches(patterns=("x", "hour"), match="any"), "",
         {"missing": ["x"], "found": 1, "of": 2}),
        (Evidence(markers=("5", "OU", "connector")), "missing evidence: 'OU', 'connector'",
         {"missing": ["OU", "connector"], "found": 1, "of": 3}),
        (Evidence(markers=("5", "policies limits")), "missing evidence: 'policies limits'",
         {"missing": ["policies limits"], "found": 1, "of": 2}),
        (Evidence(markers=("hours",)), "", {"missing": [], "found": 1, "of": 1}),
        (Evidence(markers=("hours",), exact=True), "missing evidence: 'hours'",
         {"missing": ["hours"], "found": 0, "of": 1}),
        (ForbiddenEvidence(markers=("hours", "day", "limit")),
         "forbidden 'hours' in 'Wait an hour.'; forbidden 'limit' in 'The policy limit is 5.'",
         {"found": ["hours", "limit"], "sentences": ["Wait an hour.", "The policy limit is 5."]}),
        (ForbiddenEvidence(markers=("hours", "day"), exact=True), "",
         {"found": [], "sentences": []}),
    ],
)  # fmt: skip
def test_what_is_found_and_what_is_not_is_told(
    expectation: Expectation, reason: str, numbers: dict[str, Any]
) -> None:
    """CEP-48, CEP-55, CEPR-02, CEPR-03"""
    found = check(REPLY, expectation)
    assert found.status == ("fail" if reason else "pass")
    assert (found.reason, found.numbers) == (reason, numbers)


def test_a_pattern_that_explodes_elsewhere_takes_no_time() -> None:
    assert check(record("a" * 50_000 + "!"), TextMatches(patterns=("^(a+)+$",))).status == "fail"


def test_a_pattern_that_is_none_is_the_cases_fault() -> None:
    found = check(REPLY, TextMatches(patterns=("(?=a",)))
    assert found.status == "not_evaluated"
    assert "cannot be used" in found.reason


@pytest.mark.parametrize(
    ("expectation", "of_empty"),
    [
        (TextContains(needles=("a",)), "fail"),
        (TextMatches(patterns=("a",)), "fail"),
        (Evidence(markers=("a",)), "fail"),
        (TextLacks(needles=("a",)), "not_evaluated"),
        (ForbiddenEvidence(markers=("a",)), "not_evaluated"),
    ],
)
def test_without_a_reply_nothing_is_decided_and_an_empty_one_is_not_praised_for_what_it_lacks(
    expectation: Expectation, of_empty: str
) -> None:
    in_turn = expectation.model_copy(update={"turn": 2})
    for asked, of in ((expectation, ""), (in_turn, " in turn 2")):
        found = check(record(), asked)
        assert (found.status, found.reason) == (
            "not_evaluated",
            f"the agent gave no reply{of} to look at",
        )
    assert check(record(""), expectation).status == of_empty


@pytest.mark.parametrize(
    "expectation",
    [
        TextContains(needles=("limit", " ")),
        TextLacks(needles=("day", " ")),
        Evidence(markers=("limit", " ")),
        ForbiddenEvidence(markers=("day", " ")),
        ForbiddenEvidence(markers=("day",), unless=(" ",)),
    ],
)
def test_a_blank_phrase_decides_nothing(expectation: Expectation) -> None:
    found = check(REPLY, expectation)
    assert (found.status, found.reason) == (
        "not_evaluated",
        "' ' in the case is blank: nothing to look for",
    )


def test_wording_may_vary() -> None:
    """CEP-03, CEPR-07: no exact text is needed."""
    for text in ("The POLICY LIMIT was hit.", "policy-limit: hit", "It hit its policy_limit!"):
        assert check(record(text), Evidence(markers=("policy limit", "hit"))).status == "pass"


def test_evidence_may_stand_in_the_structured_answer() -> None:
    trial = record(reply("See below.", metadata={"evidence": ["event DLP-7"]}))
    assert check(trial, Evidence(markers=("DLP-7",))).status == "pass"


def test_a_warning_is_not_advice() -> None:
    expectation = ForbiddenEvidence(markers=("disable DLP",), unless=("do not", "never"))
    assert check(record("Do not disable DLP."), expectation).status == "pass"
    assert check(record("Do not wait. Disable DLP."), expectation).status == "fail"
    assert check(record("Never disable DLP. Disable DLP."), expectation).status == "fail"


def test_forbidden_evidence_is_found_in_the_structured_answer_too() -> None:
    trial = record(reply("Done.", metadata={"nextSteps": ["disable DLP"]}))
    assert check(trial, ForbiddenEvidence(markers=("disable DLP",))).status == "fail"


def test_sentences_of_more_than_160_characters_are_shortened() -> None:
    words = "x " * 79
    for text, quoted in (
        (words + "ab", words + "ab"),
        (words + "abc", words + "a…"),
    ):
        found = check(record(text), ForbiddenEvidence(markers=("x",)))
        assert found.numbers["sentences"] == [quoted]


def test_a_flood_of_excused_mentions_takes_no_time() -> None:
    flood = record("never disable dlp " * 20_000)
    expectation = ForbiddenEvidence(markers=("disable dlp",), unless=("never",))
    assert check(flood, expectation).status == "pass"
