"""Identifiers, codes and addresses that a text quotes."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from harness.model import Json, QuotedKind, search_pattern

_TIME = r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}[\d:.]*(?:[Zz]|[+-]\d{2}:\d{2})?"
_PATTERNS: Mapping[QuotedKind, str] = {
    "email": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    "uuid": r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b",
    "address": r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){3,7})\b",
    "code": r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b",
    "id": r"\b[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*\b",
}
_TICKET = r"^[A-Z]{2,}-\d{2,}$"
_QUANTITY = r"^(?:\d+[A-Za-z]{1,4}|[A-Za-z]+\d{1,2})$"
_SHORTEST = 5


def quotations(text: str, kinds: Iterable[QuotedKind], patterns: Iterable[str]) -> list[str]:
    """What a text quotes, each once, in the order of the kinds.

    A piece of the text is one quotation; times are none.

    Raises:
        PatternError: A pattern is no regular expression, or searches for too long.

    >>> quotations("Ann (ann@example.com) hit POLICY_LIMIT on C0123abcd.", ["email", "id"], [])
    ['ann@example.com', 'C0123abcd']
    """
    rest = _compiled(_TIME).sub(" ", text)
    wanted = set(kinds)
    found: dict[str, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(filter(None, _matches(pattern, rest))))
    for kind, pattern in _PATTERNS.items():
        pieces = _matches(pattern, rest)
        if kind == "id":
            pieces = [piece for piece in pieces if _is_identifier(piece)]
        else:
            rest = _compiled(pattern).sub(" ", rest)
        found.update(dict.fromkeys(pieces if kind in wanted else ()))
    return list(found)


def occurs(piece: str, folded: str) -> bool:
    """Whether a piece stands in a case-folded text, and not within a longer word."""
    wanted = piece.casefold()
    at = folded.find(wanted)
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not (before.isalnum() and wanted[0].isalnum()) and not (
            after.isalnum() and wanted[-1].isalnum()
        ):
            return True
        at = folded.find(wanted, at + 1)
    return False


def texts_of(document: Json) -> list[str]:
    """The keys and plain values of a document as text."""
    found: list[str] = []
    rest = [document]  # a stack and no recursion: an agent may have made it as deep as it likes
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            found += map(str, value)
            rest += value.values()
        elif isinstance(value, list):
            rest += value
        elif value is not None:
            found.append(str(value))
    return found


def _is_identifier(piece: str) -> bool:
    """`C0123abcd`, `HD-17`; but not `step-2`, `100ms`, `top10` or a plain word."""
    if _compiled(_TICKET).search(piece):
        return True
    return any(
        len(part) >= _SHORTEST
        and any(letter.isdigit() for letter in part)
        and any(letter.isalpha() for letter in part)
        and not _compiled(_QUANTITY).search(part)
        for part in piece.replace("_", "-").split("-")
    )


def _matches(pattern: str, text: str) -> list[str]:
    return search_pattern(pattern, ignore_case=False).find_all(text)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)
