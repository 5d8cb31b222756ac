"""One difference, and how much it may break."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class Tier(IntEnum):
    """How much a change may break, the least first."""

    COUNT = 0
    """Counts: of resources, pages, and occurrences of a field."""
    ADDED = 1
    """A method, collection or field is new."""
    VALUES = 2
    """The set of words or statuses of a field has changed."""
    TYPE = 3
    """A field has a new type."""
    REMOVED = 4
    """A method, collection or field is gone, or all calls of a method now fail."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        tier: How much it may break.
        subject: The method or collection.
        path: The field, as `/users/*/name`; empty for the subject itself.
        message: One sentence: what was, what is.
    """

    tier: Tier
    subject: str
    path: str
    message: str


def sort_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Each change once, the worst tier first, then by subject and path."""
    unique = dict.fromkeys(changes)
    return tuple(sorted(unique, key=lambda each: (-each.tier, each.subject, each.path)))
