"""Names what a session holds instead of what was asked for."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_LONGEST = 500
_COMPARED = 2000
"""A longer name is like none, and more names are not compared."""


def nearest(asked: str, known: Iterable[str]) -> str:
    """The known name that is most like the one asked for, or an empty string.

    >>> nearest("orgunits/03ph1", ["orgunits/03ph2", "groups/1"])
    'orgunits/03ph2'
    """
    if len(asked) > _LONGEST:
        return ""
    found = get_close_matches(asked, list(islice(known, _COMPARED)), n=1, cutoff=0.5)
    return found[0] if found else ""
