"""Filters of queries as selections: what each operator holds for is a part of a field's index."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mockserver.apis.firestore.paths import NAME, FieldPath, field_path, name_rank, root_of
from mockserver.apis.firestore.values import (
    NULL_RANK,
    Rank,
    field_value,
    rank_of,
    rank_of_name,
    stored_value,
)
from mockserver.collections import LAST, Index, Store
from mockserver.collections.selections import AllOf, AnyOf, ByIndex, Selection
from mockserver.googleapi import invalid
from mockserver.model import JsonObject

_NOT_NULL: Rank = (NULL_RANK[0] + 1,)
_MOST_VALUES = 30
_MOST_EXCLUDED = 10
_UNARY = {
    "IS_NULL": "EQUAL", "IS_NAN": "EQUAL", "IS_NOT_NULL": "NOT_EQUAL", "IS_NOT_NAN": "NOT_EQUAL",
}  # fmt: skip
INEQUALITIES = frozenset(
    {"LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUAL",
     "NOT_IN"}
)  # fmt: skip
"""Operators of which the fields are in the order of their query."""

BELOW = Index(lambda key, _: _places_below(key))
"""Documents and collections by what they are in, those that are there by what is in them alone."""


def _places_below(name: str) -> Iterable[tuple[str, str]]:
    root = root_of(name)
    above, segments = root, name[len(root) + 1 :].split("/")
    for ident, rank in zip(segments, name_rank("/".join(segments)), strict=True):
        yield above, rank
        above = f"{above}/{ident}"


class Field(NamedTuple):
    """A field of the documents that one kind of query finds.

    Attributes:
        kind: `collection`, `group` or `every`: documents of a collection, of all collections of
            one id, or of a whole database.
        path: The field.
        timed: Whether it has timestamps, which differ between sessions.
    """

    kind: str
    path: FieldPath
    timed: bool


_PLACES: Mapping[str, Callable[[str], str]] = {
    "collection": lambda name: name.rpartition("/")[0],
    "group": lambda name: f"{root_of(name)}\n{name.rsplit('/', 2)[-2]}",
    "every": root_of,
}


@lru_cache(2048)
def index_of(field: Field) -> Index:
    """The index of a field's values: where a document is, the rank of its value, its name."""
    place_of, path = _PLACES[field.kind], field.path

    def values(name: str, row: JsonObject) -> Iterable[Any]:
        if path == NAME:
            return ((place_of(name), rank_of_name(name)),)
        value = field_value(row.get("fields") or {}, path)
        return () if value is None else ((place_of(name), rank_of(value), name_rank(name)),)

    return Index(values, timed=field.timed)


@lru_cache(2048)
def items_of(field: Field) -> Index:
    """The index of the items of a field that is an array, each once."""
    place_of, path = _PLACES[field.kind], field.path

    def values(name: str, row: JsonObject) -> Iterable[Any]:
        value = field_value(row.get("fields") or {}, path) or {}
        items = (value.get("arrayValue") or {}).get("values") or ()
        ranks = dict.fromkeys(map(rank_of, items))
        place, name_is = place_of(name), name_rank(name)
        return [(place, rank, name_is) for rank in ranks]

    return Index(values, timed=field.timed)


Range = tuple[tuple[Any, ...], tuple[Any, ...]]
"""The first rank that is meant, and what is behind the last; each with what may follow it."""

EVERYTHING: Range = ((), (LAST,))


class Scope(NamedTuple):
    """The documents that a query may find.

    Attributes:
        store: All documents.
        kind: As `Field.kind`.
        place: The collection, the group with its database, or the database.
        timed: The first names of fields that have timestamps.
        within: The document in which a group is looked for; empty for anywhere.
    """

    store: Store
    kind: str
    place: str
    timed: frozenset[str]
    within: str = ""

    def field(self, path: FieldPath) -> Field:
        """A field of these documents."""
        return Field(self.kind, path, path[0] in self.timed)

    def select(self, path: FieldPath, ranges: Iterable[Range], *, items: bool = False) -> ByIndex:
        """The documents of which the ranks of a field, or of its items, are within bounds."""
        field, place = self.field(path), self.place
        bounds = [((place, *low), (place, *high)) for low, high in ranges]
        index = items_of(field) if items else index_of(field)
        words = f"{'.'.join(path)} in {place}"
        return ByIndex(self.store, index, bounds, words=words, is_exact=not items)

    def everything(self) -> ByIndex:
        """All documents of it."""
        if not self.within:
            return self.select(NAME, [EVERYTHING])
        kind, names = rank_of_name(self.within)
        return self.select(NAME, [(((kind, names),), ((kind, (*names, LAST)),))])


