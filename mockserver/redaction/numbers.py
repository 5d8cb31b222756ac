"""Pseudonyms of numbers: ids, phones, cards, accounts; check digits come out right."""

import re
from collections.abc import Callable

from mockserver.redaction.opaque import Making, opaque

_RESERVED = "9000"
_TEST_CARD = "400000"
_LETTERS = re.compile(r"[^\W\d_]")


def digits(making: Making, value: str) -> str:
    """A number of the same length; `9000` at its front tells that it is none."""
    if value.startswith(_RESERVED) or not value.isdigit():
        return value
    return _RESERVED + making.noise("number", value).digits(len(value) - len(_RESERVED))


def phone(making: Making, value: str) -> str:
    """A number that is kept for fiction (555-01xx), as long as the original where that has ten."""
    plain = re.sub(r"\D", "", value)
    if len(plain) < 7:
        return value if not plain else opaque(making, "phone", value)
    if re.fullmatch(r"1?[2-9]\d\d55501\d\d", plain):
        return value
    noise = making.noise("phone", plain)
    made = f"{2 + noise.below(8)}{noise.digits(2)}55501{noise.digits(2)}"
    if len(plain) == len(made) and not _LETTERS.search(value) and "+" not in value:
        return _laid(value, made)
    return f"+1-{made[:3]}-{made[3:6]}-{made[6:]}"


def card(making: Making, value: str) -> str:
    """A card number of a test range, with a right check digit."""
    plain = re.sub(r"\D", "", value)
    if plain.startswith(_TEST_CARD) or not 12 <= len(plain) <= 19:
        return value if plain.startswith(_TEST_CARD) else making.shaped("card", value)
    body = _TEST_CARD + making.noise("card", plain).digits(len(plain) - 7)
    check = next(str(last) for last in range(10) if luhn(f"{body}{last}"))
    return _laid(value, body + check)


def luhn(number: str) -> bool:
    """Whether the check digit of a card number is right.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, sign in enumerate(reversed(number)):
        doubled = int(sign) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def iban(making: Making, value: str) -> str:
    """An IBAN of the same country and length, with right check digits and no bank."""
    plain = re.sub(r"\s", "", value).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}", plain):
        return making.shaped("iban", value)
    if plain[4:8] == "0000":
        return value
    body = "0000" + making.noise("iban", plain).digits(len(plain) - 8)
    check = 98 - _mod97(f"{body}{plain[:2]}00")
    return _laid(value, f"{plain[:2]}{check:02d}{body}")


def valid_iban(value: str) -> bool:
    """Whether the check digits of an IBAN are right.

    >>> valid_iban("GB82 WEST 1234 5698 7654 32"), valid_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = re.sub(r"\s", "", value).upper()
    return len(plain) >= 15 and _mod97(plain[4:] + plain[:4]) == 1


def valid_ean(number: str) -> bool:
    """Whether the check digit of an EAN or ISBN is right.

    >>> valid_ean("4006381333931"), valid_ean("4006381333932")
    (True, False)
    """
    return sum(int(sign) * (1, 3)[place % 2] for place, sign in enumerate(number)) % 10 == 0


def is_national(text: str) -> bool:
    """Whether a number is one that a state gives people: of its form, with its check digits.

    >>> is_national("12345678Z"), is_national("12345678A"), is_national("111.444.777-35")
    (True, False, True)
    """
    return any(form.fullmatch(text) and test(text) for form, test in _NATIONAL)


def _dni(text: str) -> bool:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(text[:8]) % 23] == text[8]


def _cpf(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    for size in (9, 10):
        total = sum(digit * (size + 1 - place) for place, digit in enumerate(digits[:size]))
        if total * 10 % 11 % 10 != digits[size]:
            return False
    return len(set(digits)) > 1


def _insee(text: str) -> bool:
    plain = text.replace(" ", "")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _resident(text: str) -> bool:
    weights = [pow(2, 17 - place, 11) for place in range(17)]
    total = sum(int(sign) * weight for sign, weight in zip(text, weights, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _hetu(text: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31] == text[10]


_NATIONAL: tuple[tuple["re.Pattern[str]", Callable[[str], bool]], ...] = (
    (re.compile(r"\d{3}-\d{2}-\d{4}"), lambda text: text[:3] not in {"000", "666"}),
    (re.compile(r"\d{8}[A-Z]"), _dni),
    (re.compile(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), _cpf),
    (re.compile(r"756\.\d{4}\.\d{4}\.\d{2}"), lambda text: valid_ean(text.replace(".", ""))),
    (re.compile(r"[12] \d\d \d\d \d\d \d{3} \d{3} \d\d"), _insee),
    (re.compile(r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]"), bool),
    (re.compile(r"[A-CEGHJ-PQR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"), bool),
    (re.compile(r"[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dXx]"), _resident),
    (re.compile(r"\d{6}[-+A]\d{3}[0-9A-Y]"), _hetu),
    (re.compile(r"\d{6}-[1-4]\d{6}"), bool),
    (re.compile(r"[A-Z]{5}\d{4}[A-Z]"), bool),
)
NATIONAL = "|".join(form.pattern for form, _ in _NATIONAL)
"""All the forms."""


def one_time(making: Making, value: str) -> str:
    """A code of as many digits, or a word for what has others."""
    if not value.isdigit():
        return opaque(making, "secret", value)
    front = _RESERVED[: max(2, len(value) - 2)]
    if value.startswith(front):
        return value
    return front + making.noise("one_time", value).digits(len(value) - len(front))


def tax_number(making: Making, value: str) -> str:
    """A number that no state has given: it begins with 900-0."""
    plain = re.sub(r"\D", "", value)
    if len(plain) != 9 or _LETTERS.search(value):
        return making.shaped("tax", value)
    if plain.startswith("9000"):
        return value
    return _laid(value, "9000" + making.noise("tax", plain).digits(5))


def bank_account(making: Making, value: str) -> str:
    """An account number of the same length."""
    plain = re.sub(r"\D", "", value)
    if len(plain) < 6 or re.search(r"[^\d -]", value):
        return making.shaped("account", value)
    return _laid(value, digits(making, plain))


def _laid(form: str, signs: str) -> str:
    """Signs in the places of the letters and digits of a form."""
    rest = iter(signs)
    return "".join(next(rest) if sign.isalnum() else sign for sign in form)


def _mod97(text: str) -> int:
    return int("".join(str(int(sign, 36)) for sign in text)) % 97
