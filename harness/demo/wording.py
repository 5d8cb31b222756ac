"""Finding words in what a person wrote."""

import re
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[^a-z0-9@.]+")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def plain(text: str) -> str:
    """Lower case, words separated by one space, a space at both ends.

    >>> plain("Why is Safe-Browsing off?")
    ' why is safe browsing off '
    """
    words = (word.strip(".") for word in _SEPARATORS.split(text.lower()))
    return f" {' '.join(word for word in words if word)} "


def mentions(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text, at word boundaries.

    >>> mentions("The rollout stopped", "out"), mentions("It ran out.", "out")
    (False, True)
    """
    return plain(phrase) in plain(text)


def mentioned(text: str, phrases: Iterable[str]) -> list[str]:
    """Those of the phrases that stand in a text."""
    return [phrase for phrase in phrases if mentions(text, phrase)]


def email_in(text: str) -> str:
    """The first e-mail address of a text, or an empty string.

    >>> email_in("Is ann@example.com affected?")
    'ann@example.com'
    """
    found = _EMAIL.search(text)
    return found.group().rstrip(".") if found else ""


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "rule"), counted(3, "rule"), counted(0, "crash")
    ('1 rule', '3 rules', '0 crashes')
    """
    ending = "" if number == 1 else "es" if noun.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{number} {noun}{ending}"


def listed(things: Iterable[str]) -> str:
    """Things in a row, as a sentence has them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = [*things] or [""]
    return f"{', '.join(most)} and {last}" if most else last
