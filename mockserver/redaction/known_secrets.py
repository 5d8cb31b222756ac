"""Finds known secrets in a layer: in every form in which they may be written."""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from mockserver.redaction.encodings import Layer, undo_escapes
from mockserver.redaction.rule import normalised_name

if TYPE_CHECKING:
    import numpy as np
    from ahocorasick import Automaton
    from numpy.typing import NDArray

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
    (?:\n?\s*-\s*)?(?:W/)?(?:\\?["']){0,2}$""",
    re.VERBOSE,
)
_BETWEEN = b" \t\r\n\v\f\"'\\-W/"
"""Signs that may stand between the colon and the value."""

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
    if len(value) < _SHORTEST or len(set(value)) < 3 or normalised_name(value) in names:
        return "in its field"
    if value.isdigit() or len(value) < _LONG or value.replace(" ", "").isalpha():
        return "whole"
    return "anywhere"


def search_forms(value: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    r"""The bytes to look for, in lower case, each with what the form is called.

    >>> [form for form, name in search_forms("it's")]
    [b"it's", b"i\x00t\x00'\x00s", b"it''s"]

    Yields:
        Bytes, and the codings.
    """
    plain = value.encode("utf-8", "replace")
    yield plain.lower(), ()
    yield plain.decode("latin-1").encode("utf-16-le")[:-1].lower(), ("in UTF-16",)
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


def is_whole_word(content: bytes, start: int, end: int) -> bool:
    """Whether what is found is no part of a longer word or number."""
    before, after = content[start - 1 : start] if start else b"", content[end : end + 1]
    return not (before.isalnum() or after.isalnum())


def field_before(content: bytes, start: int) -> str:
    """The normalised name of the field whose value begins here, or an empty string.

    >>> field_before(b'{"user_pin": "1234"}', 14), field_before(b"a 1234", 2)
    ('userpin', '')
    """
    before = content[max(0, start - _BEFORE) : start]
    left = before.rstrip(_BETWEEN)
    if not left.endswith((b":", b"=")):
        return ""
    left = left[:-1].rstrip()
    if left.endswith((b'"', b"'")):
        left = left[:-1].removesuffix(b"\\")
    match = _FIELD.search(before, len(left.rstrip(_NAME)))  # from there on: it is much faster
    return normalised_name(match[1].decode()) if match else ""


_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.-"
_LAX: tuple[Strictness, ...] = ("anywhere", "whole", "in its field")
_WORDS = frozenset({"person_name", "city"})
_LONGEST = 4096
"""Bytes of a secret that are looked for: a longer one is known by its beginning."""

_STEP = 1 << 15
"""Bytes that are looked through at once: arrays of numbers of them fit into a processor's cache."""


class KnownSecret(NamedTuple):
    """A kind of secret and its value; the value is never told to anybody.

    Attributes:
        kind: What it is: `email`, `token` ...
        value: As it was before it was replaced.
    """

    kind: str
    value: str


class Finding(NamedTuple):
    """Something in a reading that may not stay in it.

    Attributes:
        start: Where in the reading.
        text: What, as it stands there.
        kind: What kind of secret.
        form: The codings in which it stands there, beside those of the reading.
        value: The secret that it is, where that is known; else empty.
        field: The normalised name of its field, or an empty string.
        check: What it must pass to be one.
    """

    start: int
    text: bytes
    kind: str
    form: tuple[str, ...] = ()
    value: str = ""
    field: str = ""
    check: str = ""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class SecretLike(Protocol):
    """A secret with what it is."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def value(self) -> str:
        """As it was before it was replaced."""


class _Needle(NamedTuple):
    """One of the forms in which a secret is looked for: its bytes, in lower case."""

    content: bytes
    form: tuple[str, ...]
    strictness: Strictness


class _Match(NamedTuple):
    """Where a form of a secret stands, and the number of the secret in the order of learning."""

    start: int
    needle: _Needle
    number: int


class _Windows:
    """Stretches of a fixed length, one of each needle, and whose needles they are.

    A window is held as one number, in sorted arrays: a hundred thousand secrets take a few
    megabytes, and a content is looked through by a few operations on arrays.

    Args:
        width: Bytes of a window: 16, or 8 at most.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._fresh: list[bytes] = []
        self._fresh_numbers: list[int] = []
        self._parts: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []
        self._bits = _LEAST_BITS
        self._table: NDArray[np.bool_] | None = None

    def add(self, needle: bytes, number: int) -> None:
        """Add a needle of the secret of a number: by that stretch of it that says most."""
        self._fresh.append(needle)
        self._fresh_numbers.append(number)

    def find(self, content: bytes) -> Iterator[tuple[int, int]]:
        """Where windows stand in a content, and the numbers of the secrets they may tell of.

        Yields:
            Each place with each number.
        """
        if len(content) < self.width or not (self._fresh or self._parts):
            return
        table = self._merge_arrays()
        padded = content + b"\0" * max(0, 8 - self.width)
        for start in range(0, len(padded) - max(7, self.width - 1), _STEP):
            part = padded[start : start + _STEP + max(7, self.width - 1)]
            for place, number in self._find(part, table):
                yield start + place, number

    def _keys(self, content: bytes) -> "NDArray[np.uint64]":
        import numpy as np

        keys: NDArray[np.uint64] = np.ndarray(
            (len(content) - 7,), np.dtype("<u8"), content, strides=(1,)
        )
        if self.width < 8:
            keys = keys & np.uint64((1 << 8 * self.width) - 1)
        spread = keys * np.uint64(_SPREAD)
        if self.width <= 8:
            return spread
        spread = spread[:-8]
        spread += keys[8:] * np.uint64(_MIX)
        return spread

    def _find(self, content: bytes, table: "NDArray[np.bool_]") -> Iterator[tuple[int, int]]:
        import numpy as np

        keys = self._keys(content)
        likely = np.flatnonzero(table.take(self._slots(keys)))
        if not likely.size:
            return
        candidates = keys[likely]
        for known, numbers in self._parts:
            firsts = np.searchsorted(known, candidates, "left")
            lasts = np.searchsorted(known, candidates, "right")
            for each in np.flatnonzero(firsts < lasts).tolist():
                for number in numbers[firsts[each] : lasts[each]].tolist():
                    yield int(likely[each]), number

    def _slots(self, windows: "NDArray[np.uint64]") -> "NDArray[np.int64]":
        import numpy as np

        # as signed numbers, which the table takes without a copy
        return (windows >> np.uint64(64 - self._bits)).view(np.int64)

    def _merge_arrays(self) -> "NDArray[np.bool_]":
        """The table, with what was added; of the arrays each is twice as large as the next."""
        import numpy as np

        if self._table is not None and not self._fresh:
            return self._table
        known = added = self._windows_of(self._fresh)
        numbers = np.array(self._fresh_numbers, np.uint32)
        self._fresh, self._fresh_numbers = [], []
        while self._parts and self._parts[-1][0].size <= 2 * known.size:
            older, their = self._parts.pop()
            known, numbers = np.concatenate([older, known]), np.concatenate([their, numbers])
        order = np.argsort(known, kind="stable")
        self._parts.append((known[order], numbers[order]))
        count = sum(part.size for part, _ in self._parts)
        if self._table is None or count << 4 > self._table.size:
            while count << 4 > 1 << self._bits:
                self._bits += 2
            self._table = np.zeros(1 << self._bits, np.bool_)
            for part, _ in self._parts:
                self._table[self._slots(part)] = True
        else:
            self._table[self._slots(added)] = True
        return self._table

    def _windows_of(self, needles: list[bytes]) -> "NDArray[np.uint64]":
        """One window of each needle: of five stretches the one that says most."""
        import numpy as np

        joined = b"".join(needles) + b"\0" * 8
        signs = np.frombuffer(joined, np.uint8)
        # a sign that repeats neither of those before it; what is no letter counts thrice
        says = np.frombuffer(joined.translate(_SAYS), np.uint8).astype(np.int64)
        says[2:] += (signs[2:] != signs[1:-1]) & (signs[2:] != signs[:-2])
        sums = np.concatenate([[0], np.cumsum(says)])
        sizes = np.fromiter(map(len, needles), np.int64, len(needles))
        shares = (sizes - self.width)[:, None] * np.arange(_STRETCHES) // (_STRETCHES - 1)
        starts = (np.cumsum(sizes) - sizes)[:, None] + shares
        best = (sums[starts + self.width] - sums[starts]).argmax(axis=1)
        windows: NDArray[np.uint64] = self._keys(joined)[starts[np.arange(len(needles)), best]]
        return windows


_STRETCHES = 5
_SAYS = bytes(0 if sign in b"abcdefghijklmnopqrstuvwxyz \0" else 2 for sign in range(256))
_LEAST_BITS = 16
_MIX = 0xD6E8FEB86659FD93
"""An odd number by which two halves of a window become one."""

_SPREAD = 0x9E3779B97F4A7C15
"""A multiplier that spreads numbers over a table: 2 ** 64 divided by the golden ratio."""


class _ShortNeedles:
    """Needles too short for a window, in automata that grow in steps."""

    width = 1

    def __init__(self) -> None:
        self._levels: list[tuple[dict[bytes, list[int]], Automaton]] = []
        self._fresh: dict[bytes, list[int]] = {}

    def add(self, needle: bytes, number: int) -> None:
        """Add a needle of the secret of a number."""
        self._fresh.setdefault(needle, []).append(number)

    def find(self, content: bytes) -> Iterator[tuple[int, int]]:
        """Where needles stand in a content, and the numbers of their secrets.

        Yields:
            Each place with each number.
        """
        if self._fresh:
            self._settle()
        if not self._levels:
            return
        text = content.decode("latin-1")
        for needles, automaton in self._levels:
            for last, needle in automaton.iter(text):
                for number in needles[needle]:
                    yield last + 1 - len(needle), number

    def _settle(self) -> None:
        from ahocorasick import Automaton

        merged, self._fresh = self._fresh, {}
        while self._levels and len(self._levels[-1][0]) <= 2 * len(merged):
            for needle, numbers in self._levels.pop()[0].items():
                merged[needle] = [*numbers, *merged.get(needle, ())]
        automaton = Automaton()
        for needle in merged:
            automaton.add_word(needle.decode("latin-1"), needle)
        automaton.make_automaton()
        self._levels.append((merged, automaton))


class KnownSecrets:
    """Secrets that were seen, found in every form; they become more.

    Args:
        fields: Normalised names, globs allowed, of the fields that hold each kind: where short
            secrets are looked for.
    """

    def __init__(self, fields: Mapping[str, tuple[str, ...]]) -> None:
        self._fields = fields
        self._names = frozenset(name for known in fields.values() for name in known)
        self._secrets: list[SecretLike] = []
        self._kinds: dict[str, str] = {}
        self._others: set[tuple[str, str]] = set()
        self._short = _ShortNeedles()
        self._windows = tuple(map(_Windows, _WIDTHS))
        self._by_size = [
            next((each for each in self._windows if size >= each.width), self._short)
            for size in range(_WIDTHS[0] + 1)
        ]

    def __len__(self) -> int:
        return len(self._secrets)

    def learn(self, secrets: "Iterable[SecretLike]") -> None:
        """Add secrets; those that are known are passed over."""
        for secret in secrets:
            kind, value = secret.kind, secret.value
            bare = value.strip()
            if not bare or not self._is_new(kind, value):
                continue
            number = len(self._secrets)
            self._secrets.append(secret)
            for needle in _needles_of(kind, bare, self._names):
                self._index(needle.content).add(needle.content, number)

    def _is_new(self, kind: str, value: str) -> bool:
        known = self._kinds.get(value)
        if known is None:
            self._kinds[value] = kind
            return True
        if known == kind:
            return False
        if (kind, value) in self._others:
            return False
        self._others.add((kind, value))
        return True

    def _index(self, needle: bytes) -> "_Windows | _ShortNeedles":
        return self._by_size[min(len(needle), _WIDTHS[0])]

    def _needles(self, secret: SecretLike) -> "tuple[_Needle, ...]":
        """The forms in which a secret is looked for."""
        return _needles_of(secret.kind, secret.value.strip(), self._names)

    def find(self, layer: Layer) -> Iterator[Finding]:
        """Where in a reading a secret is, of which kind, and by which further coding.

        Yields:
            Each place, those that end first before others.
        """
        if not self._secrets:
            return
        content = layer.content
        for match in self._matches(content.lower()):
            start, needle = match.start, match.needle
            end = start + len(needle.content)
            secret = self._secrets[match.number]
            if needle.form or self._counts(needle, secret.kind, content, start, end):
                value = secret.value.strip()
                end = max(end, start + len(value) if len(value) > _LONGEST else 0)
                yield Finding(start, content[start:end], secret.kind, needle.form, value)

    def _matches(self, content: bytes) -> list[_Match]:
        """The needles in a content in lower case, at each place the one that counts most."""
        found: dict[tuple[int, int], _Match] = {}
        indexes: tuple[_Windows | _ShortNeedles, ...] = (*self._windows, self._short)
        for index in indexes:
            for place, number in index.find(content):
                secret = self._secrets[number]
                for needle in self._needles(secret):
                    size = len(needle.content)
                    if self._index(needle.content) is not index:
                        continue
                    left = max(0, place + index.width - size)
                    start = content.find(needle.content, left, place + size)
                    if start < 0:
                        continue
                    known = found.get((start + size, -size))
                    if known is None or _rank(needle, number) < _rank(known.needle, known.number):
                        found[start + size, -size] = _Match(start, needle, number)
        return [found[mark] for mark in sorted(found)]

    def _counts(self, needle: _Needle, kind: str, content: bytes, start: int, end: int) -> bool:
        if needle.strictness == "anywhere":
            return True
        if not is_whole_word(content, start, end):
            return False
        if needle.strictness == "whole":
            return True
        field = field_before(content, start)
        return any(fnmatchcase(field, name) for name in self._fields.get(kind, ()))


@lru_cache(maxsize=8192)
def _needles_of(kind: str, value: str, names: frozenset[str]) -> tuple[_Needle, ...]:
    strict = strictness(value, names)
    if kind in _WORDS and " " not in value:
        strict = "in its field"  # elsewhere, a first name is a word as others are
    return tuple(
        _Needle(content, form, strict)
        for content, form in _forms(value[:_LONGEST])
        if not form or strict != "in its field"  # coded, it stands after no name
    )


def _rank(needle: _Needle, number: int) -> tuple[int, int]:
    return _LAX.index(needle.strictness), number


_WIDTHS = (16, 8, 6)
"""Bytes of the windows by which needles of at least so many are found."""


def _forms(value: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Its forms, and how it reads once what looks like an escape in it was undone, too.

    Yields:
        Bytes, and the codings.
    """
    yield from search_forms(value)
    undone = value.encode("utf-8", "replace")
    if not _WRITTEN.search(undone):
        return
    while (further := undo_escapes(undone)) != undone:
        undone = further
        yield undone.lower(), ()


_WRITTEN = re.compile(rb"[\\%&]")
