"""Structured queries: which documents, in which order, from where to where, and what of them."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import mul
from typing import Any, NamedTuple, cast

from mockserver.apis.firestore import DOCUMENTS
from mockserver.apis.firestore.filters import (
    INEQUALITIES,
    Scope,
    condition_of,
    index_of,
    selection_of,
)
from mockserver.apis.firestore.paths import NAME, FieldPath, check_id, field_path, root_of
from mockserver.apis.firestore.values import (
    Rank,
    field_value,
    number_of,
    rank_of,
    rank_of_name,
    stored_value,
    value_of_number,
    vector_of,
    with_field,
)
from mockserver.collections import LAST, Range, Store
from mockserver.collections.selections import AllOf, ByIndex, Selection, count_of
from mockserver.googleapi import invalid
from mockserver.model import JsonObject
from mockserver.state import World

_AT_ONCE = 64
_MOST_WALKED = 2000

Order = tuple[FieldPath, bool]
"""A field that documents are ordered by, and whether from the greatest value to the least."""


class Cursor(NamedTuple):
    """A place in an order.

    Attributes:
        ranks: The values there, of as many fields of the order as are given.
        before: Whether it is right before what has those values, or right behind.
    """

    ranks: tuple[Rank, ...]
    before: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A structured query that was read.

    Attributes:
        scope: Where documents are looked for.
        where: Which are meant; all for None.
        orders: What they are ordered by, the name last.
        start: Where results begin.
        end: Where they end.
        offset: How many are passed over.
        limit: How many are wanted at most; None for all.
        fields: What is shown of each; None for all.
        near: What is looked for near a vector, or None.
    """

    scope: Scope
    where: Selection | None
    orders: tuple[Order, ...]
    start: Cursor | None
    end: Cursor | None
    offset: int
    limit: int | None
    fields: tuple[FieldPath, ...] | None
    near: JsonObject | None

    def rows(self) -> Iterator[JsonObject]:
        """The documents it finds, looked for as they are taken.

        Yields:
            Whole rows, in order.
        """
        if self.near is not None:
            yield from islice(_nearest(self, self.near), self.offset, self._stop)
            return
        yield from islice(_in_order(self), self.offset, self._stop)

    @property
    def _stop(self) -> int | None:
        return None if self.limit is None else self.offset + self.limit

    def selected(self) -> Selection:
        """Those that are meant, in no order."""
        return self.scope.everything() if self.where is None else self.where

    def count(self, most: int | None = None) -> int:
        """How many documents it finds, up to a number."""
        is_cut = self.start or self.end or self.near
        is_plain = not is_cut and self.orders == ((NAME, False),)
        if is_plain:
            found = count_of(self.selected())
            found = max(found - self.offset, 0)
            found = found if self.limit is None else min(found, self.limit)
            return found if most is None else min(found, most)
        return sum(1 for _ in islice(self.rows(), most))

    def show(self, row: JsonObject) -> JsonObject:
        """What the query shows of a document."""
        return row if self.fields is None else masked(row, self.fields)


def masked(row: JsonObject, paths: Sequence[FieldPath]) -> JsonObject:
    """A document with some fields alone."""
    own = row.get("fields") or {}
    fields: JsonObject = {}
    for path in paths:
        value = None if path == NAME else field_value(own, path)
        if value is not None:
            fields = with_field(fields, path, value)
    return {**row, "fields": fields}


# --- reading ---


def timed_fields(world: World) -> frozenset[str]:
    """The first names of fields that have timestamps in the snapshot of a session."""
    paths = world.base.times.get(DOCUMENTS, ())
    return frozenset(path[1] for path in paths if path[0] == "fields" and len(path) > 1)


def read_query(world: World, store: Store, parent: str, given: JsonObject) -> Query:
    """Read a structured query.

    Args:
        world: The session.
        store: The documents.
        parent: The document, or root of documents, that it is asked below.
        given: The query.

    Raises:
        ApiError: 400: it cannot be.
    """
    scope = _read_scope(world, store, parent, given.get("from") or [])
    where = selection_of(scope, given["where"]) if given.get("where") else None
    if scope.within:
        everything = scope.everything()
        where = everything if where is None else AllOf([where, everything])
    orders = _read_orders(given, is_plain=is_enterprise(world, root_of(parent)))
    limit, offset = given.get("limit"), int(given.get("offset") or 0)
    limit = limit.get("value", 0) if isinstance(limit, dict) else limit
    if offset < 0:
        raise invalid("offset is negative")
    if limit is not None and int(limit) < 0:
        raise invalid("limit is negative")
    near, select = given.get("findNearest"), given.get("select")
    shown = None
    if select is not None:
        shown = tuple(
            field_path(str(each.get("fieldPath", ""))) for each in select.get("fields") or ()
        )
    if near is not None:
        near, limit = _read_nearest(near), near.get("limit")
    return Query(
        scope, where, orders,
        _read_cursor(given.get("startAt"), orders), _read_cursor(given.get("endAt"), orders),
        offset, None if limit is None else int(limit), shown, near,
    )  # fmt: skip


