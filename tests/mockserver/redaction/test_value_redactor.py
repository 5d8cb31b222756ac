"""What stands in for a text."""

import pytest

from mockserver.model import Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.rule import Rule
from mockserver.redaction.value_redactor import RecordedPseudonyms, ValueRedactor


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password=hunter2x", "password="),
        ("Authorization: Bearer abcd1234efgh", "Authorization: Bearer "),
        ("error: invalid token: expired", "error: invalid token: expired"),
        ("uses Basic authentication here", "uses Basic authentication here"),
        ("cookie: sid=abc123def", "cookie: sid="),
        ("api_key='abc123def456'", "api_key='"),
    ],
)
def test_assignments_in_a_text(redactor: Redactor, text: str, kept: str) -> None:
    made = redactor.redact_text(text)
    assert kept in made
    assert redactor.redact_text(made) == made
    assert "abc123" not in made
    assert "hunter2x" not in made


def test_an_assigned_value_is_what_it_is(redactor: Redactor) -> None:
    key = "AIza" + "a1" * 17 + "b"
    assert redactor.redact_text(f"api_key={key}") == f"api_key={redactor.redact_text(key)}"


def test_json_in_a_text_in_json_is_opened(redactor: Redactor) -> None:
    made = redactor.redact_json({"payload": '{"inner": "{\\"password\\": \\"hunter2\\"}"}'})
    assert "hunter2" not in str(made)


def test_a_text_that_only_looks_like_json_is_a_text(redactor: Redactor) -> None:
    assert redactor.redact_text("[see ada@corp.io]").startswith("[see user-")


def test_a_name_before_an_address_is_one(redactor: Redactor) -> None:
    made = redactor.redact_json({"email": '"Ada Berg" <ada@corp.io>'})
    assert "Ada" not in str(made)
    assert redactor.redact_json(made) == made
    assert redactor.redact_json({"email": "none given"}) == {"email": "none given"}


def test_a_resource_name_in_an_id_field_stays_one(redactor: Redactor) -> None:
    assert redactor.redact_json({"projectId": "projects/my-proj"}) == {
        "projectId": redactor.redact_text("projects/my-proj")
    }
    assert redactor.redact_json({"projectId": "projects/-"}) == {"projectId": "projects/-"}


def test_judging_much_forgets_and_still_judges(
    values: ValueRedactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.redaction.value_redactor._REMEMBERED", 100)
    monkeypatch.setattr("mockserver.redaction.value_redactor._MOST_VALUES", 1)
    rule = Rule("a", "device", ("a",))
    for number in range(9):
        assert "@corp" not in values.redact_text(f"mail{number} ada{number}@corp.io " + "x" * 30)
        assert values.redact_value(rule, f"dev-{number}x").startswith("redacted-id-")
        assert values.applies_to_object(
            Rule("b", "b", ("a",), beside=("mail",)), ("Mail", str(number))
        )
        assert not values.applies_to_object(
            Rule("c", "b", ("a",), apart=("mail",)), ("Mail", str(number))
        )


def test_odd_characters_stay(redactor: Redactor) -> None:
    for text in ("a\0b ada@corp.io", "\ud800 ada@corp.io", "é\u2028ada@corp.io"):
        made = redactor.redact_text(text)
        assert "ada@" not in made
        assert redactor.redact_text(made) == made
    assert redactor.redact_json({"\ud800": "ada@corp.io"}) != {"\ud800": "ada@corp.io"}


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
