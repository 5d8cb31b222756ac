"""Lists of a declared collection: which rows, in which order, and which part of them."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import urlencode

import orjson

from mockserver.collections import Store
from mockserver.collections import collection as engine
from mockserver.collections.places import value_at
from mockserver.collections.query import Query, RowKeys
from mockserver.collections.selections import AllOf, Selection, TextIndex
from mockserver.declared.declaration import ANY_FIELD, Collection, Filter, Paging
from mockserver.declared.errors import wrong_param
from mockserver.declared.keywords import Schema
from mockserver.declared.schemas import RowSchema
from mockserver.declared.shapes import stored_time
from mockserver.model import JsonObject, did_you_mean, shortened

Params = Mapping[str, Sequence[str]]
"""Parameters as sent, each with its values in order."""

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
        has_more: Whether there are further rows in the direction that was asked for.
    """

    rows: Sequence[JsonObject]
    total: int
    links: tuple[Link, ...] = ()
    has_more: bool = False


def list_params(declared: Collection, schema: RowSchema | None) -> dict[str, JsonObject]:
    """The parameters of a list, each with the JSON Schema of its values."""
    fields = Schema(schema.schema, schema.schema).fields if schema is not None else {}
    kinds: dict[str, str] = {}
    for name, rule in declared.filters.items():
        kind = fields[rule.field].kind if rule.field in fields else ""
        if rule.op == "exists":
            kind = "boolean"
        elif rule.op in {"<", "<=", ">", ">="}:
            kind = kind or "number"
        kinds[name] = kind if kind in {"integer", "number", "boolean"} else "string"
    kinds.pop(ANY_FIELD, None)
    search, sort, paging = declared.search, declared.sort, declared.paging
    names = [search.param if search else "", *((sort.param, sort.order) if sort else ())]
    kinds |= dict.fromkeys(filter(None, (*names, declared.fields)), "string")
    params: dict[str, JsonObject] = {name: {"type": kind} for name, kind in kinds.items()}
    if paging is not None:
        kind = "string" if paging.style in {"cursor", "key"} else "integer"
        places = filter(None, (paging.place_param, paging.before))
        params |= {name: {"type": kind} for name in places}
        size = {"type": "integer", "default": paging.default, "maximum": paging.max}
        params[paging.size] = size
    return params