def selection_of(scope: Scope, given: JsonObject) -> Selection:
    """The documents that meet a filter.

    Raises:
        ApiError: 400: it has an operator, a field or a value that there is not.
    """
    if "compositeFilter" in given:
        parts = [selection_of(scope, each) for each in given["compositeFilter"].get("filters", ())]
        if not parts:
            raise invalid("A composite filter must have at least one sub-filter.")
        if len(parts) == 1:
            return parts[0]
        match given["compositeFilter"].get("op"):
            case "AND":
                return AllOf(parts)
            case "OR":
                return AnyOf(parts)
            case other:
                raise invalid(f"Unsupported composite filter operator: {other}.")
    path, op, wanted = condition_of(given)
    is_of_items = op.startswith("ARRAY_CONTAINS")
    return scope.select(path, _RANGES[op](wanted), items=is_of_items)


def condition_of(given: JsonObject) -> tuple[FieldPath, str, JsonObject]:
    """The field, the operator and the value of a filter of one field; of two unary ones as well.

    Raises:
        ApiError: 400.
    """
    unary = given.get("unaryFilter")
    if unary is not None:
        op = str(unary.get("op"))
        if op not in _UNARY:
            raise invalid(f"Unsupported unary filter operator: {op}.")
        value: JsonObject = {"nullValue": None}
        if op.endswith("NAN"):
            value = {"doubleValue": "NaN"}
        return _path_in(unary), _UNARY[op], value
    single = given.get("fieldFilter")
    if single is None:
        raise invalid("filter must have a type.")
    op, path = str(single.get("op")), _path_in(single)
    if op not in _RANGES:
        raise invalid(f"Unsupported field filter operator: {op}.")
    return path, op, _operand(path, op, single.get("value") or {})


def _path_in(given: JsonObject) -> FieldPath:
    return field_path(str((given.get("field") or {}).get("fieldPath", "")))


def _operand(path: FieldPath, op: str, value: JsonObject) -> JsonObject:
    several = op in {"IN", "NOT_IN", "ARRAY_CONTAINS_ANY"}
    if several:
        items = (value.get("arrayValue") or {}).get("values") or []
        most = _MOST_EXCLUDED if op == "NOT_IN" else _MOST_VALUES
        if not items:
            raise invalid(f"'{op}' requires an non-empty ArrayValue.")
        if len(items) > most:
            raise invalid(f"'{op}' supports up to {most} comparison values.")
        values = [stored_value(each) for each in items]
        value = {"arrayValue": {"values": values}}
    else:
        value = stored_value(value)
        values = [value]
    if path == NAME and any("referenceValue" not in each for each in values):
        raise invalid("__key__ filter value must be a Key")
    return value


def _equal(rank: Rank) -> Range:
    return (rank,), (rank, LAST)


def _each(wanted: JsonObject) -> list[Range]:
    return [_equal(rank) for rank in dict.fromkeys(map(rank_of, wanted["arrayValue"]["values"]))]


def _one(wanted: JsonObject) -> list[Range]:
    return [_equal(rank_of(wanted))]


def _less(wanted: JsonObject) -> list[Range]:
    return [((rank_of(wanted)[:1],), (rank_of(wanted),))]


def _at_most(wanted: JsonObject) -> list[Range]:
    return [((rank_of(wanted)[:1],), (rank_of(wanted), LAST))]


def _greater(wanted: JsonObject) -> list[Range]:
    return [((rank_of(wanted), LAST), ((rank_of(wanted)[0] + 1,),))]


def _at_least(wanted: JsonObject) -> list[Range]:
    return [((rank_of(wanted),), ((rank_of(wanted)[0] + 1,),))]


def _all_but(excluded: Iterable[Rank]) -> list[Range]:
    """What is neither null nor has one of some ranks."""
    edges: list[tuple[Any, ...]] = [(_NOT_NULL,)]
    for rank in sorted(set(excluded) - {NULL_RANK}):
        edges += _equal(rank)
    edges.append((LAST,))
    return list(zip(edges[::2], edges[1::2], strict=True))


def _none_of(wanted: JsonObject) -> list[Range]:
    ranks = [rank_of(each) for each in wanted["arrayValue"]["values"]]
    return [] if NULL_RANK in ranks else _all_but(ranks)


_RANGES: Mapping[str, Callable[[JsonObject], list[Range]]] = {
    "EQUAL": _one,
    "IN": _each,
    "ARRAY_CONTAINS": _one,
    "ARRAY_CONTAINS_ANY": _each,
    "LESS_THAN": _less,
    "LESS_THAN_OR_EQUAL": _at_most,
    "GREATER_THAN": _greater,
    "GREATER_THAN_OR_EQUAL": _at_least,
    "NOT_EQUAL": lambda wanted: _all_but([rank_of(wanted)]),
    "NOT_IN": _none_of,
}
"""Where in a field's index the documents are that an operator holds for."""
