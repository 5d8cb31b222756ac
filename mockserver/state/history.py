"""What a session changed, in order: seen late, watched, and taken back."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile

from mockserver.model import JsonObject

REMEMBERED = 10_000
"""How many changes a session remembers; older ones cannot be watched or taken back."""


@dataclass(slots=True, eq=False)
class Change:
    """One change of one row; equal only to itself.

    Attributes:
        number: Its number in the session, from 1.
        request: The number in the journal of the request that made it; 0 for none.
        collection: The table's name.
        key: The row's key.
        before: The row as it was, or None when there was none.
        after: The row as it became, or None when it was deleted.
        at: When, in session time.
        added_at: Where the row stood among those that were added; -1 for a row of the base.
        is_first: Whether it was the first in its collection.
    """

    number: int
    request: int
    collection: str
    key: str
    before: JsonObject | None
    after: JsonObject | None
    at: datetime
    added_at: int
    is_first: bool


class History:
    """The latest changes of a session.

    Attributes:
        latest: The number of the latest one.
        request: The number in the journal of the request that is answered now.
        delayed_from: The number of the last change that is not to be seen late; None until a rule
            wants some to be.
    """

    __slots__ = ("_changes", "delayed_from", "latest", "request")

    def __init__(self) -> None:
        self._changes: deque[Change] | None = None  # most sessions of a crowd change nothing
        self.latest = 0
        self.request = 0
        self.delayed_from: int | None = None

    def add(self, change: Change) -> None:
        """Note a change."""
        if self._changes is None:
            self._changes = deque(maxlen=REMEMBERED)
        self._changes.append(change)
        self.latest = change.number

    def forget(self, change: Change) -> None:
        """Forget the latest change, which was taken back."""
        if self._changes and self._changes[-1] is change:
            self._changes.pop()
            self.latest -= 1

    def since(self, number: int) -> list[Change] | None:
        """The changes after a number; None where some of them are forgotten."""
        changes = self._changes or ()
        first = changes[0].number if changes else self.latest + 1
        if number + 1 < first:
            return None
        return list(islice(changes, number + 1 - first, None))

    def before_latest_request(self) -> int:
        """The number of the last change before the latest request that changed anything."""
        changes = list(self._changes or ())
        of_it = takewhile(lambda each: each.request == changes[-1].request, reversed(changes))
        return self.latest - sum(1 for _ in of_it)

    def late(self) -> list[Change]:
        """The changes that may be seen late."""
        start = self.latest if self.delayed_from is None else self.delayed_from
        return [change for change in self._changes or () if change.number > start]
