"""What reference pages tell of the parameters of lists, where documents do not: rules over rows."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from mockserver.collections import Index
from mockserver.googleapi.call import Call
from mockserver.googleapi.discovery import Method
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

Rows = Sequence[JsonObject]
IndexedValue = tuple[Index, tuple[str, ...]]
"""An index, and the value by which it finds rows."""


class UnservedError(Exception):
    """The rows lack what a parameter asks for; the message names it."""


@dataclass(frozen=True, slots=True)
class SentParameter:
    """One parameter of a list, as it was sent.

    Attributes:
        method: What lists.
        call: The call.
        name: The parameter.
        value: Its value; None when it was not sent.
    """

    method: Method
    call: Call
    name: str
    value: Json

    @property
    def texts(self) -> tuple[str, ...]:
        """Its values: of a list, or of text with commas."""
        several = self.value if isinstance(self.value, list) else [self.value]
        return tuple(part.strip() for each in several for part in str(each).split(","))


RowRule = Callable[[SentParameter, Rows], Rows]


@dataclass(frozen=True, slots=True, eq=False)
class ListRules:
    """The rules of one list; parameters without a rule mean what its document tells.

    Attributes:
        rules: Parameter to its rule.
        unsent: Parameters whose rules leave rows out also when they are not sent.
        select: The rows that a call asks for by parameters that work together, or None.
        together: These parameters, each of which it honours or refuses.
        having: What all rows have that a call asks for, where an index knows them; or None.
    """

    rules: Mapping[str, RowRule] = field(default_factory=dict)
    unsent: Set[str] = frozenset()
    select: Callable[[Method, Call, Rows], Rows] | None = None
    together: Set[str] = frozenset()
    having: Callable[[Call], IndexedValue | None] | None = None


def epoch_seconds(value: Json) -> float:
    """A time in seconds since 1970: of RFC 3339 text, a date, or milliseconds.

    Raises:
        ValueError: None of them.

    >>> epoch_seconds("1970-01-02"), epoch_seconds("1970-01-01T00:00:05Z"), epoch_seconds("5000")
    (86400.0, 5.0, 5.0)
    """
    text = str(value)
    if text.lstrip("-").isdecimal():
        return int(text) / 1000
    if "T" in text or "t" in text or " " in text:
        return parse_rfc3339(text).timestamp()
    day = date.fromisoformat(text)
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
