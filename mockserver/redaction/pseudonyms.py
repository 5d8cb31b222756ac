"""Pseudonyms: equal values get equal ones, of the same shape, that stand for nobody."""

import re
from collections.abc import Callable, Mapping

from mockserver.redaction.addresses import domain, email, ipv4, ipv6, mac, user_info
from mockserver.redaction.noise import Noise, derived, noise
from mockserver.redaction.numbers import (
    bank_account,
    card,
    digits,
    iban,
    one_time,
    phone,
    tax_number,
)
from mockserver.redaction.opaque import (
    api_key,
    client_secret,
    etag,
    hexadecimal,
    opaque,
    prefixed,
    private_key,
    uuid,
    vendor_token,
)
from mockserver.redaction.people import birth, city, person_name, postal_code, street
from mockserver.redaction.reserved import (
    CREDENTIAL_KINDS,
    is_example_domain,
    is_pseudonym,
    stands_for_all,
)

Maker = Callable[["Pseudonyms", str], str]
"""Makes the pseudonym of a value; gives back what is one already."""

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HEX = re.compile(r"[0-9a-f]{24,128}|[0-9A-F]{24,128}")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_FEW_DIGITS = 6


class Pseudonyms:
    """Makes pseudonyms with one key; pure: the same value always gets the same one."""

    def __init__(self, key: bytes) -> None:
        self._key = derived(key)

    def noise(self, kind: str, value: str) -> Noise:
        """The noise that a value of a kind is replaced by."""
        return noise(self._key, kind, value)

    def of(self, kind: str, value: str) -> str:
        """The pseudonym of a value; itself where it stands for nobody."""
        if is_pseudonym(value):
            return value
        maker = MAKERS.get(kind)
        return maker(self, value) if maker is not None else self.shaped(kind, value)

    def shaped(self, kind: str, value: str) -> str:
        """The pseudonym of an id that may look like anything."""
        if is_pseudonym(value) or (value.isdigit() and len(value) < _FEW_DIGITS):
            return value
        for form, maker in _SHAPES:
            if form.fullmatch(value):
                return maker(self, value)
        return opaque(self, kind, value)


def _customer(making: Pseudonyms, value: str) -> str:
    if value.startswith("C0z") or not re.fullmatch(r"C[0-9a-z]{8}", value):
        return making.shaped("customer", value)
    return "C0z" + making.noise("customer", value).base36(6)


def _org_unit(making: Pseudonyms, value: str) -> str:
    plain = value.removeprefix("id:")
    front = value[: len(value) - len(plain)]
    if plain.startswith("03ph0000"):
        return value
    if not plain.startswith("03ph"):
        return front + making.shaped("orgunit", plain)
    return f"{front}03ph0000{making.noise('org_unit', plain).base36(max(7, len(plain) - 8))}"


def _project(making: Pseudonyms, value: str) -> str:
    if is_pseudonym(value) or (value.isdigit() and len(value) < _FEW_DIGITS):
        return value
    if value.isascii() and value.isdigit():
        return digits(making, value)
    return f"project-{making.noise('project', value).hex(8)}"


def _account(making: Pseudonyms, value: str) -> str:
    if re.fullmatch(r"1\d{20}", value) is None:
        return making.shaped("account", value)
    return value if value.startswith("1999") else "1999" + making.noise("account", value).digits(17)


def _coordinate(making: Pseudonyms, value: str) -> str:
    """A place near the point where both are 0: nobody lives there."""

    def near(found: "re.Match[str]") -> str:
        if re.fullmatch(r"0\.0\d+", found[0]):
            return found[0]
        size = max(4, len(found[0].rpartition(".")[2]))
        return "0.0" + making.noise("coordinate", found[0]).digits(size - 2) + "1"

    return re.sub(r"-?\d+\.\d+", near, value)


def _shaped(kind: str) -> Maker:
    return lambda making, value: making.shaped(kind, value)


def _opaque(kind: str) -> Maker:
    return lambda making, value: opaque(making, kind, value)


