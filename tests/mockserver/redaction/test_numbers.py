"""Pseudonyms of numbers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.numbers import (
    bank_account,
    card,
    digits,
    iban,
    luhn,
    phone,
    tax_number,
    valid_iban,
)
from mockserver.redaction.pseudonyms import Pseudonyms


@given(st.from_regex(r"[1-9][0-9]{5,24}", fullmatch=True))
def test_a_number_keeps_its_length(making: Pseudonyms, number: str) -> None:
    made = digits(making, number)
    assert len(made) == len(number)
    assert digits(making, made) == made


def test_what_is_no_number_is_not_one_of_ours(making: Pseudonyms) -> None:
    assert digits(making, "12a") == "12a"


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
def test_a_phone_number_is_one_of_fiction(making: Pseudonyms, given_: str, form: str) -> None:
    made = phone(making, given_)
    assert re.fullmatch(form, made)
    assert phone(making, made) == made


def test_writing_does_not_make_another_phone(making: Pseudonyms) -> None:
    assert phone(making, "+49 170 1234567") == phone(making, "+49-170-1234567")


def test_extensions_stay_and_vanity_numbers_are_opaque(making: Pseudonyms) -> None:
    assert phone(making, "n/a") == "n/a"
    assert phone(making, "ext 42").startswith("redacted-")


@pytest.mark.parametrize(
    "number", ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444"]
)
def test_a_card_keeps_form_and_check(making: Pseudonyms, number: str) -> None:
    made = card(making, number)
    assert luhn(re.sub(r"\D", "", made))
    assert len(made) == len(number)
    assert card(making, made) == made != number


def test_a_card_number_of_another_length_is_a_number(making: Pseudonyms) -> None:
    assert card(making, "1234567").startswith("9000")


@pytest.mark.parametrize("number", ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"])
def test_an_iban_keeps_country_form_and_check(making: Pseudonyms, number: str) -> None:
    made = iban(making, number)
    assert made[:2] == number[:2]
    assert valid_iban(made)
    assert [place for place, sign in enumerate(made) if sign == " "] == [
        place for place, sign in enumerate(number) if sign == " "
    ]
    assert iban(making, made) == made != number


def test_what_is_no_iban_is_opaque(making: Pseudonyms) -> None:
    assert iban(making, "none yet").startswith("redacted-")


def test_a_tax_number_is_one_that_nobody_has(making: Pseudonyms) -> None:
    made = tax_number(making, "123-45-6789")
    assert re.fullmatch(r"900-0\d-\d{4}", made)
    assert tax_number(making, made) == made
    assert tax_number(making, "AB 12").startswith("redacted-")


def test_an_account_number_keeps_its_form(making: Pseudonyms) -> None:
    made = bank_account(making, "12-3456-78")
    assert re.fullmatch(r"90-00\d\d-\d\d", made)
    assert bank_account(making, made) == made
    assert bank_account(making, "ACC/77").startswith("redacted-")
