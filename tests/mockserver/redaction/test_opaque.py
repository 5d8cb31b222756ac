"""Pseudonyms of what a machine made."""

import re

import pytest

from mockserver.redaction.pseudonyms import (
    Pseudonyms,
    api_key,
    client_secret,
    etag,
    hexadecimal,
    opaque,
    prefixed_token,
    private_key,
    uuid,
    vendor_token,
)

KEY_TEXT = "-----BEGIN RSA PRIVATE KEY-----{0}MIIEow{0}abc{0}-----END RSA PRIVATE KEY-----{0}"


def test_equal_values_are_equal_whatever_field_they_are_in(source: Pseudonyms) -> None:
    assert opaque(source, "device", "a1b2") == opaque(source, "serial", "a1b2")
    assert opaque(source, "device", "a1b2")[-16:] == opaque(source, "password", "a1b2")[-16:]


def test_the_pseudonym_of_a_credential_says_so(source: Pseudonyms) -> None:
    assert opaque(source, "password", "x").startswith("redacted-secret-")
    assert opaque(source, "device", "x").startswith("redacted-id-")


@pytest.mark.parametrize(
    ("make", "value", "form"),
    [
        (api_key, "AIza" + "a" * 35, r"AIzaRedacted[0-9a-f]{27}"),
        (api_key, "other", r"redacted-secret-[0-9a-f]{16}"),
        (client_secret, "GOCSPX-abcdefghijkl", r"GOCSPX-redacted-[0-9a-f]{16}"),
        (vendor_token, "ghp_" + "a" * 36, r"ghp_Redacted0[0-9a-f]{15}"),
        (vendor_token, "AKIAABCDEFGHIJKLMNOP", r"AKIARedacted0[0-9a-f]{15}"),
        (vendor_token, "0a", r"key-Redacted0[0-9a-f]{15}"),
        (hexadecimal, "D41D8CD98F00B204E9800998ECF8427E", r"0{8}[0-9A-F]{24}"),
        (hexadecimal, "no hash", r"redacted-id-[0-9a-f]{16}"),
        (uuid, "550e8400-e29b-41d4-a716-446655440000", r"0{8}-.{4}-4.{3}-a.{3}-.{12}"),
        (uuid, "550E8400-E29B-11D4-B716-446655440000", r"0{8}-[^a-z]{4}-1.{3}-B.{3}-[^a-z]{12}"),
        (etag, 'W/"abc"', r'W/"redacted-id-[0-9a-f]{16}"'),
        (private_key, KEY_TEXT.format("\n"), r"(?s)-----BEGIN PRIVATE KEY-----\nredacted-.*-\n"),
        (private_key, KEY_TEXT.format("\\n"), r"-----BEGIN PRIVATE KEY-----\\n.*-\\n"),
        (private_key, "MIIEow", r"redacted-secret-[0-9a-f]{16}"),
    ],
)  # fmt: skip
def test_the_shape_stays(source: Pseudonyms, make: object, value: str, form: str) -> None:
    assert callable(make)
    made = make(source, value)
    assert re.fullmatch(form, made)
    assert make(source, made) == made


def test_a_token_keeps_its_beginning(source: Pseudonyms) -> None:
    made = prefixed_token(source, "ya29.", "ya29.a0Af")
    assert made.startswith("ya29.redacted-")
    assert prefixed_token(source, "ya29.", made) == made


@pytest.mark.parametrize("kept", ['"*"', "*", '""'])
def test_an_etag_of_nothing_stays(source: Pseudonyms, kept: str) -> None:
    assert etag(source, kept) == kept
