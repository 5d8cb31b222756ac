"""What the parameters of lists select and how they order, by indexes that rows are found by.

Documents tell little of it; what reference pages tell beside them is a table of rules.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache, partial
from typing import Any

from mockserver.collections import LAST, Index, Store, later_seconds, text_range
from mockserver.collections.query import SortKey
from mockserver.collections.selections import Bounds, ByIndex, ByTest, Selection
from mockserver.googleapi.call import Call
from mockserver.googleapi.discovery import Method
from mockserver.googleapi.errors import invalid
from mockserver.googleapi.lists import order_rank, order_terms, values_at
from mockserver.googleapi.scalars import camel_case
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339, shift_time

Rows = Sequence[JsonObject]
Order = tuple[SortKey, ...]
"""What rows are ordered by, what counts most first."""
Rank = tuple[Any, ...]
_ABSENT = ("\0",)
"""What stands in an index for a text that is not there."""


class UnservedError(Exception):
    """The rows lack what a parameter asks for; the message names it."""


class Ranked:
    """An order of rows, by an index.

    Args:
        name: What it is called.
        rank: What a row is put in order by; it begins with 0, 1 or 2.
        timed: Whether that has timestamps.
        later: Moves a rank where the timestamps of its row are moved.
    """

    def __init__(
        self,
        name: str,
        rank: Callable[[JsonObject], Rank],
        *,
        timed: bool,
        later: Callable[[Rank, int], Rank] | None = None,
    ) -> None:
        self.name = name
        self.rank = rank
        self.values = Index(lambda _, row: (rank(row),), timed=timed, later=later)


class Field(Ranked):
    """One field of all rows: what lists compare with it, and its order.

    Args:
        path: The field, with dots between; items of lists count one by one.
        timed: Whether it has timestamps, which move with the session's clock.
    """

    def __init__(self, path: str, *, timed: bool) -> None:
        super().__init__(
            path, lambda row: order_rank(values_at(row, path)), timed=timed, later=_later_texts
        )
        index = partial(Index, timed=timed)
        self._texts = index(lambda _, row: self._find(row, str), later=_later_texts)
        self._folded = index(lambda _, row: self._find(row, _fold), later=_later_fold)
        self._moments = index(lambda _, row: self._find_moments(row), later=later_times)

    def _find(self, row: JsonObject, text: Callable[[Json], str]) -> Iterable[Rank]:
        values = values_at(row, self.name)
        flat = [part for each in values for part in (each if isinstance(each, list) else [each])]
        return dict.fromkeys((text(each),) for each in flat if each is not None) or (_ABSENT,)

    def _find_moments(self, row: JsonObject) -> Iterable[Rank]:
        return dict.fromkeys((each,) for each in _all_seconds(values_at(row, self.name)))

    def _within(self, table: Store, index: Index, bounds: Sequence[Bounds], words: str) -> ByIndex:
        return ByIndex(table, index, bounds, words=f"{self.name} {words}"[:120])

    def equal(
        self, table: Store, texts: Iterable[str], *, absent: bool = False, folded: bool = False
    ) -> ByIndex:
        """The rows with one of some texts.

        Args:
            table: The rows.
            texts: The texts.
            absent: Whether rows without any are meant, too.
            folded: Whether letter case does not count; the texts are in lower case then.
        """
        wanted = [*((text,) for text in texts), *([_ABSENT] if absent else ())]
        bounds = [(each, (*each, LAST)) for each in wanted]
        return self._within(table, self._folded if folded else self._texts, bounds, f"= {wanted}")

    def unequal(self, table: Store, text: str, *, folded: bool = False) -> ByIndex:
        """The rows whose only text is another, or that have none, which is the empty one."""
        wanted = [(text,), *([] if text else [_ABSENT])]
        edges = [(), *(edge for each in sorted(wanted) for edge in (each, (*each, LAST))), (LAST,)]
        bounds = list(zip(edges[::2], edges[1::2], strict=True))
        return self._within(table, self._folded if folded else self._texts, bounds, f"!= {text!r}")

    def between(self, table: Store, low: str, high: object = LAST) -> ByIndex:
        """The rows with a text from one up to another."""
        return self._within(table, self._texts, [((low,), (high,))], f"from {low!r}")

    def starting(self, table: Store, text: str, *, folded: bool = False) -> ByIndex:
        """The rows with a text that begins so; letter case does not count where it is folded."""
        low, high = text_range(text)
        index = self._folded if folded else self._texts
        return self._within(table, index, [((low,), (high,))], f"starts with {text!r}")

    def bounded(self, table: Store, bound: str, moment: float) -> ByIndex:
        """The rows with a time on one side of a moment: `>=`, `>`, `<=` or `<`."""
        edge: Rank = (moment, LAST) if bound in {">", "<="} else (moment,)
        bounds = ((), edge) if bound.startswith("<") else (edge, (LAST,))
        return self._within(table, self._moments, [bounds], f"{bound} {moment}")


def _fold(value: Json) -> str:
    return str(value).casefold()


def _later_texts(value: Rank, seconds: int) -> Rank:
    """A value with its timestamps moved, which are texts."""
    shift = timedelta(seconds=seconds)
    return tuple(shift_time(part, shift) if isinstance(part, str) else part for part in value)


def _later_fold(value: Rank, seconds: int) -> Rank:
    return tuple(map(_fold, _later_texts(value, seconds)))


def later_times(value: Rank, seconds: int) -> Rank:
    """A value with its last part moved, a time in seconds since 1970."""
    return (*value[:-1], later_seconds(value[-1], seconds))


@lru_cache(4096)
def field_of(path: str, *, timed: bool = False) -> Field:
    """One field of all rows, by its path."""
    return Field(path, timed=timed)


@cache
def rows_with(test: Callable[[JsonObject], object]) -> Index:
    """The index of the rows that meet a test; `marked` selects them."""
    return Index(lambda _, row: ((),) if test(row) else ())


def marked(table: Store, test: Callable[[JsonObject], object], words: str) -> ByIndex:
    """The rows that meet a test that looks at no time and is always the same."""
    return ByIndex(table, rows_with(test), [((), (LAST,))], words=words)


@dataclass(frozen=True, slots=True)
class ListCall:
    """A call that lists rows.

    Attributes:
        call: The call.
        table: The rows.
        timed: The fields of rows that have timestamps.
        within: What selects rows beside the parameters.
    """

    call: Call
    table: Store
    timed: Set[str] = frozenset()
    within: Sequence[Selection] = ()

    def field(self, path: str) -> Field:
        """A field of the rows."""
        head = path.partition(".")[0]
        return field_of(path, timed=not self.timed.isdisjoint((head, camel_case(head))))

    def window(self, path: str, bound: str, parameter: str) -> Selection:
        """The rows whose time is on one side of what a parameter says; rows without it on neither.

        Raises:
            ApiError: 400; the parameter's value is no time.
        """
        value = self.call.params.get(parameter)
        try:
            limit = epoch_seconds(value)
        except ValueError as error:
            text = f"Invalid value '{value}' for {parameter}: not a time."
            raise invalid(text, location=parameter) from error
        return self.field(path).bounded(self.table, bound, limit)

    def tested(self, test: Callable[[JsonObject], bool], words: str) -> Selection:
        """The rows that meet a test that no index knows."""
        return ByTest(self.table, test, words[:80])

    def meeting(self, text: str, parameter: str) -> Selection:
        """The rows that a filter of AIP-160 means.

        Raises:
            ApiError: 400; the text is not in the language.
        """
        # loaded when a list first filters
        from mockserver.googleapi.row_filters import row_selection

        return row_selection(text, self.table, parameter)


def filter_rows(asked: ListCall) -> Selection | None:
    """The rows that the `filter` of a list means; None when there is none.

    Raises:
        ApiError: 400; the text is not in the language.
    """
    text = str(asked.call.params.get("filter") or "")
    return asked.meeting(text, "filter") if text.strip() else None


def sort_keys(asked: ListCall, terms: str, parameter: str = "orderBy") -> Order:
    """What rows are ordered by that a text of AIP-132 asks for.

    Raises:
        ApiError: 400; the order cannot be read.
    """
    return tuple((asked.field(path), down) for path, down in order_terms(terms, parameter))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentParameter(ListCall):
    """One parameter of a list, as it was sent.

    Attributes:
        method: What lists.
        name: The parameter.
        value: Its value; None when it was not sent.
    """

    method: Method
    name: str
    value: Json

    @property
    def texts(self) -> tuple[str, ...]:
        """Its values: of a list, or of text with commas."""
        several = self.value if isinstance(self.value, list) else [self.value]
        return tuple(part.strip() for each in several for part in str(each).split(","))


RowRule = Callable[[SentParameter], Selection | Order | None]
"""What a parameter selects, or how it orders; None for all rows as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class ListRules:
    """The rules of one list; parameters without a rule mean what its document tells.

    Attributes:
        rules: Parameter to its rule.
        unsent: Parameters whose rules leave rows out also when they are not sent.
        select: What parameters select that work together, as far as an index knows, or None.
        arrange: The rows that a call asks for by them, of those that are selected, or None; what
            is no sequence is read as far as pages need.
        together: These parameters, each of which it honours or refuses.
        order: What rows are ordered by where the call asks for no order.
        keeps_empty: Whether an answer without rows has an empty list, not no list.
    """

    rules: Mapping[str, RowRule] = field(default_factory=dict)
    unsent: Set[str] = frozenset()
    select: Callable[[ListCall], Sequence[Selection]] | None = None
    arrange: Callable[[Call, Rows], Iterable[JsonObject]] | None = None
    together: Set[str] = frozenset()
    order: Order = ()
    keeps_empty: bool = False


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


def _all_seconds(values: Iterable[Json]) -> Iterator[float]:
    for each in values:
        try:
            yield epoch_seconds(each)
        except ValueError:
            continue
