"""What rows say: rows by a text that theirs contain, found by the words of it.

A text is a line for each thing that a row says, each with a blank before and behind it. A needle
with a blank before it asks for the beginning of a word, one with a blank behind it for its end.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from mockserver.model import JsonObject

_MANY = 4
"""Of so many times the rows it is quicker to look into each text than to join lists of rows."""


class WordIndex:
    """The texts that searches look into; equal to itself only, so it is made once.

    Attributes:
        text: What a row says; empty for nothing. Words are what blanks are between.
    """

    __slots__ = ("text",)

    def __init__(self, text: Callable[[JsonObject], str]) -> None:
        self.text = text


def text_of_lines(lines: Iterable[str]) -> str:
    r"""A text as an index of words has it.

    >>> text_of_lines(["one two", "three"])
    ' one two \n three '
    """
    return "\n".join(f" {line} " for line in lines)


class BaseWords:
    """The words of rows that never change."""

    __slots__ = ("_sorted", "_texts", "_with", "keys")

    def __init__(self, index: WordIndex, rows: Iterable[tuple[str, JsonObject]]) -> None:
        self.keys: list[str] = []
        self._texts: list[str] = []
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        self._sorted: list[str] = []
        having = self._with
        for number, (key, row) in enumerate(rows):
            text = index.text(row)
            self.keys.append(key)
            self._texts.append(text)
            for word in set(text.split()):
                having[word].append(number)

    def text(self, number: int) -> str:
        """What a row says."""
        return self._texts[number]

    def find(self, needle: str) -> set[int]:
        """The numbers of the rows whose texts contain a needle."""
        words = needle.split()
        parts = sorted(self._lists(needle, words), key=lambda lists: sum(map(len, lists)))
        if not words or sum(map(len, parts[0])) > _MANY * len(self._texts):
            return {number for number, text in enumerate(self._texts) if needle in text}
        found: set[int] = set().union(*parts[0])
        for lists in parts[1:]:
            if len(lists) == 1 or sum(map(len, lists)) < len(found):
                found = found.intersection(set().union(*lists))
        word = words[0]
        if needle in {word, f" {word}", f"{word} ", f" {word} "}:
            return found
        texts = self._texts
        return {number for number in found if needle in texts[number]}

    def _lists(self, needle: str, words: Sequence[str]) -> Iterable[list[list[int]]]:
        """For each word of a needle the rows that have one like it, by each such word.

        Yields:
            Lists of numbers.
        """
        having, last = self._with, len(words) - 1
        for place, word in enumerate(words):
            begins = place > 0 or needle[0].isspace()
            ends = place < last or needle[-1].isspace()
            if begins and ends:
                yield [having[word]] if word in having else []
            elif begins:
                yield [having[each] for each in self._starting(word)]
            elif ends:
                yield [rows for each, rows in having.items() if each.endswith(word)]
            else:
                yield [rows for each, rows in having.items() if word in each]

    def _starting(self, beginning: str) -> list[str]:
        if not self._sorted:
            self._sorted = sorted(self._with)
        every = self._sorted
        start = stop = bisect_left(every, beginning)
        while stop < len(every) and every[stop].startswith(beginning):
            stop += 1
        return every[start:stop]


class Words:
    """The words of the rows of a store: those of its base, and of the rows that were written."""

    __slots__ = ("_base", "_gone", "_index", "_own")

    def __init__(self, index: WordIndex, base: BaseWords) -> None:
        self._index = index
        self._base = base
        self._gone: set[int] = set()
        self._own: dict[int, tuple[str, str]] = {}

    def replace(self, key: str, number: int, row: JsonObject | None) -> None:
        """Keep up with a row that was written, or deleted."""
        if number < len(self._base.keys):
            self._gone.add(number)
        if row is None:
            self._own.pop(number, None)
        else:
            self._own[number] = key, self._index.text(row)

    def find(self, needle: str) -> set[int]:
        """The numbers of the rows whose texts contain a needle."""
        found = self._base.find(needle)
        found -= self._gone
        found.update(number for number, (_, text) in self._own.items() if needle in text)
        return found

    def key(self, number: int) -> str:
        """The key of a row."""
        own = self._own.get(number)
        return self._base.keys[number] if own is None else own[0]

    def has(self, number: int, needle: str) -> bool:
        """Whether the text of a row contains a needle."""
        own = self._own.get(number)
        return needle in (self._base.text(number) if own is None else own[1])
