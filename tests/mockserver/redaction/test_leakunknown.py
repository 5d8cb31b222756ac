from dataclasses import replace

import pytest

from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.unknown_secrets import UnknownSecrets

RULES = RuleSet.default()
UNKNOWN = UnknownSecrets(RULES)
SAMPLES = {
    "email": "mail ann.lovelace@corp.io now",
    "api_key": "key AIzaSyA1234567890abcdefghijklmnopqrstuv end",
    "access_token": "use ya29.a0AfH6SMBx-12345 here",
    "card": "card 4111 1111 1111 1111 used",
    "ipv4": "from 10.20.30.40 at",
    "jwt": "t eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl x",
    "assigned": 'password="hunter2hunter2"',
    "random": "value Zx8Qp0vN3rT6yB1kM9wL4sD7 end",
    "aws_access_key": "id AKIA" + "IOSFODNN7EXAMPLZ end",
}


@pytest.mark.parametrize("kind", SAMPLES, ids=str)
def test_what_looks_like_a_secret_is_found(kind: str) -> None:
    assert kind in {found.kind for found in UNKNOWN.find(SAMPLES[kind].encode())}


@pytest.mark.parametrize("kind", sorted(SAMPLES.keys() - {"random"}), ids=str)
def test_a_pseudonym_is_no_finding(kind: str) -> None:
    redacted = Redactor(RULES, b"key").redact_text(SAMPLES[kind])
    assert redacted != SAMPLES[kind]
    assert list(UNKNOWN.find(redacted.encode())) == []


@pytest.mark.parametrize(
    "text",
    ["ann@example.com", "192.0.2.7", "10.1.2.300", "4111 1111 1111 1112", "token: [redacted]"],
)
def test_what_stands_for_nobody_is_no_finding(text: str) -> None:
    assert list(UNKNOWN.find(text.encode())) == []


def test_what_is_allowed_is_no_finding() -> None:
    allowing = UnknownSecrets(replace(RULES, allow=(r"[a-z]+@corp\.io", "[A-Za-z0-9]{24}")))
    assert list(allowing.find(b"ann@corp.io Zx8Qp0vN3rT6yB1kM9wL4sD7")) == []
    assert [found.kind for found in allowing.find(b"ann.l@corp.io")] == ["email"]


def test_a_judgement_is_remembered() -> None:
    text = b"ann@corp.io ann@corp.io"
    assert [found.start for found in UNKNOWN.find(text) if found.kind == "email"] == [0, 12]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Basic cmVkYWN0ZWQtc2VjcmV0LWM0ZGVhMzc4MjMxZGU4M2E6", id="basic"),
        pytest.param("refresh_token=1%2F%2Fredacted-14b0ff565f57fa14&x=1", id="form"),
        pytest.param(
            "postgresql://redacted-secret-c4dea378231de83a:redacted-secret-9b4cb009f5d747c1"
            "@db.corp.io:5432/reports",
            id="a URL's password",
        ),
        pytest.param(
            "X-Goog-Signature=00000000e452e35a28269fc6a0aadb0e8f73b0d6d0768498", id="assigned"
        ),
    ],
)
def test_a_pseudonym_is_no_finding_however_it_is_coded(text: str) -> None:
    assert list(UNKNOWN.find(text.encode())) == []


def test_what_parts_the_parts_of_a_message_is_no_finding() -> None:
    boundary = "9eda6228-472c-780e-f720-6a47f2579271"
    text = f"content-type: multipart/form-data; boundary={boundary}\n--{boundary}--"
    assert list(UnknownSecrets(RULES).find(text.encode())) == []
    assert [found.kind for found in UnknownSecrets(RULES).find(boundary.encode())] == ["uuid"]


def test_credentials_and_their_coding_are_found_beside_pseudonyms() -> None:
    for text in ("Basic cmVwb3J0aW5nOnRyMG1ib25lLVF1YXJyeS04MQ==", "postgresql://bob:pass99@a.io"):
        assert list(UNKNOWN.find(text.encode()))
