"""What stands in for a text."""

import pytest

from mockserver.redaction import Redactor
from mockserver.redaction.rule import Rule
from mockserver.redaction.value_redactor import ValueRedactor


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
