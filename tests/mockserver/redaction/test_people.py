"""Pseudonyms of names, addresses and birthdays."""

import pytest

from mockserver.redaction.pseudonyms import (
    Pseudonyms,
    birth,
    city,
    person_name,
    postal_code,
    street,
)


def test_a_full_name_is_made_of_its_parts(source: Pseudonyms) -> None:
    whole = person_name(source, "Ada Lindqvist")
    assert whole == f"{person_name(source, 'Ada')} {person_name(source, 'Lindqvist')}"


def test_signs_between_names_stay(source: Pseudonyms) -> None:
    made = person_name(source, "Lindqvist, Ada-Maria (Dr.)")
    assert "".join(sign for sign in made if not sign.isalnum()) == ", - (.)"
    assert "Maria" not in made


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (person_name, "Ada Lindqvist"),
        (person_name, "明日香"),
        (street, "12 Canary Street"),
        (city, "Canaryville"),
        (postal_code, "12345"),
        (postal_code, "AB1 2CD"),
        (birth, "1990-02-03"),
        (birth, "1990-02-03T00:00:00Z"),
        (birth, "3 Feb"),
    ],
)
def test_a_pseudonym_is_another_value_and_final(
    source: Pseudonyms, make: object, value: str
) -> None:
    assert callable(make)
    made = make(source, value)
    assert made != value
    assert make(source, made) == made


@pytest.mark.parametrize("make", [street, city, postal_code])
def test_nothing_stays_nothing(source: Pseudonyms, make: object) -> None:
    assert callable(make)
    assert make(source, " ") == " "


def test_the_form_of_a_birthday_stays(source: Pseudonyms) -> None:
    made = birth(source, "1990-02-03T00:00:00Z")
    assert made.startswith("1900-")
    assert made.endswith("T00:00:00Z")
