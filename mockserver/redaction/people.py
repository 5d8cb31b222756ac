"""Pseudonyms of what is written about people: names, addresses, birthdays."""

import re

from mockserver.redaction.opaque import Making
from mockserver.redaction.reserved import NAME

_NAME = re.compile(NAME)
_WORD = re.compile(r"[^\s,;.()\"'/-]+")
_STREET = re.compile(r"\d{7} Example Street")
_CITY = re.compile(r"Qx[a-z]+ville")
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(.*)", re.DOTALL)


def person_name(making: Making, value: str) -> str:
    """A name word by word, so that a full name is still made of its parts."""

    def word(found: "re.Match[str]") -> str:
        if _NAME.fullmatch(found[0]):
            return found[0]
        return "Qx" + making.noise("person_name", found[0].lower()).word(5)

    return _WORD.sub(word, value)


def street(making: Making, value: str) -> str:
    """A line of an address."""
    if not value.strip() or _STREET.fullmatch(value):
        return value
    return f"{making.noise('street', value.lower()).digits(7)} Example Street"


def city(making: Making, value: str) -> str:
    """A town."""
    if not value.strip() or _CITY.fullmatch(value):
        return value
    return f"Qx{making.noise('city', value.lower()).word(4)}ville"


def postal_code(making: Making, value: str) -> str:
    """A code that no post serves: it begins with zeros."""
    if value.startswith("000") or not value.strip():
        return value
    return "000" + making.noise("postal_code", value.lower()).digits(max(2, len(value) - 3))


def birth(making: Making, value: str) -> str:
    """A day of the year 1900; its form stays."""
    found = _DATE.fullmatch(value)
    if found is None:
        return making.shaped("birth", value)
    if found[1] == "1900":
        return value
    noise = making.noise("birth", value[:10])
    return f"1900-{1 + noise.below(12):02d}-{1 + noise.below(28):02d}{found[4]}"
