from base64 import urlsafe_b64decode
from functools import partial

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import make_id_token, make_jwt, read_jwt, signing_key


def test_there_is_one_key_for_the_life_of_the_process() -> None:
    assert signing_key() is signing_key()
    assert len(signing_key().id) == 40


def test_a_signature_is_of_its_content() -> None:
    key = signing_key()
    signature = key.sign(b"content")
    assert key.has_signed(b"content", signature)
    assert not key.has_signed(b"other", signature)
    assert not key.has_signed(b"content", b"")


def test_all_forms_are_of_the_same_key() -> None:
    key = signing_key()
    private = load_pem_private_key(key.pem.encode(), password=None)
    assert isinstance(private, rsa.RSAPrivateKey)
    public = private.public_key()
    certificate = x509.load_pem_x509_certificate(key.certificate.encode())
    assert certificate.public_key() == public
    modulus = urlsafe_b64decode(key.jwk["n"] + "==")
    assert int.from_bytes(modulus, "big") == public.public_numbers().n
    assert key.jwk["kid"] == key.id


def test_what_is_made_is_read_and_known_as_ours() -> None:
    read = read_jwt(make_jwt({"sub": "a"}))
    assert read is not None
    assert read.claims == {"sub": "a"}
    assert read.header == {"alg": "RS256", "kid": signing_key().id, "typ": "JWT"}
    assert read.is_ours


def test_changed_claims_are_not_ours() -> None:
    header, _, signature = make_jwt({"sub": "a"}).split(".")
    other = make_jwt({"sub": "b"}).split(".")[1]
    read = read_jwt(f"{header}.{other}.{signature}")
    assert read is not None
    assert (read.claims["sub"], read.is_ours) == ("b", False)


@pytest.mark.parametrize("signature", ["", "x", "é", "c2ln"])
def test_a_signature_that_is_none_is_not_ours(signature: str) -> None:
    token = make_jwt({"sub": "a"}).rpartition(".")[0]
    read = read_jwt(f"{token}.{signature}")
    assert read is not None
    assert not read.is_ours


@pytest.mark.parametrize("token", ["", "a.b.c", "é.b.c", "e30.e30", "e30.W10.x", "W10.e30.x"])
def test_what_is_no_jwt_is_not_read(token: str) -> None:
    assert read_jwt(token) is None


def test_an_id_token_tells_who_an_account_is() -> None:
    make = partial(make_id_token, audience="a", address="robot@example.com", account_id="123")
    read = read_jwt(make(issued=1000, email=True))
    assert read is not None
    assert read.claims == {
        "aud": "a",
        "azp": "123",
        "email": "robot@example.com",
        "email_verified": True,
        "exp": 4600,
        "iat": 1000,
        "iss": "https://accounts.google.com",
        "sub": "123",
    }
    short = read_jwt(make(issued=1000, email=False))
    assert short is not None
    assert "email" not in short.claims


@given(st.text())
def test_no_text_is_taken_for_a_jwt_of_ours(text: str) -> None:
    for token in (text, f"e30.e30.{text}", f"{text}.e30.x"):
        read = read_jwt(token)
        assert read is None or not read.is_ours
