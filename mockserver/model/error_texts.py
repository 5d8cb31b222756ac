"""The nearest known name, for messages."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

_LISTED = 8
_LONGEST = 200
"""Longer names are shortened in messages, and nothing is like them."""

_COMPARED = 2000
"""Known names that are compared."""

FEW = 20
"""How many of many mistakes a message tells; looking for what was meant costs for each."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known name, or lists a few; empty when none is known.

    >>> did_you_mean("conector", ["connector", "policy"])
    "did you mean 'connector'?"
    """
    by_folded = {item.casefold(): item for item in known}
    close: list[str] = []
    if len(name) <= _LONGEST:  # difflib reads a name whole before it compares it with any
        close = get_close_matches(name.casefold(), list(islice(by_folded, _COMPARED)), cutoff=0.6)
    if close:
        return f"did you mean {by_folded[close[0]]!r}?"
    names = sorted(by_folded.values())
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"known: {', '.join(names[:_LISTED])}{more}" if names else ""


def most_alike(text: str, known: Iterable[str], least: float = 0.0) -> tuple[float, str]:
    """How much alike the most similar of some names is, from 0 to 1, and that name.

    Args:
        text: What was asked.
        known: The names.
        least: How much alike a name must be; where none is, the name is empty.

    >>> most_alike("GET /v1/books", ["GET /v1/shelves", "GET /v1/book"])
    (0.96, 'GET /v1/book')
    """
    text = text.casefold()[:_LONGEST]
    parts = set(text.split("/"))
    names = [(name.casefold()[:_LONGEST], number, name) for number, name in enumerate(known)]
    # what is probably nearest comes first, so that most of the others need not be compared
    names.sort(key=lambda each: -len(parts.intersection(each[0].split("/"))))
    places: dict[str, int] = {}
    for place, sign in enumerate(text):
        places[sign] = places.get(sign, 0) | 1 << place
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(text)
    most, alike = least, list[tuple[int, float, str]]()
    for folded, number, name in names:
        length = len(text) + len(folded)
        if length and 2.0 * min(len(text), len(folded)) / length < most:
            continue
        if length and 2.0 * _longest_in_order(folded, places, len(text)) / length < most:
            continue
        matcher.set_seq1(folded)
        ratio = matcher.ratio()
        if ratio > most:
            most, alike = ratio, []
        if ratio == most:
            alike.append((number, matcher.quick_ratio(), name))
    alike.sort()
    best = alike[0][2] if alike and most > least else ""
    return most, max([best, *(name for _, signs, name in alike if signs > most)])


def _longest_in_order(text: str, places: Mapping[str, int], length: int) -> int:
    """How many signs of a text another one has in the same order: none has more in common.

    Args:
        text: The text.
        places: Where the other one has each sign, as bits.
        length: How long that is.
    """
    left = ones = (1 << length) - 1
    for sign in text:
        found = left & places.get(sign, 0)
        left = (left + found) | (left - found)
    return length - (left & ones).bit_count()


def shortened(text: str) -> str:
    """A text of a request as a message repeats it.

    >>> len(shortened("x" * 1_000_000))
    203
    """
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def first_few(lines: Sequence[str], count: int | None = None) -> str:
    """The first few of many mistakes, and how many there are.

    Args:
        lines: What is told of each.
        count: How many there are, where `lines` has not all of them.

    >>> first_few(["a"] * 22).splitlines()[-1]
    'and 2 more'
    """
    more = (len(lines) if count is None else count) - FEW
    return "\n".join([*lines[:FEW], f"and {more} more"] if more > 0 else lines)
