"""Texts that people are shown: without the credentials that are known by their shape."""

from functools import cache
from typing import Any

import re2

from mockserver.redaction.match_checks import passes_check
from mockserver.redaction.readers.texts import is_word_of_prose
from mockserver.redaction.rule import Rule
from mockserver.redaction.rules import RuleSet

_MEMORY = 256 << 20
"""Bytes for the states of so many patterns at once; with fewer the search is slow, and says so."""

_LIKELY = "secretlike"
_WINDOW = 4096
"""Characters after the beginning of a find in which what it tells ends."""


def hide_credentials(text: str, instead: str) -> str:
    """A text with something else in the place of each credential.

    What stands beside the word password is one unless it is a word that is said of passwords. The
    words after "token:" stay, as texts about tokens are full of these.

    Args:
        text: The text; no lone surrogates.
        instead: What stands in the place of each, and of what tells that it is one.

    >>> hide_credentials("Password guessing, with password: Winter2026", "[...]")
    'Password guessing, with [...]'
    """
    known: str = _pattern(likely=False).sub(instead, text)
    parts, kept = [], 0
    for found in _pattern(likely=True).finditer(known):
        start, end = _place_of_credential(known, found)
        if start >= kept and end:
            parts += [known[kept:start], instead]
            kept = end
    return "".join((*parts, known[kept:]))


def _place_of_credential(text: str, found: Any) -> tuple[int, int]:
    """Where a credential stands that a find tells, or one that begins inside it; 0, 0 for none."""
    first, beyond = found.start(), found.end()
    window, at = text[first : beyond + _WINDOW], 0  # the whole text would be encoded each time
    likely = _pattern(likely=True)
    while (found := likely.search(window, at)) is not None and first + found.start() < beyond:
        value = next(filter(None, reversed(found.groups())), "")
        if is_word_of_prose(value) or passes_check(_LIKELY, value):
            return first + found.start(), first + found.end()
        at = found.start() + 1
    return 0, 0


@cache
def _pattern(*, likely: bool) -> Any:
    patterns = (
        rule.pattern
        for rule in RuleSet.default().rules
        if _is_shown_by_shape(rule) and (rule.check == _LIKELY) == likely
    )
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns), options)


def _is_shown_by_shape(rule: Rule) -> bool:
    return rule.credential and bool(rule.pattern) and rule.kind != "assigned"
