"""Finds the recording of a call of a model that differs in names alone.

A name in a prompt is found by redaction only where something else tells that it is one, such as a
field of a tool's answer that comes later. So it is a pseudonym in the recording, and a name in the
request that is made again.
"""

import re
from functools import lru_cache

from mockserver.cassettes.matching import Scrub
from mockserver.model import Json

_NAME = re.compile(r"(?<![^\W_])(Qx(?:[bdfgklmnprstvz][aeiou]){5})(?![^\W_])")
_WORD = r"""([^\s,;.()"'/-]+)"""
"""A word of a name, as it gets its pseudonym."""


class NameBindings:
    """Which name each pseudonym of a recording stands for, as far as requests have told.

    Of one recording a pseudonym is one name, and a name one pseudonym; a pseudonym that was in an
    answer stands for itself as well.

    Args:
        pseudonym: Makes the pseudonym of a word of a name with our key; no name is kept.
        is_own: Whether our key made those of the recording: then they must be the same.
    """

    def __init__(self, pseudonym: Scrub, *, is_own: bool) -> None:
        self._pseudonym = pseudonym
        self._is_own = is_own
        self._names: dict[str, str] = {}
        self._recorded: dict[str, str] = {}

    def fit(self, recorded: Json, asked: Json, scrub: Scrub) -> "dict[str, str] | None":
        """The names by which a recorded value is the one that is asked; None where it is not.

        Args:
            recorded: With the pseudonyms of the recording.
            asked: With names, or pseudonyms of ours.
            scrub: Leaves out of a text what does not count.
        """
        found: dict[str, str] = {}
        return found if self._is_same(recorded, asked, scrub, found) else None

    def bind(self, names: dict[str, str]) -> None:
        """Hold on to what `fit` has found."""
        self._names |= names
        self._recorded |= {name: recorded for recorded, name in names.items()}

    def _is_same(self, recorded: Json, asked: Json, scrub: Scrub, found: dict[str, str]) -> bool:
        if isinstance(recorded, dict):
            return (
                isinstance(asked, dict)
                and recorded.keys() == asked.keys()
                and all(self._is_same(recorded[key], asked[key], scrub, found) for key in recorded)
            )
        if isinstance(recorded, list):
            return (
                isinstance(asked, list)
                and len(recorded) == len(asked)
                and all(
                    self._is_same(one, other, scrub, found)
                    for one, other in zip(recorded, asked, strict=True)
                )
            )
        if isinstance(recorded, str) and isinstance(asked, str):
            return self._is_same_text(recorded, asked, scrub, found)
        return type(recorded) is type(asked) and recorded == asked

    def _is_same_text(self, recorded: str, asked: str, scrub: Scrub, found: dict[str, str]) -> bool:
        parts = _NAME.split(recorded)
        pattern = _pattern(tuple(map(scrub, parts[::2])))
        made = pattern.fullmatch(_scrub_beside_names(asked, scrub))
        return made is not None and all(
            self._is_name(pseudonym, word, found)
            for pseudonym, word in zip(parts[1::2], made.groups(), strict=True)
        )

    def _is_name(self, recorded: str, word: str, found: dict[str, str]) -> bool:
        if word == recorded:  # said again, as it was answered
            return True
        name = self._pseudonym(word)
        if self._is_own:
            return name == recorded
        known = self._names.get(recorded, found.get(recorded))
        if known is not None:
            return known == name
        if name in self._recorded or name in found.values():
            return False
        found[recorded] = name
        return True


def has_names(value: Json) -> bool:
    """Whether a pseudonym of a name stands in a value."""
    if isinstance(value, dict):
        return any(map(has_names, value.values()))
    if isinstance(value, list):
        return any(map(has_names, value))
    return isinstance(value, str) and "Qx" in value and _NAME.search(value) is not None


@lru_cache(256)
def _pattern(literals: tuple[str, ...]) -> "re.Pattern[str]":
    return re.compile(_WORD.join(map(re.escape, literals)))


def _scrub_beside_names(text: str, scrub: Scrub) -> str:
    parts = _NAME.split(text)
    return "".join(part if at % 2 else scrub(part) for at, part in enumerate(parts))