def _read_scope(world: World, store: Store, parent: str, sources: Sequence[JsonObject]) -> Scope:
    if len(sources) > 1:
        raise invalid("Cannot have multiple 'from' values.")
    source = sources[0] if sources else {"allDescendants": True}
    root, ident = root_of(parent), str(source.get("collectionId", ""))
    timed = timed_fields(world)
    if ident:
        check_id(ident)
    if not source.get("allDescendants"):
        if not ident:
            raise invalid("A query of the collections right below a document must name one.")
        return Scope(store, "collection", f"{parent}/{ident}", timed)
    within = "" if parent == root else parent
    if ident:
        return Scope(store, "group", f"{root}\n{ident}", timed, within)
    return Scope(store, "every", root, timed, within)


def conditions_of(given: JsonObject) -> Iterator[tuple[FieldPath, str]]:
    """The fields that a filter compares.

    Yields:
        The path of each, and the operator.
    """
    if "compositeFilter" in given:
        for each in given["compositeFilter"].get("filters", ()):
            yield from conditions_of(each)
    elif given:
        yield condition_of(given)[:2]


_DATABASES = "firestore:v1/databases"


def is_enterprise(world: World, root: str) -> bool:
    """Whether a database is known to be of the Enterprise edition."""
    row = world.table(_DATABASES).get(root.removesuffix("/documents")) or {}
    return row.get("databaseEdition") == "ENTERPRISE"


def _read_orders(given: JsonObject, *, is_plain: bool) -> tuple[Order, ...]:
    """The order that is asked for, with what is ordered by besides: fields compared, the name.

    `is_plain` is for the Enterprise edition, which orders by nothing besides; documents that are
    equal stand by their names here.
    """
    orders: dict[FieldPath, bool] = {}
    down = False
    for each in given.get("orderBy") or ():
        path = field_path(str((each.get("field") or {}).get("fieldPath", "")))
        down = each.get("direction") == "DESCENDING"
        orders.setdefault(path, down)
    if NAME not in orders and is_plain:
        orders[NAME] = False
    elif NAME not in orders:
        compared = {
            path for path, op in conditions_of(given.get("where") or {}) if op in INEQUALITIES
        }
        for path in sorted(compared - orders.keys() - {NAME}):
            orders[path] = down
        orders[NAME] = down
    return tuple(orders.items())


def _read_cursor(given: JsonObject | None, orders: Sequence[Order]) -> Cursor | None:
    if given is None:
        return None
    values = given.get("values") or []
    if len(values) > len(orders):
        raise invalid("Cursor has too many values.")
    ranks = []
    for value, (path, _) in zip(values, orders, strict=False):
        if path == NAME and "referenceValue" not in value:
            raise invalid("Cursor value for __name__ must be a reference.")
        ranks.append(rank_of(stored_value(value)))
    return Cursor(tuple(ranks), bool(given.get("before")))


# --- finding ---


def rank_at(row: JsonObject, path: FieldPath) -> Rank | None:
    """The rank of a document's field, or None where it is not there."""
    if path == NAME:
        return rank_of_name(row["name"])
    value = field_value(row.get("fields") or {}, path)
    return None if value is None else rank_of(value)


class _Walk(NamedTuple):
    """Documents as an index has them in order, and what must hold of them besides."""

    ordered: Range
    rest: Selection | None


def _in_order(query: Query) -> Iterator[JsonObject]:
    walk = _plan_walk(query)
    if walk is None:
        yield from _sorted_rows(query)
        return
    found, rows_of = 0, query.scope.store.rows_of
    for start in range(0, len(walk.ordered), _AT_ONCE):
        if start >= _MOST_WALKED and walk.rest is not None:
            yield from islice(_sorted_rows(query), found, None)
            return
        part = walk.ordered.entries(start, start + _AT_ONCE)
        if walk.rest is not None:
            part = walk.rest.among(part)
        found += len(part)
        yield from rows_of(part)


