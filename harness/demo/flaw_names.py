"""Finds what the name of a flaw stands for, for every bundled agent."""

from collections.abc import Mapping
from typing import TypeVar

Flaws = TypeVar("Flaws")


def flaws_of(name: str, known: Mapping[str, Flaws], none: Flaws) -> Flaws:
    """The flaws that a name stands for; an empty name stands for none.

    Raises:
        ValueError: No flaw has that name.
    """
    if not name:
        return none
    if name not in known:
        raise ValueError(f"no flaw is called {name!r}; there are {', '.join(known)}")
    return known[name]
