"""Values that were found by their field, found again wherever else they stand."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ahocorasick

_SHORTEST = 6
_GROWTH = 4
_FOUND_BY_PATTERN = frozenset({"email", "ipv4", "ipv6", "mac", "uuid", "jwt", "org_unit"})
_NEVER = frozenset({"domain", "etag", "city", "postal_code", "birth"})
_WEAK_WORD = re.compile(r"[A-Za-z]{1,11}|[A-Z_]+|[\d.:T+Z-]{1,7}")
_ALWAYS = frozenset({"password", "secret", "client_secret"})


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
    return _WEAK_WORD.fullmatch(value) is None


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

    def add(self, value: str, pseudonym: str) -> None:
        """Learn a value; it is found from the next look on."""
        self._fresh[value] = pseudonym

    def replaced(self, text: str) -> str:
        """A text with every learned value in it replaced where it stands as a word."""
        if self._fresh:
            self._grow()
        for values, automaton in self._levels:
            places = list(_words(text, automaton))
            if places:
                text = _put(text, places, values)
        return text

    def _grow(self) -> None:
        from ahocorasick import Automaton

        merged, self._fresh = self._fresh, {}
        while self._levels and len(self._levels[-1][0]) <= _GROWTH * len(merged):
            merged = {**self._levels.pop()[0], **merged}
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
    return not (text[outside].isalnum() and text[inside].isalnum())


def _put(text: str, places: list[tuple[int, int]], values: dict[str, str]) -> str:
    done, last = [], 0
    for start, end in places:
        done += [text[last:start], values[text[start:end]]]
        last = end
    return "".join([*done, text[last:]])
