"""Raw values that a recording holds the pseudonym of."""

import pytest

from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.value_redactor import RecordedPseudonyms

JSON = (("Content-Type", "application/json"),)


@pytest.mark.parametrize("raw", ["dev-77x", "104711471147", "hunter2x"])
def test_a_request_for_what_only_an_answer_told_of_is_known_again(raw: str) -> None:
    live = RecordedRequest("GET", f"https://h.io/v1/things/{raw}/parts?ref={raw}")
    answer = RecordedResponse(200, "", JSON, b'{"serialNumber": "%b"}' % raw.encode())
    recorded = (
        Redactor(RuleSet.default(), b"k").redact_interaction(Interaction(live, answer)).request
    )
    assert raw not in recorded.url
    replay = Redactor(RuleSet.default(), b"k")
    assert replay.redact_request(recorded) == recorded
    assert replay.redact_request(live) == recorded
    assert Redactor(RuleSet.default(), b"other").redact_request(live) == live


def test_words_that_nothing_recorded_stay(source: Pseudonyms) -> None:
    recognised = RecordedPseudonyms(source)
    assert recognised.replace_recorded("dev-77x") == "dev-77x"
    recognised.record(f"/x/{source.of('device', 'dev-77x')}/{source.of('person_name', 'Berg')}")
    assert recognised.replace_recorded("/v1/dev-78x/abc") == "/v1/dev-78x/abc"
    assert recognised.replace_recorded("dev-77x") == source.of("device", "dev-77x")
    assert (
        recognised.replace_recorded("Ms Berg, Ann") == f"Ms {source.of('person_name', 'Berg')}, Ann"
    )


def test_many_words_are_forgotten(source: Pseudonyms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.redaction.value_redactor._MOST", 2)
    recognised = RecordedPseudonyms(source)
    recognised.record(source.of("device", "dev-77x"))
    made = recognised.replace_recorded("word1 word2 word3 dev-77x word4")
    assert made == f"word1 word2 word3 {source.of('device', 'dev-77x')} word4"
