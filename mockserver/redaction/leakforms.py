"""How strictly a known secret is looked for, and the short codings that no reading undoes."""

import binascii
import re
from collections.abc import Iterator
from typing import Literal

from mockserver.redaction.rules import normalised

Strictness = Literal["anywhere", "whole", "in its field"]
"""Where a secret counts as found: in any text, as a word of its own, or after a field's name."""

_SHORTEST = 6
"""Characters below which a value says nothing by itself: it may stand anywhere by chance."""

_LONG = 9
"""Characters from which on letters or digits stand nowhere by chance."""

_CODED_APART = 16
"""Bytes: what is longer is found by the readings that undo base64 and hexadecimal."""

_SHORTEST_CODED = 8
_FIELD = re.compile(
    rb"""([A-Za-z][A-Za-z0-9_$.-]*)      # its name
    (?:\\?["'])?\s*[:=]\s*               # what stands between a name and a value
    (?:\n?\s*-\s*)?(?:\\?["'])?$""",
    re.VERBOSE,
)
_BEFORE = 96
"""Bytes before a value in which its field's name is looked for."""


def strictness(value: str, names: frozenset[str]) -> Strictness:
    """How a value is looked for.

    Args:
        value: The secret.
        names: Field names, normalised: a secret that reads like one of them stands everywhere.

    >>> strictness("1234", frozenset()), strictness("password", frozenset({"password"}))
    ('in its field', 'in its field')
    >>> strictness("Lovelace", frozenset()), strictness("ya29.a0AfH6SMBx", frozenset())
    ('whole', 'anywhere')
    """
    if len(value) < _SHORTEST or len(set(value)) < 3 or normalised(value) in names:
        return "in its field"
    if value.isdigit() or len(value) < _LONG or value.replace(" ", "").isalpha():
        return "whole"
    return "anywhere"


def forms(value: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    r"""The bytes to look for, in lower case, each with what the form is called.

    >>> [form for form, name in forms("it's")]
    [b"it's", b"i\x00t\x00'\x00s", b"it''s"]

    Yields:
        Bytes, and the codings.
    """
    plain = value.encode("utf-8", "replace")
    yield plain.lower(), ()
    yield b"\0".join(plain[at : at + 1] for at in range(len(plain))).lower(), ("in UTF-16",)
    if " " in value:
        yield plain.replace(b" ", b"+").lower(), ("percent-encoded",)
    if "'" in value:
        yield plain.replace(b"'", b"''").lower(), ()
    if not plain.isascii() and max(value) <= "\xff":
        yield value.encode("latin-1").lower(), ("in Latin-1",)
    if _SHORTEST <= len(plain) < _CODED_APART:
        yield plain.hex().encode(), ("hexadecimal",)
        for coded in sorted(set(_base64(plain))):
            yield coded.lower(), ("base64",)


def _base64(plain: bytes) -> Iterator[bytes]:
    """Those characters of its base64 that depend on nothing before or after it.

    Yields:
        Once for each alignment and alphabet.
    """
    for before in range(3):
        coded = binascii.b2a_base64(b"\0" * before + plain, newline=False).rstrip(b"=")
        whole = (before + len(plain)) * 8 // 6
        known = coded[(0, 2, 3)[before] : whole]
        if len(known) >= _SHORTEST_CODED:
            yield known
            yield known.translate(bytes.maketrans(b"+/", b"-_"))


def stands_whole(content: bytes, start: int, end: int) -> bool:
    """Whether what is found is no part of a longer word or number."""
    before, after = content[start - 1 : start] if start else b"", content[end : end + 1]
    return not (before.isalnum() or after.isalnum())


def field_before(content: bytes, start: int) -> str:
    """The normalised name of the field whose value begins here, or an empty string.

    >>> field_before(b'{"user_pin": "1234"}', 14), field_before(b"a 1234", 2)
    ('userpin', '')
    """
    match = _FIELD.search(content[max(0, start - _BEFORE) : start])
    return normalised(match[1].decode()) if match else ""