def _plan_walk(query: Query) -> _Walk | None:
    """How to go through an index in the order of a query.

    None where it is sooner to look up what is meant, and to put that in order.
    """
    scope, (first, *further) = query.scope, query.orders
    path, down = first
    if further and further != [(NAME, down)]:
        return None
    where = query.where
    parts = list(where.parts) if isinstance(where, AllOf) else [] if where is None else [where]
    index, bounds = index_of(scope.field(path)), ((scope.place,), (scope.place, LAST))
    head, is_name = bounds[0], path == NAME
    for each in list(parts):
        if not isinstance(each, ByIndex) or each.bounds is None:
            continue
        if each.index is index and head == (scope.place,):
            bounds = max(bounds[0], each.bounds[0]), min(bounds[1], each.bounds[1])
            parts.remove(each)
        elif is_name and bounds[0] == head == (scope.place,) and _is_equality(each.bounds):
            # documents with one value stand in the order of their names
            index, bounds, head = each.index, each.bounds, each.bounds[0]
            parts.remove(each)
    low, high = bounds
    for cursor, is_start in ((query.start, True), (query.end, False)):
        if cursor is None:
            continue
        place = (*head, *_as_indexed(cursor.ranks, is_first=len(head) == 1))
        place = place if cursor.before is not down else (*place, LAST)
        low, high = (max(low, place), high) if is_start is not down else (low, min(high, place))
    ordered = scope.store.between(index, low, max(low, high))
    rest = AllOf(parts) if len(parts) > 1 else parts[0] if parts else None
    if rest is not None and not _is_worth_walking(query, len(ordered), len(rest)):
        return None
    return _Walk(cast("Range", ordered[::-1]) if down else ordered, rest)


def _is_equality(bounds: tuple[Any, Any]) -> bool:
    return len(bounds[0]) == 2 and bounds[1] == (*bounds[0], LAST)


def _as_indexed(ranks: Sequence[Rank], *, is_first: bool) -> tuple[Any, ...]:
    """The ranks of a cursor as an index has them: a name behind a value without its type."""
    if is_first:
        return (*ranks[:1], *(names for _, names in ranks[1:]))
    return tuple(names for _, names in ranks)


def _is_worth_walking(query: Query, ordered: int, rest: int) -> bool:
    """Whether to go through all in their order is sooner than to look up the others."""
    if query.limit is None:
        return ordered <= rest
    return (query.offset + query.limit) * ordered <= 4 * rest * rest


def _sorted_rows(query: Query) -> Iterator[JsonObject]:
    orders = query.orders
    found: list[tuple[list[Any], JsonObject]] = []
    for row in query.scope.store.rows_of(query.selected().places()):
        ranks = [rank_at(row, path) for path, _ in orders]
        if None not in ranks and _is_between(query, ranks):
            found.append((ranks, row))
    for number, (_, down) in reversed([*enumerate(orders)]):
        found.sort(key=lambda each: each[0][number], reverse=down)
    return (row for _, row in found)


def _is_between(query: Query, ranks: Sequence[Any]) -> bool:
    start, end = query.start, query.end
    if start is not None:
        side = _side(query, ranks, start)
        if side < 0 or (side == 0 and not start.before):
            return False
    if end is not None:
        side = _side(query, ranks, end)
        return side < 0 or (side == 0 and not end.before)
    return True


def _side(query: Query, ranks: Sequence[Any], cursor: Cursor) -> int:
    """Whether a document comes before a cursor's values (-1), has them (0), or comes behind."""
    for own, other, (_, down) in zip(ranks, cursor.ranks, query.orders, strict=False):
        if own != other:
            return -1 if (own < other) is not down else 1
    return 0


# --- nearest vectors ---


def _read_nearest(given: JsonObject) -> JsonObject:
    vector = vector_of(given.get("queryVector") or {})
    if vector is None:
        raise invalid("query_vector must be a vector.")
    measure = str(given.get("distanceMeasure"))
    if measure not in DISTANCES:
        raise invalid(f"Unsupported distance measure: {measure}.")
    limit = given.get("limit")
    limit = limit.get("value") if isinstance(limit, dict) else limit
    if not limit or not 0 < int(limit) <= 1000:
        raise invalid("FindNearest.limit must be a positive integer of no more than 1000.")
    return {**given, "vector": vector, "limit": int(limit)}


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    length = math.hypot(*a) * math.hypot(*b)
    return 1 - _product(a, b) / length if length else math.nan


