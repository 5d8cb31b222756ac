"""Finds known secrets in readings: every form of each of them, in one pass."""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from mockserver.redaction.leakescapes import plain
from mockserver.redaction.leakforms import (
    Strictness,
    field_before,
    forms,
    stands_whole,
    strictness,
)
from mockserver.redaction.leaklayers import Layer

if TYPE_CHECKING:
    from ahocorasick import Automaton

_LAX: tuple[Strictness, ...] = ("anywhere", "whole", "in its field")
_WORDS = frozenset({"person_name", "city"})
_LONGEST = 4096
"""Bytes of a secret that are looked for: a longer one is known by its beginning."""


class Known(NamedTuple):
    """A kind of secret and its value; the value is never told to anybody.

    Attributes:
        kind: What it is: `email`, `token` ...
        value: As it was before it was replaced.
    """

    kind: str
    value: str


class _Needle(NamedTuple):
    size: int
    kind: str
    form: tuple[str, ...]
    strictness: Strictness


class Search:
    """The forms of a number of secrets.

    Args:
        secrets: Kind and value of each.
        fields: Normalised names, globs allowed, of the fields that hold each kind: where short
            secrets are looked for.
    """

    def __init__(self, secrets: Iterable[Known], fields: Mapping[str, tuple[str, ...]]) -> None:
        self._fields = fields
        names = frozenset(name for known in fields.values() for name in known)
        self._needles: dict[bytes, _Needle] = {}
        for kind, value in secrets:
            self._add(kind, value.strip()[:_LONGEST], names)
        self._automaton = self._made() if self._needles else None

    def __len__(self) -> int:
        return len(self._needles)

    def _add(self, kind: str, value: str, names: frozenset[str]) -> None:
        if not value:
            return
        strict = strictness(value, names)
        if kind in _WORDS and " " not in value:
            strict = "in its field"  # elsewhere, a first name is a word as others are
        for needle, form in _forms(value):
            if form and strict == "in its field":
                continue  # coded, it stands after no name
            known = self._needles.get(needle)
            if known is None or _LAX.index(strict) < _LAX.index(known.strictness):
                self._needles[needle] = _Needle(len(needle), kind, form, strict)

    def _made(self) -> "Automaton":
        from ahocorasick import Automaton

        automaton = Automaton()
        for needle, what in self._needles.items():
            automaton.add_word(needle.decode("latin-1"), what)
        automaton.make_automaton()
        return automaton

    def found(self, layer: Layer) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Where in a reading a secret is, of which kind, and by which further coding.

        Yields:
            Offset in the reading, kind, codings.
        """
        if self._automaton is None:
            return
        content = layer.content.lower()
        for last, needle in self._automaton.iter(content.decode("latin-1")):
            start = last + 1 - needle.size
            if needle.form or self._counts(needle, layer.content, start, last + 1):
                yield start, needle.kind, needle.form

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
    while (further := plain(undone)) != undone:
        undone = further
        yield undone.lower(), ()


class Searches:
    """Secrets that become more: few passes however many were learned one by one.

    Args:
        fields: As in `Search`.
    """

    def __init__(self, fields: Mapping[str, tuple[str, ...]]) -> None:
        self._fields = fields
        self._known: set[Known] = set()
        self._searches: list[tuple[list[Known], Search]] = []

    def learn(self, secrets: Iterable[Known]) -> None:
        """Add secrets; those that are known are passed over."""
        new = list(dict.fromkeys(known for known in secrets if known not in self._known))
        if not new:
            return
        self._known.update(new)
        while self._searches and len(self._searches[-1][0]) <= 2 * len(new):
            new += self._searches.pop()[0]
        self._searches.append((new, Search(new, self._fields)))

    def found(self, layer: Layer) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """As `Search.found`, for all that was learned.

        Yields:
            Offset in the reading, kind, codings.
        """
        for _, search in self._searches:
            yield from search.found(layer)