class ListRules:
    """What callers may ask of a collection's list.

    Attributes:
        params: The parameters that mean something, each with its JSON Schema.

    Args:
        declared: What its author says.
        collection: What its rows are like.
        schema: What its rows must be, or None.
    """

    def __init__(
        self, declared: Collection, collection: engine.Collection, schema: RowSchema | None
    ) -> None:
        self.declared = declared
        self.params = list_params(declared, schema)
        self._collection = collection
        fields = declared.search.fields if declared.search else ()
        timed = not fields or any(map(collection.is_timed, fields))
        self._text = TextIndex(fields, timed=timed)

    def page(self, table: Store, params: Params, around: Sequence[str] = ()) -> Page:
        """The rows that are asked for.

        Args:
            table: The collection's rows.
            params: The parameters.
            around: The keys of the rows around it.

        Raises:
            ApiError: 400: a parameter cannot be understood.
        """
        conditions = list(self._conditions(table, params, around))
        order, is_turned = self._order(params)
        where = AllOf(conditions) if len(conditions) > 1 else next(iter(conditions), None)
        query = Query(
            name=self._collection.table,
            where=where,
            order=tuple((self._collection.field_indexes(name), down) for name, down in order),
            newest_first=is_turned,
        )
        keys, paging = query.keys(table), self.declared.paging
        if paging is None:
            rows = table.rows()
            return Page([rows[key] for key in keys], len(keys))
        return _Pages(paging, params, table, keys, self._collection, around).page()

    def unknown(self, params: Params) -> list[str]:
        """The parameters that mean nothing here."""
        takes_any = ANY_FIELD in self.declared.filters
        return [name for name in params if not takes_any and name not in self.params]

    def _conditions(
        self, table: Store, params: Params, around: Sequence[str]
    ) -> Iterator[Selection]:
        """What the rows meet that are meant.

        Yields:
            Conditions on fields, the hardest first, and those on texts.
        """
        declared, field = self.declared, self._collection.field_indexes
        found: list[Selection] = [
            field(parent.field).select(table, "==", [key])
            for parent, key in zip(self._collection.parents, around, strict=True)
        ]
        for rule, values in self._filters(params):
            if rule.op == "in":
                values = [each for value in values for each in value.split(",")]
            if rule.field in declared.timed:
                values = [stored_time(value, declared.time_format) for value in values]
            found += [
                field(rule.field).select(table, rule.op, each)
                for each in ([values] if rule.op == "in" else [[value] for value in values])
                if each
            ]
        yield from sorted(found, key=len)
        if declared.search is not None and declared.search.param in params:
            for word in params[declared.search.param][-1].casefold().split():
                yield self._text.with_word(table, word)

    def _filters(self, params: Params) -> Iterator[tuple[Filter, Sequence[str]]]:
        """The filters that are asked for: rule and values.

        Yields:
            One for each parameter.
        """
        declared = self.declared.filters
        for name, values in params.items():
            rule = declared.get(name)
            if rule is not None and name != ANY_FIELD:
                if not rule.all or values[-1] != rule.all:
                    yield rule, values
            elif ANY_FIELD in declared and name not in self.params:
                yield Filter(field=name[:200] or "?"), values
        for name, rule in declared.items():
            if rule.default and name not in params:
                yield rule, (rule.default,)

    def _order(self, params: Params) -> tuple[list[tuple[str, bool]], bool]:
        """By what rows are ordered; without a field, whether from the latest to the first."""
        sort, is_turned = self.declared.sort, self.declared.newest_first
        if sort is None:
            return [], is_turned
        text = params.get(sort.param, [""])[-1] or sort.default
        all_down = bool(sort.order) and is_turned
        if sort.order and sort.order in params:
            all_down = params[sort.order][-1].casefold() in {"desc", "descending", "-1"}
            is_turned = all_down
        keys = [_sort_key(each) for each in text.split(",") if each.strip()]
        for name, _ in keys:
            if sort.fields and name not in (*sort.fields, *sort.names):
                text = f"Rows cannot be ordered by {shortened(name)!r}."
                raise wrong_param(sort.param, did_you_mean(name, sort.fields), text)
        found = [(sort.names.get(name, name), down or all_down) for name, down in keys[:8]]
        return found, is_turned


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


