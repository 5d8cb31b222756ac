"""Lists of a declared collection: which rows, in which order, and which part of them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import urlencode

import orjson

from mockserver.collections import Store
from mockserver.collections.places import place_of, value_at
from mockserver.collections.query import Query as RowQuery
from mockserver.collections.query import RowKeys
from mockserver.collections.selections import AllOf, FieldIndexes, Selection, TextIndex
from mockserver.declared.declaration import ANY_FIELD, Collection, Filter, Paging
from mockserver.declared.errors import Detail, refusal
from mockserver.declared.shapes import stored_time
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, did_you_mean, shortened

Query = Mapping[str, Sequence[str]]
"""Parameters as sent, each with its values in order."""

USUAL_PARAMS = {"page": "page", "offset": "offset", "cursor": "cursor", "key": "starting_after"}
"""The parameter of each style of pages where its author names none."""

_MOST_FIELDS = 64
"""Fields of one collection, named by callers, whose indexes are remembered."""

_LARGEST_NUMBER = 10**12


class Link(NamedTuple):
    """Another page of the same list.

    Attributes:
        rel: `next`, `prev`, `first` or `last`.
        query: Its query.
        token: What the paging parameter is there.
    """

    rel: str
    query: str
    token: str | int


@dataclass(frozen=True)
class Page:
    """A part of a list.

    Attributes:
        rows: Its rows.
        total: How many rows there are in all parts.
        links: The other pages; empty where lists are given whole.
        used: The parameters that were understood.
        has_more: Whether there are further rows in the direction that was asked for.
    """

    rows: Sequence[JsonObject]
    total: int
    links: tuple[Link, ...] = ()
    used: frozenset[str] = frozenset()
    has_more: bool = False


class _PageRange(NamedTuple):
    """Which part of a list is asked for: the rows from `start` on, `size` of them."""

    start: int
    size: int


@dataclass
class ListRules:
    """What callers may ask of a collection's list.

    Args:
        declared: The collection.
        scope: The fields that hold the keys of the rows around it.
        name: Its table, for explanations.
    """

    declared: Collection
    scope: tuple[str, ...] = ()
    name: str = ""
    _fields: dict[str, FieldIndexes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        search = self.declared.search
        fields = search.fields if search else ()
        timed = not fields or any(map(self.declared.is_timed, fields))
        self._text = TextIndex(fields, timed=timed)

    def _field(self, name: str) -> FieldIndexes:
        found = self._fields.get(name)
        if found is None:
            if len(self._fields) >= _MOST_FIELDS:
                self._fields.clear()
            found = FieldIndexes(name, timed=self.declared.is_timed(name))
            self._fields[name] = found
        return found

    def page(self, table: Store, query: Query, around: Sequence[str] = ()) -> Page:
        """The rows that a query asks for.

        Args:
            table: The collection's rows.
            query: The parameters.
            around: The keys of the rows around it.

        Raises:
            ApiError: 400: a parameter cannot be understood.
        """
        used: set[str] = set()
        conditions = self._conditions(table, query, around, used)
        keys = self._row_query(query, conditions, used).keys(table)
        total = len(keys)
        rows = table.rows()
        paging = self.declared.paging
        if paging is None:
            return Page([rows[key] for key in keys], total, (), frozenset(used))
        used.update(filter(None, (_param(paging), paging.size, paging.before)))
        pages = _Pages(paging, query, total)
        if paging.style == "key":
            wanted = pages.wanted_by_key(lambda key: self._number_of(table, keys, key))
        else:
            wanted = pages.page_range(lambda number: _key_of(self, rows, keys, number))
        end = min(wanted.start + wanted.size, total)
        part = [rows[key] for key in keys[wanted.start : end]]
        last = _key_of(self, rows, keys, end - 1) if 0 < end <= total else ""
        if paging.style == "key":
            first = _key_of(self, rows, keys, wanted.start)
            links = tuple(pages.links_by_key(wanted, first, last))
        else:
            links = tuple(pages.links(wanted, last))
        is_behind = bool(paging.before and paging.before in query and not query.get(_param(paging)))
        has_more = wanted.start > 0 if is_behind else end < total
        return Page(part, total, links, frozenset(used), has_more)

    def _number_of(self, table: Store, keys: Sequence[str], key: str) -> int | None:
        """The number in a list of the row with a key; None where the list has no such row."""
        found = self._field(self.declared.key).select(table, "==", [key])
        if isinstance(keys, RowKeys):
            first = next(iter(found.places()), None)
            return None if first is None else keys.place(first[2])
        meant = {each for _, _, each in found.places()}
        return next((number for number, each in enumerate(keys) if each in meant), None)

    def _conditions(
        self, table: Store, query: Query, around: Sequence[str], used: set[str]
    ) -> list[Selection]:
        """What the rows meet that are meant, the hardest first."""
        conditions: list[Selection] = [
            self._field(name).select(table, "==", [key])
            for name, key in zip(self.scope, around, strict=True)
        ]
        for param, rule, values in self._filters(query):
            used.add(param)
            if not values:
                continue
            if rule.op == "in":
                values = [each for value in values for each in value.split(",")]
            if rule.field in self._times:
                values = [stored_time(value, self.declared.time_format) for value in values]
            conditions += [
                self._field(rule.field).select(table, rule.op, each)
                for each in ([values] if rule.op == "in" else [[value] for value in values])
            ]
        search = self.declared.search
        conditions.sort(key=len)
        if search is not None and search.param in query:
            used.add(search.param)
            words = query[search.param][-1].casefold().split()
            conditions += [self._text.with_word(table, word) for word in words]
        return conditions

    @cached_property
    def _times(self) -> frozenset[str]:
        """The fields whose times callers write otherwise than rows do."""
        declared = self.declared
        if declared.time_format == "rfc3339":
            return frozenset()
        return frozenset((declared.created, declared.updated, *declared.times))

    def _filters(self, query: Query) -> Iterator[tuple[str, Filter, Sequence[str]]]:
        """The filters that a query asks for: parameter, rule and values.

        Yields:
            Each parameter once.
        """
        declared = self.declared.filters
        for name, values in query.items():
            rule = declared.get(name)
            if rule is not None and name != ANY_FIELD:
                is_all = bool(rule.all) and values[-1] == rule.all
                yield name, rule, () if is_all else values
            elif ANY_FIELD in declared and name not in self._other_params:
                yield name, Filter(field=name[:200] or "?"), values
        for name, rule in declared.items():
            if rule.default and name not in query:
                yield name, rule, (rule.default,)

    @property
    def _other_params(self) -> frozenset[str]:
        declared = self.declared
        names = [declared.fields]
        if declared.paging is not None:
            names += [_param(declared.paging), declared.paging.size, declared.paging.before]
        if declared.search is not None:
            names.append(declared.search.param)
        if declared.sort is not None:
            names += [declared.sort.param, declared.sort.order]
        return frozenset(names)

    def _row_query(self, query: Query, conditions: Sequence[Selection], used: set[str]) -> RowQuery:
        names, is_turned = self._sort_keys(query, used)
        order = tuple((self._field(name), down) for name, down in names)
        where = AllOf(conditions) if len(conditions) > 1 else next(iter(conditions), None)
        return RowQuery(name=self.name, where=where, order=order, newest_first=is_turned)

    def _sort_keys(self, query: Query, used: set[str]) -> tuple[list[tuple[str, bool]], bool]:
        """By what rows are ordered; without a field, whether from the latest to the first."""
        sort, is_turned = self.declared.sort, self.declared.newest_first
        if sort is None:
            return [], is_turned
        text = sort.default
        if sort.param in query:
            used.add(sort.param)
            text = query[sort.param][-1] or sort.default
        all_down = False
        if sort.order and sort.order in query:
            used.add(sort.order)
            all_down = query[sort.order][-1].casefold() in {"desc", "descending", "-1"}
            is_turned = all_down
        elif sort.order and self.declared.newest_first:
            all_down = True
        keys = [_sort_key(each) for each in text.split(",") if each.strip()]
        for name, _ in keys:
            if sort.fields and name not in (*sort.fields, *sort.names):
                raise refusal(
                    400,
                    f"Rows cannot be ordered by {shortened(name)!r}.",
                    details=[Detail("", did_you_mean(name, sort.fields), sort.param)],
                )
        return [
            (sort.names.get(name, name), down or all_down) for name, down in keys[:8]
        ], is_turned


def _sort_key(text: str) -> tuple[str, bool]:
    """A field and whether it is descending: `-price`, `price:desc`, `price desc`, `price`.

    >>> _sort_key("-price"), _sort_key("price:desc"), _sort_key("+price")
    (('price', True), ('price', True), ('price', False))
    """
    name = text.strip()
    if name[:1] in {"-", "+"}:
        return name[1:], name[0] == "-"
    for mark in (":", " ", "."):
        head, found, tail = name.rpartition(mark)
        if found and tail.casefold() in {"asc", "desc", "ascending", "descending"}:
            return head.strip(), tail.casefold().startswith("desc")
    return name, False


def _key_of(
    rules: ListRules, rows: Mapping[str, JsonObject], keys: Sequence[str], number: int
) -> str:
    """The key of the row at a place of a list; an empty string beyond its ends."""
    if not 0 <= number < len(keys):
        return ""
    key = value_at(rows[keys[number]], place_of(rules.declared.key))
    return "" if key is None else str(key)


def _param(paging: Paging) -> str:
    return paging.param or USUAL_PARAMS[paging.style]


class _Pages:
    """The pages of one list.

    Args:
        paging: How it is given in parts.
        query: What is asked.
        total: How many rows there are.
    """

    def __init__(self, paging: Paging, query: Query, total: int) -> None:
        self._paging = paging
        self._query = query
        self._total = total
        self._name = _param(paging)

    def wanted_by_key(self, number_of: Callable[[str], int | None]) -> _PageRange:
        """Which rows are asked for, behind or before the row with a key.

        Raises:
            ApiError: 400: no row of the list has this key.
        """
        paging = self._paging
        size = min(self._number(paging.size, paging.default, least=1), paging.max)
        for name in filter(None, (self._name, paging.before)):
            key = self._query.get(name, [""])[-1]
            if not key:
                continue
            number = number_of(key)
            if number is None:
                details = [Detail("", "is the key of no row of this list", name)]
                text = f"{name}: no row of this list has the key {shortened(key)!r}."
                raise refusal(400, text, details=details)
            if name == self._name:
                return _PageRange(number + 1, size)
            return _PageRange(max(number - size, 0), min(size, number))
        return _PageRange(0, size)

    def links_by_key(self, wanted: _PageRange, first: str, last: str) -> Iterator[Link]:
        """The pages around one, told by the keys of its first and its last row.

        Yields:
            The next and the previous, where there are such.
        """
        if 0 < wanted.start + wanted.size < self._total and last:
            yield self._link("next", last, self._name)
        if wanted.start > 0 and first and self._paging.before:
            yield self._link("prev", first, self._paging.before)

    def page_range(self, key_of: Callable[[int], str]) -> _PageRange:
        """Which rows are asked for."""
        paging = self._paging
        size = min(self._number(paging.size, paging.default, least=1), paging.max)
        if paging.style == "page":
            page = self._number(self._name, paging.first, least=paging.first)
            return _PageRange((page - paging.first) * size, size)
        if paging.style == "offset":
            return _PageRange(self._number(self._name, 0, least=0), size)
        return _PageRange(self._start_of_token(key_of), size)

    def _number(self, name: str, default: int, *, least: int) -> int:
        text = self._query.get(name, [""])[-1]
        if not text:
            return default
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else -1
        if not least <= number <= _LARGEST_NUMBER:
            told = Detail("", f"must be a whole number from {least} on", name)
            raise refusal(400, f"{name} must be a whole number from {least} on.", details=[told])
        return number

    def _start_of_token(self, key_of: Callable[[int], str]) -> int:
        token = self._query.get(self._name, [""])[-1]
        if not token:
            return 0
        try:
            start, key, mark = orjson.loads(urlsafe_b64decode(token.encode("ascii")))
            is_ours = isinstance(start, int) and start >= 0 and mark == self._mark
        except (ValueError, TypeError):
            is_ours, start, key = False, 0, ""
        if not is_ours:
            raise self._bad_token()
        if key_of(start - 1) == key:
            return int(start)
        # rows before it were added or deleted: go on behind the row that was the last
        for number in range(self._total):
            if key_of(number) == key:
                return number + 1
        return min(int(start), self._total)

    def _bad_token(self) -> ApiError:
        text = f"{self._name} is no token of this list."
        return refusal(400, text, details=[Detail("", "is no token of this list", self._name)])

    @property
    def _mark(self) -> str:
        """What tells the tokens of this list from those of others."""
        leave = {self._name, self._paging.size}
        asked = sorted((name, list(values)) for name, values in self._query.items()
                       if name not in leave)  # fmt: skip
        return blake2b(orjson.dumps(asked), digest_size=6).hexdigest()

    def links(self, wanted: _PageRange, last_key: str) -> Iterator[Link]:
        """The pages around one.

        Yields:
            The next, the previous, the first and the last, those that there are.
        """
        paging, start, size = self._paging, wanted.start, wanted.size
        end = start + size
        if paging.style == "cursor":
            if end < self._total:
                told = orjson.dumps([end, last_key, self._mark])
                yield self._link("next", urlsafe_b64encode(told).decode())
            return
        last = max(self._total - 1, 0) // size * size
        places = [("next", end)] * (end < self._total) + [("prev", max(start - size, 0))] * (
            start > 0
        )
        places += [("first", 0), ("last", last)]
        for rel, place in places:
            yield self._link(rel, self._token(place, size))

    def _token(self, start: int, size: int) -> int:
        return start // size + self._paging.first if self._paging.style == "page" else start

    def _link(self, rel: str, token: str | int, param: str = "") -> Link:
        others = {self._name, self._paging.before}
        pairs = [(name, each) for name, values in self._query.items() for each in values
                 if name not in others]  # fmt: skip
        return Link(rel, urlencode([*pairs, (param or self._name, str(token))]), token)
