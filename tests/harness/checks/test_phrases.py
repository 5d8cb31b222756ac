import pytest

from harness.checks.registry import check
from harness.model import Evidence, ForbiddenEvidence, TextContains, TextLacks, TextMatches
from tests.harness.records import record, reply

REPLY = record("The policy limit is 5.", "Wait an hour.")


def test_all_phrases_must_be_there() -> None:
    found = check(REPLY, TextContains(needles=("policy_limit", "hour", "quota")))
    assert found.status == "fail"
    assert found.reason == "the reply lacks 'quota'"
    assert found.numbers == {"missing": ["quota"], "found": 2, "of": 3}


def test_any_phrase_is_enough_when_asked_so() -> None:
    assert check(REPLY, TextContains(needles=("quota", "hour"), match="any")).status == "pass"
    found = check(REPLY, TextContains(needles=("quota", "day"), match="any"))
    assert found.reason == "the reply has none of 'quota', 'day'"


def test_a_turn_is_held_to_its_own_reply() -> None:
    """CEPR-03: turn assertions look at that turn only."""
    assert check(REPLY, TextContains(turn=1, needles=("hour",))).status == "fail"
    assert check(REPLY, TextContains(turn=2, needles=("hour",))).status == "pass"


def test_forbidden_phrases_are_named() -> None:
    found = check(REPLY, TextLacks(needles=("hour", "day")))
    assert (found.status, found.numbers["found"]) == ("fail", ["hour"])
    assert check(REPLY, TextLacks(needles=("day",))).status == "pass"


def test_patterns_ignore_case_and_are_searched() -> None:
    assert check(REPLY, TextMatches(patterns=(r"LIMIT is \d",))).status == "pass"
    assert check(REPLY, TextMatches(patterns=(r"limit is \d\d",))).status == "fail"
    assert check(REPLY, TextMatches(patterns=("x", "hour"), match="any")).status == "pass"


def test_a_pattern_that_explodes_elsewhere_takes_no_time() -> None:
    assert check(record("a" * 50_000 + "!"), TextMatches(patterns=("^(a+)+$",))).status == "fail"


def test_a_pattern_that_is_none_is_the_cases_fault() -> None:
    found = check(REPLY, TextMatches(patterns=("(?=a",)))
    assert found.status == "not_evaluated"
    assert "cannot be used" in found.reason


@pytest.mark.parametrize(
    "expectation",
    [
        pytest.param(TextContains(needles=("a",)), id="contains"),
        pytest.param(TextLacks(needles=("a",)), id="lacks"),
        pytest.param(TextMatches(patterns=("a",)), id="matches"),
    ],
)
def test_without_a_reply_nothing_is_decided(
    expectation: TextContains | TextLacks | TextMatches,
) -> None:
    assert check(record(), expectation).status == "not_evaluated"


def test_an_empty_reply_does_not_pass_for_lacking_things() -> None:
    assert check(record(""), TextLacks(needles=("a",))).status == "not_evaluated"


@pytest.mark.parametrize("kind", [TextContains, TextLacks], ids=["contains", "lacks"])
def test_a_blank_phrase_decides_nothing(kind: type[TextContains | TextLacks]) -> None:
    found = check(REPLY, kind(needles=(" ",)))
    assert (found.status, found.reason) == (
        "not_evaluated",
        "' ' in the case is blank: nothing to look for",
    )


def test_missing_markers_are_listed() -> None:
    """CEP-48, CEP-55: markers not found are listed, and a miss fails the case."""
    found = check(record("Quota 402 was met."), Evidence(markers=("402", "OU", "connector")))
    assert found.status == "fail"
    assert found.reason == "missing evidence: 'OU', 'connector'"
    assert found.numbers == {"missing": ["OU", "connector"], "found": 1, "of": 3}


def test_wording_may_vary() -> None:
    """CEP-03, CEPR-07: no exact text is needed."""
    for text in ("The POLICY LIMIT was hit.", "policy-limit: hit", "It hit its policy_limit!"):
        assert check(record(text), Evidence(markers=("policy limit", "hit"))).status == "pass"


def test_evidence_may_stand_in_the_structured_answer() -> None:
    trial = record(reply("See below.", metadata={"evidence": ["event DLP-7"]}))
    assert check(trial, Evidence(markers=("DLP-7",))).status == "pass"


def test_forbidden_evidence_points_at_the_sentence() -> None:
    """CEPR-02"""
    found = check(record("All fine. Disable DLP now."), ForbiddenEvidence(markers=("disable dlp",)))
    assert found.status == "fail"
    assert found.reason == "forbidden 'disable dlp' in 'Disable DLP now.'"
    assert found.numbers["sentences"] == ["Disable DLP now."]


def test_a_warning_is_not_advice() -> None:
    expectation = ForbiddenEvidence(markers=("disable DLP",), unless=("do not", "never"))
    assert check(record("Do not disable DLP."), expectation).status == "pass"
    assert check(record("Do not wait. Disable DLP."), expectation).status == "fail"
    assert check(record("Never disable DLP. Disable DLP."), expectation).status == "fail"


def test_forbidden_evidence_is_found_in_the_structured_answer_too() -> None:
    trial = record(reply("Done.", metadata={"nextSteps": ["disable DLP"]}))
    assert check(trial, ForbiddenEvidence(markers=("disable DLP",))).status == "fail"


def test_long_sentences_are_shortened() -> None:
    found = check(record("x " * 200), ForbiddenEvidence(markers=("x",)))
    assert len(found.numbers["sentences"][0]) == 160


def test_without_a_reply_no_evidence_is_decided() -> None:
    assert check(record(), Evidence(markers=("a",))).status == "not_evaluated"
    assert check(record(""), Evidence(markers=("a",))).status == "fail"
    assert check(record(""), ForbiddenEvidence(markers=("a",))).status == "not_evaluated"


def test_blank_markers_decide_nothing() -> None:
    assert check(record("a"), Evidence(markers=(" ",))).status == "not_evaluated"
    forbidden = ForbiddenEvidence(markers=("a",), unless=(" ",))
    assert check(record("a"), forbidden).status == "not_evaluated"


def test_a_flood_of_excused_mentions_takes_no_time() -> None:
    flood = record("never disable dlp " * 20_000)
    expectation = ForbiddenEvidence(markers=("disable dlp",), unless=("never",))
    assert check(flood, expectation).status == "pass"
