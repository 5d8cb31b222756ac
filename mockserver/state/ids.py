"""Ids that come from a session's seed: the n-th id of a kind is always the same."""

from hashlib import sha256

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(first + second for second in _BASE36 for first in _BASE36)
"""The two lowest digits of each number below 36 * 36, the lowest first."""

_DIGITS_OF_INT64 = 19


def fixed_digits(name: str, length: int) -> str:
    """Decimal digits that always belong to a name, the first not zero; at most 70.

    >>> fixed_digits("ann@example.com", 6) == fixed_digits("ann@example.com", 6)
    True
    """
    number = int.from_bytes(sha256(name.encode()).digest(), "big")
    return f"{1 + number % 9}{number:077d}"[:length]


def fixed_base36(name: str, length: int) -> str:
    """Lower-case letters and digits that always belong to a name; at most 40.

    >>> len(fixed_base36("/Sales", 7))
    7
    """
    return _base36(int.from_bytes(sha256(name.encode()).digest(), "big"), length)


def _base36(number: int, length: int) -> str:
    text = ""
    number %= 36**length  # of what is left, each step costs less
    for _ in range(0, length, 2):
        number, digits = divmod(number, 1296)
        text += _PAIRS[digits]
    return text[:length]


class Ids:
    """Makes ids; each kind has a sequence of its own.

    Attributes:
        seed: What the ids come from.

    >>> Ids(7).digits("user", 21) == Ids(7).digits("user", 21)
    True
    """

    __slots__ = ("_counts", "seed")

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._counts: dict[str, int] = {}

    def _next_text(self, kind: str) -> bytes:
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        return f"{self.seed}/{kind}/{count}".encode()

    def _next(self, kind: str) -> int:
        return int.from_bytes(sha256(self._next_text(kind)).digest(), "big")

    def hex(self, kind: str, length: int) -> str:
        """`length` lower-case hexadecimal digits, at most 64."""
        return sha256(self._next_text(kind)).hexdigest()[:length]

    def digits(self, kind: str, length: int) -> str:
        """`length` decimal digits, the first not zero."""
        number = self._next(kind)
        first = 1 + number % 9
        if length == _DIGITS_OF_INT64:
            first = min(first, 8)  # 64 bits hold nothing that begins with 93
        return str(first) + (str(number).zfill(length)[1 - length :] if length > 1 else "")

    def base36(self, kind: str, length: int) -> str:
        """`length` lower-case letters and digits, at most 40."""
        return _base36(self._next(kind), length)

    def uuid(self, kind: str) -> str:
        """A version 4 shaped UUID."""
        digits = self.hex(kind, 32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
