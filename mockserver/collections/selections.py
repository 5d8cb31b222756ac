"""Which rows a list means: selections by indexes and by tests, which can be combined.

A selection knows about how many rows it has, so that the one with the fewest is looked up first
and the others are only asked about those.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, Protocol

import orjson

from mockserver.collections.places import value_at
from mockserver.collections.sorted_tree import LAST, Entry
from mockserver.collections.store import Index, Store, text_range
from mockserver.collections.words import WordIndex
from mockserver.model import Json, JsonObject

Operator = Literal[
    "==", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with", "exists"
]
"""How the value of a condition is compared with a field.

`in` takes several values; `contains` looks into texts, letter case aside, and into arrays for an
equal item; `exists` takes `true` and `false`.
"""

_NUMBER_OF = itemgetter(1)
"""Where an entry's row stands among all."""

_FAR_MORE = 8
"""Of so many more rows that meet a condition it is quicker to ask each that is there."""
_FEW = 100
"""Of fewer rows each is asked, where they shall meet several conditions."""
_FAR_MORE_TESTED = 100
"""The same of a column whose values are tested: to make them of a row takes far longer."""

Bounds = tuple[Any, Any]
"""The first value that is meant, and what is behind the last."""


class Selection(Protocol):
    """Some rows of a store."""

    def __len__(self) -> int:
        """About how many rows it has: no fewer than are in it."""
        ...

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        ...

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        ...

    def explain(self) -> str:
        """What it looks for and where, in words."""
        ...


