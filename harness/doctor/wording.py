"""Lists in sentences."""

from collections.abc import Sequence

_FEW = 3


def named(items: Sequence[str]) -> str:
    """The first few of some things, and how many more there are.

    >>> named(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = len(items) - _FEW
    shown = ", ".join(items[:_FEW])
    return f"{shown} and {more} more" if more > 0 else shown
