"""Pseudonyms of names, addresses and birthdays."""

import pytest

from mockserver.redaction.people import birth, city, person_name, postal_code, street
from mockserver.redaction.pseudonyms import Pseudonyms


def test_a_full_name_is_made_of_its_parts(making: Pseudonyms) -> None:
    whole = person_name(making, "Ada Lindqvist")
    assert whole == f"{person_name(making, 'Ada')} {person_name(making, 'Lindqvist')}"


def test_signs_between_names_stay(making: Pseudonyms) -> None:
    made = person_name(making, "Lindqvist, Ada-Maria (Dr.)")
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
    making: Pseudonyms, make: object, value: str
) -> None:
    assert callable(make)
    made = make(making, value)
    assert made != value
    assert make(making, made) == made


@pytest.mark.parametrize("make", [street, city, postal_code])
def test_nothing_stays_nothing(making: Pseudonyms, make: object) -> None:
    assert callable(make)
    assert make(making, " ") == " "


def test_the_form_of_a_birthday_stays(making: Pseudonyms) -> None:
    made = birth(making, "1990-02-03T00:00:00Z")
    assert made.startswith("1900-")
    assert made.endswith("T00:00:00Z")
