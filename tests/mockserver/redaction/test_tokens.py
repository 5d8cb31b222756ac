"""Credentials that have parts: what names them stays, and what they hold goes."""

import json
from base64 import b64encode, urlsafe_b64encode

import pytest

from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.readers.tokens import (
    is_jwt,
    redact_authorization,
    redact_cookies,
    redact_jwt,
)


def named(kind: str, value: str) -> str:
    return f"<{kind} {len(value)}>"


def basic(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ("s3cret", "<token 6>"),
        ("Bearer s3cret", "Bearer <token 6>"),
        ("Bearer  two parts", "Bearer  <token 9>"),
        (f"Basic {basic('ada:hunter2')}", f"Basic {basic('<user_info 3>:<password 7>')}"),
        (f"basic {basic('ada:')}", f"basic {basic('<user_info 3>:')}"),
        (f"Basic {basic(':hunter2')}", f"Basic {basic(':<password 7>')}"),
        (f"Basic {basic('ada')}", f"Basic {basic('<user_info 3>')}"),
        (f"Basic {basic('ada:a>?b')}", f"Basic {basic('<user_info 3>:<password 4>')}"),
        (f"Basic {basic(':')}", f"Basic {basic(':')}"),
        ("Basic !", "Basic <token 1>"),
        ("Basic ====", "Basic <token 4>"),
        ("Basic /w==", "Basic <token 4>"),
    ],
)
def test_the_scheme_stays_and_basic_is_opened(value: str, made: str) -> None:
    assert redact_authorization(value, named) == made


def test_what_stays_as_it_is_is_written_as_it_was() -> None:
    plain = basic("ada:a>?b")
    assert "+" in plain or "/" in plain
    assert redact_authorization(f"Basic {plain}", lambda _, value: value) == f"Basic {plain}"


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ("sid=abc; theme=dark", "sid=<cookie 3>; theme=dark"),
        ('sid="abc"; empty=; quoted=""', 'sid="<cookie 3>"; empty=; quoted=""'),
        ("sid=abc; Path=/; Secure; Max-Age=60", "sid=<cookie 3>; Path=/; Secure; Max-Age=60"),
        ("abcdef", "<cookie 6>"),
        (" abcdef ;", " <cookie 6> ;"),
        ("a=b=c", "a=<cookie 3>"),
        ("", ""),
    ],
)
def test_names_and_attributes_of_cookies_stay(value: str, made: str) -> None:
    assert redact_cookies(value, named) == made


def part(value: object) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(text).decode().rstrip("=")


MAKING = Pseudonyms(b"a key of these tests")
HEAD = part({"alg": "HS256"})


def opened(text: bytes) -> bytes | None:
    return text.replace(b"ada", b"eve") if b"ada" in text else None


@pytest.mark.parametrize("claims", [{"sub": "ada"}, ["ada"], {"n": 1}])
def test_claims_are_redacted_and_the_signature_is_nobodys(claims: object) -> None:
    token = f"{HEAD}.{part(claims)}.c2lnbmF0dXJl"
    made = redact_jwt(token, MAKING, opened)
    head, told, signature = made.split(".")
    text = json.dumps(claims).replace("ada", "eve")
    assert (head, told) == (HEAD, part(json.loads(text)))
    assert signature.startswith(part(b"redacted-jwt-")[:16])
    assert is_jwt(made)
    assert redact_jwt(made, MAKING, opened) == made
    other = redact_jwt(f"{HEAD}.{part(claims)}.b3RoZXI", MAKING, opened)
    assert other.split(".")[:2] == [head, told]
    assert other != made


def test_claims_that_are_no_json_are_replaced_as_a_whole() -> None:
    token = f"{part({'kid': 'ada'})}.{part(b'sealed')}.c2ln"
    made = redact_jwt(token, MAKING, opened)
    head, told, _ = made.split(".")
    assert (head, told == part(b"sealed")) == (part({"kid": "eve"}), False)
    assert told.startswith(part(b"redacted-claims-")[:20])
    assert redact_jwt(made, MAKING, opened) == made


@pytest.mark.parametrize(
    ("value", "found"),
    [("eyJhbGciOiJub25lIn0.e30.", True), (f"{HEAD}.e30.x", True), ("eyJ.e30", False),
     ("abc.e30.x", False), (f"{HEAD}.e30.x y", False)],
)  # fmt: skip
def test_a_token_is_known_by_its_shape(value: str, found: bool) -> None:
    assert is_jwt(value) is found
