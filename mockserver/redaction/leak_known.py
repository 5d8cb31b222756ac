"""Finds known secrets in readings: every form of each of them, in one pass."""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

from mockserver.redaction.leak_readings import Layer, plain
from mockserver.redaction.rules import normalised

if TYPE_CHECKING:
    from ahocorasick import Automaton

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


def stands_whole(content: bytes, start: int, end: int) -> bool:
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
    return normalised(match[1].decode()) if match else ""


_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.-"
_LAX: tuple[Strictness, ...] = ("anywhere", "whole", "in its field")
_WORDS = frozenset({"person_name", "city"})
_LONGEST = 4096
"""Bytes of a secret that are looked for: a longer one is known by its beginning."""

_STEP = 1 << 18
"""Bytes that are looked through at once."""


class Known(NamedTuple):
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


class _Needle(NamedTuple):
    size: int
    kind: str
    form: tuple[str, ...]
    strictness: Strictness
    value: str


class Search:
    """The forms of a number of secrets.

    Args:
        secrets: Kind and value of each.
        fields: Normalised names, globs allowed, of the fields that hold each kind: where short
            secrets are looked for.
        others: Searches that this one takes the place of as well.

    Attributes:
        needles: The bytes that are looked for, and what they are.
    """

    def __init__(
        self,
        secrets: Iterable[Known],
        fields: Mapping[str, tuple[str, ...]],
        others: "Iterable[Search]" = (),
    ) -> None:
        self._fields = fields
        names = frozenset(name for known in fields.values() for name in known)
        self.needles: dict[bytes, _Needle] = {}
        for kind, value in secrets:
            self._add(kind, value.strip(), names)
        for other in others:
            for needle, what in other.needles.items():
                self._put(needle, what)
        self._longest = max(map(len, self.needles), default=0)
        self._automaton = self._made() if self.needles else None

    def __len__(self) -> int:
        return len(self.needles)

    def _add(self, kind: str, value: str, names: frozenset[str]) -> None:
        if not value:
            return
        strict = strictness(value, names)
        if kind in _WORDS and " " not in value:
            strict = "in its field"  # elsewhere, a first name is a word as others are
        for needle, form in _forms(value[:_LONGEST]):
            if form and strict == "in its field":
                continue  # coded, it stands after no name
            self._put(needle, _Needle(len(needle), kind, form, strict, value))

    def _put(self, needle: bytes, what: _Needle) -> None:
        known = self.needles.get(needle)
        if known is None or _LAX.index(what.strictness) < _LAX.index(known.strictness):
            self.needles[needle] = what

    def _made(self) -> "Automaton":
        from ahocorasick import Automaton

        automaton = Automaton()
        for needle, what in self.needles.items():
            automaton.add_word(needle.decode("latin-1"), what)
        automaton.make_automaton()
        return automaton

    def found(self, layer: Layer) -> Iterator[Finding]:
        """Where in a reading a secret is, of which kind, and by which further coding.

        Yields:
            Each place.
        """
        for last, needle in self._occurring(layer.content.lower().decode("latin-1")):
            start = last + 1 - needle.size
            if needle.form or self._counts(needle, layer.content, start, last + 1):
                end = max(
                    last + 1, start + len(needle.value) if len(needle.value) > _LONGEST else 0
                )
                text = layer.content[start:end]
                yield Finding(start, text, needle.kind, needle.form, needle.value)

    def _occurring(self, text: str) -> "Iterator[tuple[int, _Needle]]":
        """Where each needle ends; in steps, between which other threads have their turn.

        Yields:
            The place of its last character, and the needle.
        """
        if self._automaton is None:
            return
        for first in range(0, len(text), _STEP):
            before, end = max(0, first - self._longest), min(len(text), first + _STEP)
            for last, needle in self._automaton.iter(text, before, end):
                if last >= first:
                    yield last, needle

    def _counts(self, needle: _Needle, content: bytes, start: int, end: int) -> bool:
        if needle.strictness == "anywhere":
            return True
        if not stands_whole(content, start, end):
            return False
        if needle.strictness == "whole":
            return True
        field = field_before(content, start)
        return any(fnmatchcase(field, name) for name in self._fields.get(needle.kind, ()))


def _forms(value: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Its forms, and how it reads once what looks like an escape in it was undone, too.

    Yields:
        Bytes, and the codings.
    """
    yield from forms(value)
    undone = value.encode("utf-8", "replace")
    if not _WRITTEN.search(undone):
        return
    while (further := plain(undone)) != undone:
        undone = further
        yield undone.lower(), ()


_WRITTEN = re.compile(rb"[\\%&]")


class Searches:
    """Secrets that become more: few passes however many were learned one by one.

    Args:
        fields: As in `Search`.
    """

    def __init__(self, fields: Mapping[str, tuple[str, ...]]) -> None:
        self._fields = fields
        self._known: set[Known] = set()
        self._searches: list[tuple[int, Search]] = []

    def learn(self, secrets: Iterable[Known]) -> None:
        """Add secrets; those that are known are passed over."""
        new = list(dict.fromkeys(known for known in secrets if known not in self._known))
        if not new:
            return
        self._known.update(new)
        count, older = len(new), []
        while self._searches and self._searches[-1][0] <= 2 * count:
            size, search = self._searches.pop()
            count += size
            older.append(search)
        self._searches.append((count, Search(new, self._fields, older)))

    def found(self, layer: Layer) -> Iterator[Finding]:
        """As `Search.found`, for all that was learned.

        Yields:
            Each place.
        """
        for _, search in self._searches:
            yield from search.found(layer)
