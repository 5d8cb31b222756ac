"""What a suite states in clear stays so in its recordings, unless it opens something."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Interaction, Json, RecordedRequest, RecordedResponse
from mockserver.redaction import InteractionSanitizer, Redactor, RuleSet, StatedValues, texts_of

KEY = b"a key of tests"
TOKEN = "ghp_016C7aZ9xQeRtYuIoPlKjHgFdSaZxCv2BnM4"
RANDOM = "Zx8Qp0vN3rT6yB1kM9wL4sD7"
PROMPT = (
    "Book EX102 for Ada Lovelace, ada@lovelace-mail.io, card 4111 1111 1111 1111."
    f" password: plum-Quartz#77, token {TOKEN}, and {RANDOM}"
)
TOLD = {"name": "Ada Lovelace", "email": "ada@lovelace-mail.io", "full_name": "Bea Stranger"}


def kept(stated: str, *, copied: bool = False) -> tuple[str, Interaction]:
    redactor = Redactor(RuleSet.default(), KEY, StatedValues([stated]))
    if copied:
        redactor = pickle.loads(pickle.dumps(redactor.new_instance()))
    headers = (("content-type", "application/json"),)
    body = json.dumps({"prompt": PROMPT, "passenger": TOLD}).encode()
    given = Interaction(
        RecordedRequest("POST", "https://api.example.com/v1/a", headers, body),
        RecordedResponse(200, "OK", headers, body),
    )
    made = InteractionSanitizer(redactor).sanitize(given)
    return (made.request.body + made.response.body).decode(), made


@pytest.mark.parametrize("copied", [False, True])
def test_what_is_stated_stays_and_credentials_never_do(copied: bool) -> None:
    text, made = kept(PROMPT, copied=copied)
    for value in ("Ada Lovelace", "ada@lovelace-mail.io", "4111 1111 1111 1111"):
        assert text.count(value) >= 2
    for secret in (TOKEN, "plum-Quartz#77", RANDOM, "Bea Stranger"):
        assert secret not in text
    assert {each["kind"] for each in made.review} == {"random"}


def test_what_is_not_stated_is_replaced() -> None:
    text, _ = kept("Book EX102 for Ada Lovelaces, and for bada@lovelace-mail.io.")
    assert "Lovelace" not in text
    assert "ada@" not in text


def test_a_stated_value_that_is_a_password_elsewhere_is_replaced_everywhere() -> None:
    redactor = Redactor(RuleSet.default(), KEY, StatedValues(["serial AB12-CD34-EF56"]))
    assert redactor.redact_json({"serialNumber": "AB12-CD34-EF56"}) == {
        "serialNumber": "AB12-CD34-EF56"
    }
    redactor.redact_json({"password": "AB12-CD34-EF56"})
    told: Json = {"note": "AB12-CD34-EF56", "serialNumber": "AB12-CD34-EF56"}
    assert "AB12" not in str(redactor.redact_json(told))


@given(st.text("ab1 .", max_size=12), st.text("ab1.", max_size=4))
def test_a_value_is_stated_where_it_stands_between_words(text: str, value: str) -> None:
    framed = f" {text} "
    places = [at for at in range(len(framed)) if value and framed.startswith(value, at)]
    ends = [(framed[at - 1 : at + 1], framed[at + len(value) - 1 :][:2]) for at in places]
    apart = [not before.isalnum() and not after.isalnum() for before, after in ends]
    assert (value in StatedValues([text])) == any(apart)


def test_names_of_members_and_numbers_are_texts() -> None:
    value = {"a": [1, None, True, {"b": "c"}]}
    assert list(texts_of(value)) == ["a", "1", "b", "c"]
    assert "1" not in StatedValues()
