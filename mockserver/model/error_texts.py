"""The nearest known name, for messages."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
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