class ByIndex:
    """The rows that an index has within bounds.

    Args:
        store: The rows.
        index: The index.
        bounds: Which of its values are meant.
        test: What a value within them must meet, too; None for nothing.
        words: What is looked for, for explanations.
        is_exact: Whether no row has two values within the bounds, so that its length is not too
            great.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        bounds: Sequence[Bounds],
        test: Callable[[Any], bool] | None = None,
        words: str = "",
        *,
        is_exact: bool = False,
    ) -> None:
        self._store = store
        self.index = index
        self.is_exact = is_exact
        self._test = test
        self._words = words
        self._tested: list[Entry] | None = None
        found = [(each, store.between(index, *each)) for each in bounds]
        self._bounds = [each for each, rows in found if len(rows)]
        self.ranges = [rows for _, rows in found if len(rows)]

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    @property
    def is_column(self) -> bool:
        """Whether each of its values is tested."""
        return self._test is not None

    @property
    def bounds(self) -> Bounds | None:
        """The bounds of its rows, where they stand side by side in the index; else None."""
        return self._bounds[0] if len(self._bounds) == 1 and self._test is None else None

    def entries(self) -> list[Entry]:
        """What the index has of them, in no order; a row may be there twice.

        Values of times are those that the snapshot has, unless they are tested.
        """
        if self._tested is not None:
            return self._tested
        test = self._test
        found: list[Entry] = []
        for each in self.ranges:
            found += each.places() if test is None else each.entries()
        if test is None:
            return found
        self._tested = [entry for entry in found if test(entry[0])]
        return self._tested

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        found = list({entry[1]: entry for entry in self.entries()}.values())
        found.sort(key=_NUMBER_OF)
        return found

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        more = _FAR_MORE if self._test is None else _FAR_MORE_TESTED
        if len(self) > more * len(places):
            get = self._store.get
            return [each for each in places if self._holds(each[2], get(each[2]) or {})]
        numbers = set(map(_NUMBER_OF, self.entries()))
        return [each for each in places if each[1] in numbers]

    def value_by_value(self, places: Sequence[Entry]) -> list[Entry]:
        """Some of its rows in the order of its bounds, each of which is of one value."""
        get, values = self._store.get, self.index.values
        numbers = {low: number for number, (low, _) in enumerate(self._bounds)}

        def number(entry: Entry) -> int:
            row = get(entry[2]) or {}
            return min(numbers[each] for each in values(entry[2], row) if each in numbers)

        return sorted(places, key=number)

    def _holds(self, key: str, row: JsonObject) -> bool:
        test = self._test
        for value in self.index.values(key, row):
            for low, high in self._bounds:
                if low <= value < high and (test is None or test(value)):
                    return True
        return False

    def explain(self) -> str:
        """What it looks for and where, in words."""
        how = "index" if self._test is None else "column"
        return f"{how} {self._words or 'of the collection'}: {len(self)} of {len(self._store)} rows"


class ByWords:
    """The rows whose texts contain a text.

    Args:
        store: The rows.
        index: Their texts.
        needle: The text, as `mockserver.collections.words` tells.
    """

    def __init__(self, store: Store, index: WordIndex, needle: str) -> None:
        self._store = store
        self._words = store.words(index)
        self._needle = needle

    @cached_property
    def numbers(self) -> set[int]:
        """Where its rows stand among all; not to be changed."""
        return self._words.find(self._needle)

    def __len__(self) -> int:
        return len(self.numbers)

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        key = self._words.key
        return [((), number, key(number)) for number in sorted(self.numbers)]

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        numbers = self.numbers
        return [each for each in places if each[1] in numbers]

    def explain(self) -> str:
        """What it looks for and where, in words."""
        words = self._needle.strip()[:80]
        return f"words {words!r}: {len(self)} of {len(self._store)} rows"


class AllOf:
    """The rows that are in each of several selections."""

    def __init__(self, parts: Iterable[Selection]) -> None:
        self.parts = sorted(parts, key=len)

    def __len__(self) -> int:
        return len(self.parts[0])

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        found = self.parts[0].places()
        for each in self.parts[1:]:
            found = each.among(found)
        return found

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        found = list(places)
        for each in self.parts:
            found = each.among(found)
        return found

    def explain(self) -> str:
        """What it looks for and where, in words."""
        return ", then ".join(each.explain() for each in self.parts)


class AnyOf:
    """The rows that are in one of several selections.

    Attributes:
        parts: The selections.
    """

    def __init__(self, parts: Iterable[Selection]) -> None:
        self.parts = list(parts)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        found = chain.from_iterable(each.places() for each in self.parts)
        return sorted({entry[1]: entry for entry in found}.values(), key=_NUMBER_OF)

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        numbers = {entry[1] for each in self.parts for entry in each.among(places)}
        return [each for each in places if each[1] in numbers]

    def explain(self) -> str:
        """What it looks for and where, in words."""
        return f"({' or '.join(each.explain() for each in self.parts)})"


class Without:
    """The rows that are not in a selection.

    Attributes:
        part: The selection.
    """

    def __init__(self, store: Store, part: Selection) -> None:
        self._store = store
        self.part = part

    def __len__(self) -> int:
        return len(self._store)

    def every(self) -> set[int]:
        """Where all rows stand, those too that are not in it."""
        return set(map(_NUMBER_OF, self._store.in_order().entries()))

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        return self.among(self._store.in_order().entries())

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        numbers = set(map(_NUMBER_OF, self.part.among(places)))
        return [each for each in places if each[1] not in numbers]

    def explain(self) -> str:
        """What it looks for and where, in words."""
        return f"all but ({self.part.explain()})"


def count_of(selection: Selection) -> int:
    """How many rows a selection has."""
    is_exact = isinstance(selection, ByIndex) and selection.is_exact
    return len(selection) if is_exact else len(numbers_of(selection))


def numbers_of(selection: Selection) -> Set[int]:
    """Where the rows of a selection stand among all, in no order."""
    if isinstance(selection, ByIndex):
        return set(map(_NUMBER_OF, selection.entries()))
    if isinstance(selection, ByWords):
        return selection.numbers
    if isinstance(selection, AnyOf):
        return set().union(*map(numbers_of, selection.parts))
    if isinstance(selection, Without):
        return selection.every() - numbers_of(selection.part)
    if isinstance(selection, AllOf):
        first, *more = selection.parts
        columns = [each for each in selection.parts if getattr(each, "is_column", False)]
        is_known = not any(isinstance(each, ByTest) for each in selection.parts)
        sizes = (len(each.part if isinstance(each, Without) else each) for each in more)
        is_near = max(sizes, default=0) <= _FAR_MORE * max(len(first), _FEW)
        if is_known and is_near and len(columns) <= 1:
            found = numbers_of(first)
            for each in more:
                if isinstance(each, Without):
                    found = found - numbers_of(each.part)
                else:
                    found = found & numbers_of(each)
            return found
    return set(map(_NUMBER_OF, selection.places()))


class ByTest:
    """The rows that meet a test that no index knows.

    Args:
        store: The rows.
        test: The test of a row.
        words: What it asks, for explanations.
    """

    def __init__(self, store: Store, test: Callable[[JsonObject], bool], words: str) -> None:
        self._store = store
        self._test = test
        self._words = words

    def __len__(self) -> int:
        return len(self._store)

    def places(self) -> list[Entry]:
        """The entries of its rows, in the order of the store."""
        return self.among(self._store.in_order().entries())

    def among(self, places: Sequence[Entry]) -> list[Entry]:
        """Those of some rows that are in it, in the same order."""
        rows = self._store.rows_of(places)
        return [each for each, row in zip(places, rows, strict=True) if self._test(row)]

    def explain(self) -> str:
        """What it looks for and where, in words."""
        return f"each row asked: {self._words}"


# --- fields and the texts of queries ---

_BOOLEANS = {"true": True, "false": False}
NOTHING = (9,)
"""The rank of a value that is not there: behind all others."""

_BOOLEAN, _NUMBER, _TEXT, _OTHER = range(4)
_ITEM = 10


class FieldIndexes:
    """One field of all rows.

    Attributes:
        name: The field, with dots between for what is inside others.
        values: Rows by the value, and behind all values by each item of one that is an array.
        texts: Rows by the value as text without letter case, for what is looked for in it.
    """

    def __init__(self, field: str, *, timed: bool = False) -> None:
        self.name = field
        self._outer, *self._inside = field.split(".")
        self._rank_of = _rank_of_moment if timed else _rank_of
        self.values = Index(self._find_values, timed=timed)
        self.texts = Index(self._find_texts, timed=timed)

    def rank(self, row: JsonObject) -> tuple[Any, ...]:
        """What a row is put in order by."""
        return self._rank_of(self._value(row))

    def _value(self, row: JsonObject) -> Json:
        value = row.get(self._outer)
        return value_at(value, self._inside) if self._inside else value

    def _find_values(self, _: str, row: JsonObject) -> Iterable[Any]:
        value, rank_of = self._value(row), self._rank_of
        if not isinstance(value, list):
            return (rank_of(value),)
        return (rank_of(value), *dict.fromkeys((_ITEM, *rank_of(item)) for item in value))

    def _find_texts(self, _: str, row: JsonObject) -> Iterable[Any]:
        rank = _rank_of(self._value(row))
        return () if rank == NOTHING else (_text_of(rank).casefold(),)

    def select(self, store: Store, op: Operator, wanted: Sequence[str]) -> Selection:
        """Which rows a condition holds for.

        Args:
            store: The rows.
            op: How values are compared.
            wanted: What they are compared with, as a query has it.
        """
        text = wanted[-1]
        words = f"{self.name} {op} {','.join(wanted)[:80]}"
        match op:
            case "in" | "==":
                texts = wanted if op == "in" else [text]
                return self._among(store, chain.from_iterable(map(self._equal_to, texts)), words)
            case "!=":
                return self._without(store, list(self._equal_to(text)), words)
            case "exists":
                absent = self._among(store, [NOTHING], f"no {self.name}")
                is_absence = text.casefold() in {"false", "0", "no"}
                return absent if is_absence else self._without(store, [NOTHING], words)
            case "<" | "<=" | ">" | ">=":
                bounds = list(self._compared(op, text))
                return ByIndex(store, self.values, bounds, words=words, is_exact=True)
            case _:
                return self._with_text(store, op, text.casefold(), words)

    def _among(self, store: Store, ranks: Iterable[tuple[Any, ...]], words: str) -> ByIndex:
        bounds = [(rank, (*rank, LAST)) for rank in dict.fromkeys(ranks)]
        return ByIndex(store, self.values, bounds, words=words)

    def _without(self, store: Store, ranks: Sequence[tuple[Any, ...]], words: str) -> Selection:
        """The rows that have none of some values: each has one, and besides the items of it."""
        own = sorted({rank for rank in ranks if rank < (_ITEM,)})
        edges = [(), *(edge for rank in own for edge in (rank, (*rank, LAST))), (*NOTHING, LAST)]
        bounds = list(zip(edges[::2], edges[1::2], strict=True))
        others = ByIndex(store, self.values, bounds, words=words, is_exact=True)
        items = self._among(store, [rank for rank in ranks if rank >= (_ITEM,)], f"items, {words}")
        return AllOf([others, Without(store, items)]) if len(items) else others

    def _with_text(self, store: Store, op: str, needle: str, words: str) -> ByIndex:
        if op == "starts_with":
            return ByIndex(store, self.texts, [text_range(needle)], words=words)
        if op == "ends_with":
            test: Callable[[str], bool] = lambda text: text.endswith(needle)  # noqa: E731
        else:
            test = lambda text: needle in text  # noqa: E731
        return ByIndex(store, self.texts, [text_range("")], test, words)

    def _equal_to(self, text: str) -> Iterator[tuple[Any, ...]]:
        """The ranks of values that a text means, and of the items of arrays that it means.

        Yields:
            Ranks.
        """
        for rank in (self._rank_of(text), *_possible_values(text)):
            yield rank
            yield (_ITEM, *rank)

    def _compared(self, op: str, text: str) -> Iterator[Bounds]:
        """The values that meet an order; numbers are compared with numbers, texts with texts.

        Yields:
            Bounds of ranks.
        """
        for rank in {self._rank_of(text), *_possible_values(text)}:
            behind = (*rank, LAST)
            if op in {"<", "<="}:
                yield rank[:1], behind if op == "<=" else rank
            else:
                yield rank if op == ">=" else behind, (rank[0] + 1,)


class TextIndex:
    """The texts of rows that searches look into, without letter case.

    Args:
        fields: The fields; every text of a row when empty.
        timed: Whether some of them have timestamps.
    """

    def __init__(self, fields: Sequence[str], *, timed: bool = False) -> None:
        self._places = [tuple(field.split(".")) for field in fields]
        self._texts = Index(lambda _, row: (self._text(row).casefold(),), timed=timed)

    def with_word(self, store: Store, word: str) -> ByIndex:
        """The rows with a word, of which they may have more than it."""
        words = f"texts with {word[:80]!r}"
        return ByIndex(store, self._texts, [text_range("")], lambda text: word in text, words)

    def _text(self, row: JsonObject) -> str:
        waiting = [value_at(row, place) for place in self._places] if self._places else [row]
        found: list[str] = []
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, dict):
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
        return "\n".join(found)


def _rank_of(value: Json) -> tuple[Any, ...]:
    """A value so that it can be ordered among others: truth, numbers, texts, all else."""
    kind = type(value)
    if kind is str:
        return (_TEXT, value)
    if kind is int or kind is float:
        return (_NUMBER, value)
    if value is None:
        return NOTHING
    if kind is bool:
        return (_BOOLEAN, value)
    return (_OTHER, orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


def _rank_of_moment(value: Json) -> tuple[Any, ...]:
    """The rank of a timestamp, whatever its offset and its fraction of a second; else as usual."""
    if type(value) is str and len(value) > len("2026-03-01T00:00"):
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is not None:
                return (_TEXT, moment.astimezone(UTC).isoformat(timespec="microseconds"))
        except (ValueError, OverflowError):
            pass
    return _rank_of(value)


def _possible_values(text: str) -> list[tuple[Any, ...]]:
    """What a text of a query may mean beside itself."""
    found: list[tuple[Any, ...]] = []
    if text in _BOOLEANS:
        found.append((_BOOLEAN, _BOOLEANS[text]))
    if len(text) <= 64:
        try:
            number = float(text)
        except ValueError:
            return found
        if number == number:
            whole = text.removeprefix("-").isdecimal()
            found.append((_NUMBER, int(text) if whole else number))
    return found


def _text_of(rank: tuple[Any, ...]) -> str:
    value = rank[1]
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else orjson.dumps(value).decode()
