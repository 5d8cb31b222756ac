"""Ids that come from a session's seed: the n-th id of a kind is always the same."""

from hashlib import sha256

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


class Ids:
    """Makes ids; each kind has a sequence of its own.

    >>> Ids(7).digits("user", 21) == Ids(7).digits("user", 21)
    True
    """

    __slots__ = ("_counts", "_seed")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._counts: dict[str, int] = {}

    def _next(self, kind: str) -> int:
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        return int.from_bytes(sha256(f"{self._seed}/{kind}/{count}".encode()).digest(), "big")

    def hex(self, kind: str, length: int) -> str:
        """`length` lower-case hexadecimal digits, at most 64."""
        return f"{self._next(kind):064x}"[:length]

    def digits(self, kind: str, length: int) -> str:
        """`length` decimal digits, the first not zero."""
        number = self._next(kind)
        return (
            str(1 + number % 9) + str(number).zfill(length)[-(length - 1) :]
            if length > 1
            else str(1 + number % 9)
        )

    def base36(self, kind: str, length: int) -> str:
        """`length` lower-case letters and digits, at most 40."""
        number, text = self._next(kind), ""
        for _ in range(length):
            number, digit = divmod(number, 36)
            text += _BASE36[digit]
        return text

    def uuid(self, kind: str) -> str:
        """A version 4 shaped UUID."""
        digits = self.hex(kind, 32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