def _product(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(map(mul, a, b))


DISTANCES: Mapping[str, Callable[[Sequence[float], Sequence[float]], float]] = {
    "EUCLIDEAN": math.dist,
    "COSINE": _cosine,
    "DOT_PRODUCT": _product,
}
"""How far two vectors of one length are apart, by the measure's name."""


def _nearest(query: Query, near: JsonObject) -> Iterator[JsonObject]:
    """The documents with the vectors nearest to one; of a dot product the greatest is nearest.

    Yields:
        Rows, with the distance where it is asked for.
    """
    path = field_path(str((near.get("vectorField") or {}).get("fieldPath", "")))
    measure, wanted = DISTANCES[near["distanceMeasure"]], near["vector"]
    is_product = near["distanceMeasure"] == "DOT_PRODUCT"
    most = near.get("distanceThreshold")
    most = most.get("value") if isinstance(most, dict) else most
    found = []
    for row in _in_order(replace(query, near=None, limit=None, offset=0)):
        vector = vector_of(field_value(row.get("fields") or {}, path) or {})
        if vector is None or len(vector) != len(wanted):
            continue
        distance = measure(wanted, vector)
        order = -distance if is_product else distance
        if most is None or order <= (-float(most) if is_product else float(most)):
            found.append((order, distance, row))
    found.sort(key=lambda each: each[0])
    name = near.get("distanceResultField")
    for _, distance, row in found:
        if not name:
            yield row
        else:
            fields = with_field(row["fields"], field_path(name), {"doubleValue": distance})
            yield {**row, "fields": fields}


# --- aggregates and partitions ---


def aggregate(query: Query, given: Sequence[JsonObject]) -> JsonObject:
    """The results of aggregations by their aliases.

    Raises:
        ApiError: 400: there are none or too many, or one cannot be.
    """
    if not given:
        raise invalid("Aggregations can not be empty.")
    if len(given) > 5:
        raise invalid("The maximum number of aggregations allowed in an aggregation query is 5.")
    wanted: dict[str, tuple[str, FieldPath, int | None]] = {}
    for number, each in enumerate(given, 1):
        kind = next((name for name in ("count", "sum", "avg") if name in each), "")
        alias = str(each.get("alias") or f"field_{number}")
        if not kind or alias in wanted:
            twice = f"Aggregation aliases contain duplicate alias '{alias}'."
            raise invalid(twice if kind else "Aggregation type is not set.")
        inner = each[kind] or {}
        most = inner.get("upTo")
        most = most.get("value") if isinstance(most, dict) else most
        path = NAME if kind == "count" else field_path(str(inner["field"]["fieldPath"]))
        wanted[alias] = kind, path, None if most is None else int(most)
    paths = {path for _, path, _ in wanted.values()} - {NAME}
    if not paths:
        return {alias: value_of_number(query.count(most)) for alias, (_, _, most) in wanted.items()}
    # an index that answers them has the documents with all of their fields alone, in its order
    if query.orders == ((NAME, False),):
        query = replace(query, orders=(*((path, False) for path in sorted(paths)), (NAME, False)))
    rows = [
        row for row in query.rows()
        if all(field_value(row.get("fields") or {}, path) is not None for path in paths)
    ]  # fmt: skip
    results: JsonObject = {}
    for alias, (kind, path, most) in wanted.items():
        if kind == "count":
            results[alias] = value_of_number(min(len(rows), len(rows) if most is None else most))
            continue
        values = (number_of(field_value(row["fields"], path) or {}) for row in rows)
        results[alias] = _of_numbers(kind, [each for each in values if each is not None])
    return results


def _of_numbers(kind: str, numbers: Sequence[int | float]) -> JsonObject:
    if kind == "avg":
        return value_of_number(_sum(numbers) / len(numbers)) if numbers else {"nullValue": None}
    total = _sum(numbers)
    is_whole = isinstance(total, int) and -(2**63) <= total < 2**63
    return value_of_number(total if is_whole else float(total))


def _sum(numbers: Sequence[int | float]) -> int | float:
    if all(isinstance(each, int) for each in numbers):
        return sum(numbers)
    try:
        return math.fsum(numbers)
    except (ValueError, OverflowError):  # infinities of both signs, or beyond all doubles
        return sum(map(float, numbers))


def partition(query: Query, count: int) -> list[JsonObject]:
    """The cursors that part the documents of a query into so many parts, or fewer.

    Raises:
        ApiError: 400: the query is not all of a group by its name.
    """
    if (
        query.scope.kind == "collection"
        or query.orders != ((NAME, False),)
        or query.where is not None
    ):
        raise invalid(
            "PartitionQuery is only supported for collection group queries ordered by __name__ "
            "ascending, without filters."
        )
    if count <= 0:
        raise invalid("partition_count must be positive.")
    entries = query.scope.everything()
    size = len(entries)
    parts = min(count, size)
    places = [size * number // parts for number in range(1, parts)]
    ordered = entries.ranges[0] if entries.ranges else ()
    names = [ordered[place]["name"] for place in places]
    return [{"values": [{"referenceValue": name}], "before": True} for name in names]
