"""Text folded for comparison: how lint decides that a prompt or marker says the same."""

import unicodedata
from fnmatch import fnmatchcase

_SHORTEST = 4


def folded(text: str) -> str:
    """NFKC, case folded, everything but letters and digits one space; a space at both ends.

    >>> folded("POLICY_LIMIT (402)")
    ' policy limit 402 '
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    return f" {' '.join(words)} "


def is_named(name: str, glob: str) -> bool:
    """Whether a glob of a rule stands for a name, letter case aside, as the checks hold it.

    >>> is_named("delete_user", "Delete_*")
    True
    """
    return fnmatchcase(name.casefold(), glob.casefold())


def slipped(text: str, other: str) -> bool:
    """Whether texts differ by one slip of the hand: a letter too many, too few, wrong, or swapped.

    Letter case does not matter, and texts of fewer than four letters tell nothing.

    >>> slipped("getTikcet", "getTicket"), slipped("user", "users"), slipped("list", "last one")
    (True, True, False)
    """
    one, two = sorted((text.casefold(), other.casefold()), key=len)
    if one == two or len(one) < _SHORTEST or len(two) - len(one) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))
    rest, left = one[start:], two[start:]
    if len(one) < len(two):
        return rest == left[1:]
    return rest[1:] == left[1:] or (rest[:2] == left[1::-1] and rest[2:] == left[2:])


def says(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words.

    >>> says("The rollout failed", "OU"), says("Check the OU.", "ou")
    (False, True)
    """
    wanted = folded(phrase)
    return bool(wanted.strip()) and wanted in folded(text)
