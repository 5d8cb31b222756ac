"""Values that were found by their field, found again wherever else they stand."""

import json
import re
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from mockserver.redaction.reserved import looks_opaque

if TYPE_CHECKING:
    import ahocorasick

_SHORTEST = 6
_SHORTEST_WHOLE = 3
_LONGEST = 2048
"""Characters of a value in the index, which is as deep as the longest is long, and is taken apart
by recursion: a deep one ends the process. Longer values are looked for one by one."""
_GROWTH = 4
_FOUND_BY_PATTERN = frozenset({"email", "ipv4", "ipv6", "mac", "uuid", "jwt", "org_unit"})
_NEVER = frozenset({"domain", "etag", "city", "postal_code", "birth", "coordinate"})
_WEAK_WORD = re.compile(r"[A-Za-z]{1,11}|[A-Z_]+|[\d.:T+Z-]{1,7}")
_PHRASE = re.compile(r"[A-Za-z]+(?:[-_. /][A-Za-z]+)*")
_ALWAYS = frozenset({"password", "secret", "client_secret"})
_PLAIN = re.compile(r"[\w.~-]+")


_CODINGS: tuple[Callable[[str], str], ...] = (
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    escape,
    lambda text: quote(text, safe="", errors="surrogatepass"),
)


def worth_finding(kind: str, value: str, pseudonym: str) -> bool:
    """Whether a value tells by itself what it is, so that it is a leak wherever it stands.

    Short ones, plain words and counts are not: `accepted` in a cookie is an English word. Nor is a
    number whose pseudonym is none: it would break JSON.
    """
    if len(value) < _SHORTEST or kind in _NEVER or value.isdigit() != pseudonym.isdigit():
        return False
    if kind in _ALWAYS:
        return True
    if kind == "person_name":
        return " " in value.strip()
    weak = _PHRASE if kind == "cookie" else _WEAK_WORD
    return weak.fullmatch(value) is None


def worth_finding_whole(kind: str, value: str) -> bool:
    """Whether a value too short to be looked for in texts is one where it stands alone.

    The id `u_81` in one field is the same as in another and in a path; a word, a count is not.
    """
    return (
        kind not in _NEVER
        and kind != "person_name"
        and _SHORTEST_WHOLE <= len(value) < _SHORTEST
        and not value.isdigit()
        and looks_opaque(value)
        and any(sign.isalpha() for sign in value)
    )


def found_by_pattern(kind: str) -> bool:
    """Whether patterns find every value of a kind, so that none need be learned."""
    return kind in _FOUND_BY_PATTERN


class Learned:
    """Values and their pseudonyms, found by an index that grows in steps.

    Each level holds some times as many values as the one before it, so that a capture of any length
    builds few of them anew.
    """

    def __init__(self) -> None:
        self._levels: list[tuple[dict[str, str], ahocorasick.Automaton]] = []
        self._fresh: dict[str, str] = {}
        self._wholes: dict[str, str] = {}
        self._long: dict[str, str] = {}

    def add(self, value: str, pseudonym: str) -> None:
        """Learn a value; it is found from the next look on, as it is and as codings write it."""
        if len(value) > _LONGEST:
            self._long[value] = pseudonym
            return
        self._fresh[value] = pseudonym
        if _PLAIN.fullmatch(value):
            return
        for coding in _CODINGS:
            self._fresh.setdefault(coding(value), coding(pseudonym))

    def add_whole(self, value: str, pseudonym: str) -> None:
        """Learn a value that counts only where nothing else stands beside it."""
        self._wholes[value] = pseudonym
        self._fresh[f'"{value}"'] = f'"{pseudonym}"'

    def whole(self, text: str) -> str:
        """What stands in for a text that is a short learned value; else the text."""
        return self._wholes.get(text, text)

    def occurs(self, text: str) -> bool:
        """Whether a text may have a learned value in it; cheap."""
        if self._fresh:
            self._grow()
        if text in self._wholes or any(value in text for value in self._long):
            return True
        return any(next(automaton.iter(text), None) is not None for _, automaton in self._levels)

    def replaced(self, text: str) -> str:
        """A text with every learned value in it replaced where it stands as a word."""
        if text in self._wholes:
            return self._wholes[text]
        if self._fresh:
            self._grow()
        for values, automaton in self._levels:
            places = list(_words(text, automaton))
            if places:
                text = _put(text, places, values)
        for value, pseudonym in self._long.items():
            text = text.replace(value, pseudonym)
        return text

    def _grow(self) -> None:
        from ahocorasick import Automaton

        merged, self._fresh = self._fresh, {}
        while self._levels and len(self._levels[-1][0]) <= _GROWTH * len(merged):
            merged = {**self._levels.pop()[0], **merged}
        for older, _ in self._levels:
            for value in merged.keys() & older.keys():
                older[value] = merged[value]
        automaton = Automaton()
        for value in merged:
            automaton.add_word(value, len(value))
        automaton.make_automaton()
        self._levels.append((merged, automaton))


def _words(text: str, automaton: "ahocorasick.Automaton") -> Iterator[tuple[int, int]]:
    for end, length in automaton.iter_long(text):
        start = end + 1 - length
        if _edge(text, start - 1, start) and _edge(text, end + 1, end):
            yield start, end + 1


def _edge(text: str, outside: int, inside: int) -> bool:
    if not 0 <= outside < len(text):
        return True
    beside, sign = text[outside], text[inside]
    if beside == "." and sign.isdigit():  # a fraction is another number
        beyond = outside + (outside - inside)
        return not (0 <= beyond < len(text) and text[beyond].isdigit())
    return not (beside.isalnum() and sign.isalnum())


def _put(text: str, places: list[tuple[int, int]], values: dict[str, str]) -> str:
    done, last = [], 0
    for start, end in places:
        done += [text[last:start], values[text[start:end]]]
        last = end
    return "".join([*done, text[last:]])
