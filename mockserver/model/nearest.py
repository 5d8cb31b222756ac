"""The nearest known name, for messages."""

from collections.abc import Iterable
from difflib import get_close_matches

_LISTED = 8


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known name, or lists a few; empty when none is known.

    >>> did_you_mean("conector", ["connector", "policy"])
    "did you mean 'connector'?"
    """
    by_folded = {item.casefold(): item for item in known}
    close = get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    if close:
        return f"did you mean {by_folded[close[0]]!r}?"
    names = sorted(by_folded.values())
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"known: {', '.join(names[:_LISTED])}{more}" if names else ""