_SHAPES: tuple[tuple["re.Pattern[str]", Maker], ...] = (
    (re.compile(r"1[0-9]{20}"), _account),
    (re.compile(r"[0-9]+"), digits),
    (re.compile(r"C0[0-9a-z]{7}"), _customer),
    (re.compile(r"(?:id:)?03ph[0-9a-z]{6,}"), _org_unit),
    (_UUID, uuid),
    (_HEX, hexadecimal),
    (_EMAIL, email),
)

MAKERS: Mapping[str, Maker] = {
    "access_token": lambda making, value: prefixed(making, "ya29.", value),
    "account": _account,
    "api_key": api_key,
    "assertion": _opaque("assertion"),
    "bank_account": bank_account,
    "birth": birth,
    "card": card,
    "city": city,
    "client_secret": client_secret,
    "customer": _customer,
    "domain": domain,
    "email": email,
    "etag": etag,
    "hash": hexadecimal,
    "iban": iban,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "mac": mac,
    "one_time": one_time,
    "org_unit": _org_unit,
    "coordinate": _coordinate,
    "password": _opaque("password"),
    "person_name": person_name,
    "phone": phone,
    "postal_code": postal_code,
    "private_key": private_key,
    "project": _project,
    "refresh_token": lambda making, value: prefixed(making, "1//", value),
    "street": street,
    "tax_number": tax_number,
    "token": _opaque("token"),
    "user_info": user_info,
    "uuid": uuid,
    "vendor_token": vendor_token,
}
"""The table; other kinds are shaped by what their values look like."""


_WORDS = frozenset({
    "city", "device_name", "organization_name", "person_name", "street", "username",
})  # fmt: skip
_ID = re.compile(
    r"(?=[^\s]*(?:_|\d[^\s]*[A-Za-z]|[-:.][^\s]*\d|\d[^\s]*[-:.]))[A-Za-z0-9]+(?:[_:.-]+[A-Za-z0-9]+)*"
)
_PLACES_OF_KINDS: tuple[tuple["re.Pattern[str]", str], ...] = (
    (_EMAIL, "email"),
    (_UUID, "uuid"),
)
_RANKS = ("person_name", "username", "id", "device", "serial", "account", "customer", "project")


def kind_of(kind: str, value: str) -> str:
    """The kind that a value has wherever it stands: what tells what it is by itself is that.

    Args:
        kind: What the field says that it is.
        value: The value.

    >>> kind_of("person_name", "usr_8Ye"), kind_of("person_name", "Ada Berg")
    ('id', 'person_name')
    >>> kind_of("customer", "ada@corp.io"), kind_of("password", "ada@corp.io")
    ('email', 'password')
    """
    if kind in CREDENTIAL_KINDS:
        return kind
    for form, told in _PLACES_OF_KINDS:
        if form.fullmatch(value):
            return told
    return "id" if kind in _WORDS and _ID.fullmatch(value) else kind


def rank(kind: str) -> tuple[int, str]:
    """How much a kind tells of a value: the greater counts where a value has two."""
    if kind == "page_token":
        return len(_RANKS) + 2, kind  # it is named like a credential, and decides what answers
    if kind in CREDENTIAL_KINDS:
        return len(_RANKS) + 1, kind
    return (_RANKS.index(kind) if kind in _RANKS else _RANKS.index("id"), kind)


def is_reserved(text: str) -> bool:
    """Whether a whole text stands for nobody: a pseudonym, or what standards keep for examples.

    >>> is_reserved("198.51.100.7"), is_reserved("ada@example.org"), is_reserved("ada@corp.io")
    (True, True, False)
    """
    if is_pseudonym(text) or stands_for_all(text) or is_example_domain(text):
        return True
    return any(form.fullmatch(text) and maker(_NOBODY, text) == text for form, maker in _PLACES)


_NOBODY = Pseudonyms(b"")
_PLACES: tuple[tuple["re.Pattern[str]", Maker], ...] = (
    (_EMAIL, email),
    (re.compile(r"\d+(?:\.\d+){3}"), ipv4),
    (re.compile(r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"), ipv6),
    (re.compile(r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}"), mac),
)
