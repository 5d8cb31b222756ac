from harness.checks.table import check
from harness.model import Evidence, ForbiddenEvidence
from tests.harness.records import record, reply


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


def test_without_a_reply_nothing_is_decided() -> None:
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