@dataclass(frozen=True)
class _Pages:
    """The pages of one list.

    Attributes:
        paging: How it is given in parts.
        params: What is asked.
        table: The rows.
        keys: Those of the list, in order.
        collection: What the rows are like.
        around: The keys of the rows around it.
    """

    paging: Paging
    params: Params
    table: Store
    keys: Sequence[str]
    collection: engine.Collection
    around: Sequence[str]

    def page(self) -> Page:
        """The page that is asked for."""
        paging, total, rows = self.paging, len(self.keys), self.table.rows()
        start, size = self._range()
        end = min(start + size, total)
        part = [rows[key] for key in self.keys[start:end]]
        is_before = paging.before in self.params and paging.place_param not in self.params
        has_more = start > 0 if paging.before and is_before else end < total
        return Page(part, total, tuple(self._links(start, size)), has_more)

    def _parameter(self, name: str) -> str:
        return self.params.get(name, [""])[-1]

    def _key_at(self, number: int) -> str:
        """The key of the row at a place of the list; an empty string beyond its ends."""
        if not 0 <= number < len(self.keys):
            return ""
        row = self.table.rows()[self.keys[number]]
        key = value_at(row, self.collection.key_place)
        return "" if key is None else str(key)

    def _range(self) -> tuple[int, int]:
        """Which part is asked for: the number of its first row, and how many rows.

        Raises:
            ApiError: 400: there is no such part.
        """
        paging, name = self.paging, self.paging.place_param
        size = min(self._number(paging.size, paging.default, least=1), paging.max)
        match paging.style:
            case "page":
                page = self._number(name, paging.first, least=paging.first)
                return (page - paging.first) * size, size
            case "offset":
                return self._number(name, 0, least=0), size
            case "cursor":
                return self._start_of_token(), size
            case "key" if self._parameter(name):
                return self._number_of(name) + 1, size
            case "key" if paging.before and self._parameter(paging.before):
                number = self._number_of(paging.before)
                return max(number - size, 0), min(size, number)
            case _:
                return 0, size

    def _number_of(self, name: str) -> int:
        """The number of the row whose key a parameter has.

        Raises:
            ApiError: 400: no row of the list has this key.
        """
        key, keys, number = self._parameter(name), self.keys, None
        place = "/".join((*self.around, key))
        if isinstance(keys, RowKeys):
            number = keys.place(place)
        elif place in keys:
            number = keys.index(place)
        if number is None:
            text = f"{name}: no row of this list has the key {shortened(key)!r}."
            raise wrong_param(name, "is the key of no row of this list", text)
        return number

    def _number(self, name: str, default: int, *, least: int) -> int:
        text = self._parameter(name)
        if not text:
            return default
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else -1
        if not least <= number <= _LARGEST_NUMBER:
            raise wrong_param(name, f"must be a whole number from {least} on")
        return number

    def _start_of_token(self) -> int:
        name = self.paging.place_param
        token = self._parameter(name)
        if not token:
            return 0
        try:
            start, key, mark = orjson.loads(urlsafe_b64decode(token.encode("ascii")))
            is_ours = isinstance(start, int) and start >= 0 and mark == self._mark
        except (ValueError, TypeError):
            is_ours, start, key = False, 0, ""
        if not is_ours:
            raise wrong_param(name, "is no token of this list")
        if self._key_at(start - 1) == key:
            return int(start)
        # rows before it were added or deleted: go on behind the row that was the last
        total = len(self.keys)
        places = (number + 1 for number in range(total) if self._key_at(number) == key)
        return next(places, min(int(start), total))

    @property
    def _mark(self) -> str:
        """What tells the tokens of this list from those of others."""
        leave = {self.paging.place_param, self.paging.size}
        asked = sorted((name, list(values)) for name, values in self.params.items()
                       if name not in leave)  # fmt: skip
        told = orjson.dumps([self.collection.table, *self.around, asked])
        return blake2b(told, digest_size=6).hexdigest()

    def _links(self, start: int, size: int) -> Iterator[Link]:
        """The pages around one.

        Yields:
            The next, the previous, the first and the last, those that can be told.
        """
        paging, total, end = self.paging, len(self.keys), start + size
        last = self._key_at(min(end, total) - 1)
        if paging.style == "key":
            if 0 < end < total and last:
                yield self._link("next", last)
            if start > 0 and paging.before and self._key_at(start):
                yield self._link("prev", self._key_at(start), paging.before)
        elif paging.style == "cursor":
            if end < total:
                token = orjson.dumps([end, last, self._mark])
                yield self._link("next", urlsafe_b64encode(token).decode())
        else:
            places = [("next", end)] * (end < total)
            places += [("prev", max(start - size, 0))] * (start > 0)
            places += [("first", 0), ("last", max(total - 1, 0) // size * size)]
            for rel, place in places:
                is_page = paging.style == "page"
                yield self._link(rel, place // size + paging.first if is_page else place)

    def _link(self, rel: str, token: str | int, param: str = "") -> Link:
        name = self.paging.place_param
        pairs = [(other, each) for other, values in self.params.items() for each in values
                 if other not in {name, self.paging.before}]  # fmt: skip
        return Link(rel, urlencode([*pairs, (param or name, str(token))]), token)
