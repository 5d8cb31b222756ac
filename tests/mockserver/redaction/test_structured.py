"""Credentials with a form of their own."""

import json
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode

import pytest

from mockserver.redaction import Redactor


@pytest.mark.parametrize("scheme", ["Bearer", "token", "AWS4-HMAC-SHA256", "SAPISIDHASH"])
def test_the_scheme_stays(redactor: Redactor, scheme: str) -> None:
    made = redactor.redact_header("Authorization", f"{scheme} abc123")
    assert made.startswith(f"{scheme} redacted-secret-")
    assert redactor.redact_header("Authorization", made) == made


def test_basic_is_opened(redactor: Redactor) -> None:
    value = "Basic " + b64encode(b"ada:hunter2").decode()
    made = redactor.redact_header("Authorization", value)
    user, _, password = b64decode(made.removeprefix("Basic ")).decode().partition(":")
    assert user.startswith("redacted-secret-")
    assert password.startswith("redacted-secret-")
    assert redactor.redact_header("Authorization", made) == made
    assert redactor.redact_header("Authorization", "Basic ???") != "Basic ???"


def test_a_token_is_the_same_in_a_header_and_in_a_field(redactor: Redactor) -> None:
    body = redactor.redact_json({"access_token": "tok-12345"})
    assert isinstance(body, dict)
    assert (
        redactor.redact_header("Authorization", "Bearer tok-12345")
        == f"Bearer {body['access_token']}"
    )


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("Cookie", "sid=abc-123; theme=\"dark-7\"; flag=", ["sid=", "theme=\"", "flag="]),
        ("Set-Cookie", "SID=abc-123; Path=/x; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly",
         ["SID=", "Path=/x", "Expires=Wed, 21 Oct 2026 07:28:00 GMT", "HttpOnly"]),
        ("Cookie", "loose-value-1", []),
    ],
    ids=["cookie", "set-cookie", "loose"],
)  # fmt: skip
def test_names_and_attributes_of_cookies_stay(
    redactor: Redactor, name: str, value: str, kept: list[str]
) -> None:
    made = redactor.redact_header(name, value)
    assert all(piece in made for piece in kept)
    assert "abc-123" not in made
    assert "dark-7" not in made
    assert "loose-value-1" not in made
    assert redactor.redact_header(name, made) == made


def _jwt(claims: dict[str, object]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT"}, claims)]
    coded = [urlsafe_b64encode(part).decode().rstrip("=") for part in (*parts, b"signed")]
    return ".".join(coded)


def _claims(token: str) -> object:
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_a_jwt_can_still_be_read(redactor: Redactor) -> None:
    token = _jwt({"email": "ada@corp.io", "iat": 1700000000, "scope": "a b"})
    made = redactor.redact_text(f"got {token}.").removeprefix("got ").removesuffix(".")
    assert _claims(made) == {
        "email": redactor.redact_text("ada@corp.io"),
        "iat": 1700000000,
        "scope": "a b",
    }
    assert made.split(".")[2] != token.split(".")[2]
    assert redactor.redact_text(made) == made


def test_a_jwt_is_the_same_in_a_field(redactor: Redactor) -> None:
    token = _jwt({"sub": "ada@corp.io"})
    assert redactor.redact_json({"id_token": token}) == {"id_token": redactor.redact_text(token)}
    assert (
        redactor.redact_header("Authorization", f"Bearer {token}")
        == f"Bearer {redactor.redact_text(token)}"
    )


def test_what_only_looks_like_a_jwt_loses_its_signature(redactor: Redactor) -> None:
    made = redactor.redact_text("eyJhbGciOi.xx.c2lnbmF0dXJl")
    assert "c2lnbmF0dXJl" not in made
    assert redactor.redact_text(made) == made
