"""The nearest known name, for messages."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known name, or lists a few; empty when none is known.

    >>> did_you_mean("orgunit", ["orgUnits", "users"])
    "did you mean 'orgUnits'?"
    """
    by_folded = {item.casefold(): item for item in known}
    close = get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    if close:
        return f"did you mean {by_folded[close[0]]!r}?"
    some = sorted(by_folded.values())
    more = f" and {len(some) - 8} more" if len(some) > 8 else ""
    return f"known: {', '.join(some[:8])}{more}" if some else ""
