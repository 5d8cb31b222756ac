"""Pseudonyms of numbers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.pseudonyms import (
    Pseudonyms,
    bank_account,
    card,
    digits,
    iban,
    luhn,
    phone,
    tax_number,
    valid_iban,
)


@given(st.from_regex(r"[1-9][0-9]{5,24}", fullmatch=True))
def test_a_number_keeps_its_length(source: Pseudonyms, number: str) -> None:
    made = digits(source, number)
    assert len(made) == len(number)
    assert digits(source, made) == made


def test_what_is_no_number_is_not_one_of_ours(source: Pseudonyms) -> None:
    assert digits(source, "12a") == "12a"


@pytest.mark.parametrize(
    ("given_", "form"),
    [
        ("(212) 867-5309", r"\(\d{3}\) 555-01\d\d"),
        ("212-867-5309", r"\d{3}-555-01\d\d"),
        ("+1 212 867 5309", r"\+1-\d{3}-555-01\d\d"),
        ("+49 170 1234567", r"\+1-\d{3}-555-01\d\d"),
    ],
    ids=["brackets", "dashes", "e164", "abroad"],
)
def test_a_phone_number_is_one_of_fiction(source: Pseudonyms, given_: str, form: str) -> None:
    made = phone(source, given_)
    assert re.fullmatch(form, made)
    assert phone(source, made) == made


def test_writing_does_not_make_another_phone(source: Pseudonyms) -> None:
    assert phone(source, "+49 170 1234567") == phone(source, "+49-170-1234567")


def test_extensions_stay_and_vanity_numbers_are_opaque(source: Pseudonyms) -> None:
    assert phone(source, "n/a") == "n/a"
    assert phone(source, "ext 42").startswith("redacted-")


@pytest.mark.parametrize(
    "number", ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444"]
)
def test_a_card_keeps_form_and_check(source: Pseudonyms, number: str) -> None:
    made = card(source, number)
    assert luhn(re.sub(r"\D", "", made))
    assert len(made) == len(number)
    assert card(source, made) == made != number


def test_a_card_number_of_another_length_is_a_number(source: Pseudonyms) -> None:
    assert card(source, "1234567").startswith("9000")


@pytest.mark.parametrize("number", ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"])
def test_an_iban_keeps_country_form_and_check(source: Pseudonyms, number: str) -> None:
    made = iban(source, number)
    assert made[:2] == number[:2]
    assert valid_iban(made)
    assert [place for place, sign in enumerate(made) if sign == " "] == [
        place for place, sign in enumerate(number) if sign == " "
    ]
    assert iban(source, made) == made != number


def test_what_is_no_iban_is_opaque(source: Pseudonyms) -> None:
    assert iban(source, "none yet").startswith("redacted-")


def test_a_tax_number_is_one_that_nobody_has(source: Pseudonyms) -> None:
    made = tax_number(source, "123-45-6789")
    assert re.fullmatch(r"900-0\d-\d{4}", made)
    assert tax_number(source, made) == made
    assert tax_number(source, "AB 12").startswith("redacted-")


def test_an_account_number_keeps_its_form(source: Pseudonyms) -> None:
    made = bank_account(source, "12-3456-78")
    assert re.fullmatch(r"90-00\d\d-\d\d", made)
    assert bank_account(source, made) == made
    assert bank_account(source, "ACC/77").startswith("redacted-")
