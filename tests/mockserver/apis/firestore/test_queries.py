"""Queries find what a plain scan finds, whatever indexes they go by."""

from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis.firestore.values import rank_of, value_of_json
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.firestore.conftest import ROOT, Firestore, documents


def field(path: str, op: str, value: Json) -> JsonObject:
    inner = value_of_json(value)
    return {"fieldFilter": {"field": {"fieldPath": path}, "op": op, "value": inner}}


def unary(path: str, op: str) -> JsonObject:
    return {"unaryFilter": {"field": {"fieldPath": path}, "op": op}}


def both(op: str, *filters: JsonObject) -> JsonObject:
    return {"compositeFilter": {"op": op, "filters": list(filters)}}


def order(*paths: str) -> list[JsonObject]:
    return [
        {
            "field": {"fieldPath": path.removeprefix("-")},
            "direction": "DESCENDING" if path.startswith("-") else "ASCENDING",
        }
        for path in paths
    ]


def cursor(*values: Json, before: bool) -> JsonObject:
    return {"values": [value_of_json(each) for each in values], "before": before}


FROM: JsonObject = {"from": [{"collectionId": "c"}]}
GROUP: JsonObject = {"from": [{"collectionId": "c", "allDescendants": True}]}
PLACES: JsonObject = {
    "c/a": {"n": 1, "s": "x", "tags": ["red", "blue"], "m": {"k": 1}},
    "c/b": {"n": 2.5, "s": "y", "tags": ["red"], "m": {"k": 2}},
    "c/c": {"n": None, "s": "x", "tags": []},
    "c/d": {"n": {"doubleValue": "NaN"}, "s": "z"},
    "c/e": {"n": "text"},
    "c/f": {},
    "c/a/c/g": {"n": 1},
    "d/h/c/i": {"n": 3},
    "d/h": {"n": 1},
}
CASES: Mapping[str, tuple[JsonObject, str]] = {
    "all": (FROM, "a b c d e f"),
    "equal": ({**FROM, "where": field("n", "EQUAL", 1.0)}, "a"),
    "equal to null": ({**FROM, "where": field("n", "EQUAL", None)}, "c"),
    "null": ({**FROM, "where": unary("n", "IS_NULL")}, "c"),
    "no number": ({**FROM, "where": unary("n", "IS_NAN")}, "d"),
    "not null": ({**FROM, "where": unary("n", "IS_NOT_NULL")}, "d a b e"),
    "any number": ({**FROM, "where": unary("n", "IS_NOT_NAN")}, "a b e"),
    "less": ({**FROM, "where": field("n", "LESS_THAN", 2.5)}, "d a"),
    "at most": ({**FROM, "where": field("n", "LESS_THAN_OR_EQUAL", 2.5)}, "d a b"),
    "greater": ({**FROM, "where": field("n", "GREATER_THAN", 1)}, "b"),
    "at least": ({**FROM, "where": field("n", "GREATER_THAN_OR_EQUAL", 1)}, "a b"),
    "other": ({**FROM, "where": field("n", "NOT_EQUAL", 1)}, "d b e"),
    "none of": ({**FROM, "where": field("n", "NOT_IN", [1, "text"])}, "d b"),
    "none of null": ({**FROM, "where": field("n", "NOT_IN", [1, None])}, ""),
    "one of": ({**FROM, "where": field("n", "IN", [2.5, 1, 1.0])}, "a b"),
    "with": ({**FROM, "where": field("tags", "ARRAY_CONTAINS", "red")}, "a b"),
    "with any": ({**FROM, "where": field("tags", "ARRAY_CONTAINS_ANY", ["blue", "x"])}, "a"),
    "inside": ({**FROM, "where": field("m.k", "GREATER_THAN", 1)}, "b"),
    "both": ({**FROM, "where": both("AND", field("s", "EQUAL", "x"), unary("n", "IS_NULL"))}, "c"),
    "either": (
        {**FROM, "where": both("OR", field("s", "EQUAL", "z"), field("n", "EQUAL", 1))}, "a d",
    ),
    "by name": (
        {**FROM, "where": field("__name__", "GREATER_THAN", {"referenceValue": f"{ROOT}/c/d"})},
        "e f",
    ),
    "ordered": ({**FROM, "orderBy": order("-s")}, "d b c a"),
    "ordered by two": ({**FROM, "orderBy": order("s", "-n")}, "a c b d"),
    "of one value, backwards": (
        {**FROM, "where": field("s", "EQUAL", "x"), "orderBy": order("-__name__")}, "c a",
    ),
    "a page": ({**FROM, "offset": 1, "limit": 2}, "b c"),
    "from a value": (
        {**FROM, "orderBy": order("s"), "startAt": cursor("y", before=True)}, "b d",
    ),
    "behind a value": (
        {**FROM, "orderBy": order("s"), "startAt": cursor("y", before=False)}, "d",
    ),
    "up to a value": ({**FROM, "orderBy": order("s"), "endAt": cursor("y", before=True)}, "a c"),
    "with a value": ({**FROM, "orderBy": order("-s"), "endAt": cursor("y", before=False)}, "d b"),
    "behind a document": (
        {**FROM, "orderBy": order("s"), "startAt": cursor(
            "x", {"referenceValue": f"{ROOT}/c/a"}, before=False)},
        "c b d",
    ),
    "behind a document of one value": (
        {**FROM, "where": field("s", "EQUAL", "x"), "startAt": cursor(
            {"referenceValue": f"{ROOT}/c/a"}, before=False)},
        "c",
    ),
    "group": ({**GROUP, "where": field("n", "GREATER_THAN_OR_EQUAL", 1)}, "a g b i"),
    "everywhere": ({"from": [{"allDescendants": True}], "where": field("n", "EQUAL", 1)}, "a g h"),
    "a group with a page": ({**GROUP, "limit": 2, "where": field("s", "EQUAL", "x")}, "a c"),
}  # fmt: skip


@pytest.fixture(scope="module")
def places() -> Firestore:
    return documents(**PLACES)


@pytest.mark.parametrize(("query", "names"), CASES.values(), ids=CASES)
def test_queries(places: Firestore, query: JsonObject, names: str) -> None:
    assert " ".join(path[-1] for path in places.find(query)) == names
    aggregate: JsonObject = {"structuredQuery": query, "aggregations": [{"count": {}}]}
    (answer,) = places.ask("runAggregationQuery", {"structuredAggregationQuery": aggregate})
    found = answer["result"]["aggregateFields"]["field_1"]["integerValue"]
    assert int(found) == len(names.split())


def test_a_group_is_found_below_a_document(places: Firestore) -> None:
    assert places.find(GROUP, f"{ROOT}/d/h") == ["d/h/c/i"]
    assert places.find(FROM, f"{ROOT}/c/a") == ["c/a/c/g"]


def test_fields_are_chosen(places: Firestore) -> None:
    def shown(*paths: str) -> Any:
        select = {"fields": [{"fieldPath": each} for each in paths]}
        query = {**FROM, "select": select, "limit": 1}
        return places.ask("runQuery", {"structuredQuery": query})[0]["document"]["fields"]

    assert shown("m.k", "s") == {
        "m": {"mapValue": {"fields": {"k": {"integerValue": "1"}}}}, "s": {"stringValue": "x"},
    }  # fmt: skip
    assert shown("__name__") == {}


def test_nothing_found_tells_what_was_passed_over(places: Firestore) -> None:
    answers = places.ask("runQuery", {"structuredQuery": {**FROM, "offset": 9}})
    assert answers == [{"readTime": "2026-03-02T09:00:00Z", "skippedResults": 6}]


REFUSED: Mapping[str, tuple[JsonObject, str]] = {
    "two sources": ({"from": [{}, {}]}, "multiple 'from'"),
    "no source": ({"from": [{}]}, "must name one"),
    "reserved": ({"from": [{"collectionId": "__x__"}]}, "reserved"),
    "no filter": ({**FROM, "where": {"x": 1}}, "filter must have a type"),
    "no filters": ({**FROM, "where": both("AND")}, "at least one sub-filter"),
    "no connective": (
        {**FROM, "where": both("XOR", unary("a", "IS_NULL"), unary("b", "IS_NULL"))}, "XOR",
    ),
    "operator": ({**FROM, "where": field("a", "LIKE", 1)}, "LIKE"),
    "unary operator": ({**FROM, "where": unary("a", "IS_ODD")}, "IS_ODD"),
    "no values": ({**FROM, "where": field("a", "IN", [])}, "non-empty"),
    "many values": ({**FROM, "where": field("a", "IN", [*range(31)])}, "up to 30"),
    "many exceptions": ({**FROM, "where": field("a", "NOT_IN", [*range(11)])}, "up to 10"),
    "name": ({**FROM, "where": field("__name__", "EQUAL", "a")}, "must be a Key"),
    "path": ({**FROM, "where": unary("a..b", "IS_NULL")}, "Invalid property path"),
    "offset": ({**FROM, "offset": -1}, "offset is negative"),
    "limit": ({**FROM, "limit": -1}, "limit is negative"),
    "cursor": ({**FROM, "startAt": cursor(1, 2, before=True)}, "too many values"),
    "cursor of a name": ({**FROM, "startAt": cursor("a", before=True)}, "must be a reference"),
}  # fmt: skip


@pytest.mark.parametrize(("query", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_query(places: Firestore, query: JsonObject, says: str) -> None:
    with pytest.raises(ApiError, match=says) as refused:
        places.find(query)
    assert refused.value.status == 400


def reckoned(ours: Firestore, *given: JsonObject, **query: Any) -> Any:
    body: JsonObject = {"structuredQuery": {**FROM, **query}, "aggregations": list(given)}
    (answer,) = ours.ask("runAggregationQuery", {"structuredAggregationQuery": body})
    return answer["result"]["aggregateFields"]


def test_sums_and_averages() -> None:
    given: JsonObject = {"a": {"n": 1, "x": 1}, "b": {"n": 2}, "c": {"n": "no"}, "e": {"f": 0.5}}
    ours = documents(**{f"c__{ident}": each for ident, each in given.items()})
    total, mean = {"sum": {"field": {"fieldPath": "n"}}}, {"avg": {"field": {"fieldPath": "n"}}}
    assert reckoned(ours, total, mean, {"count": {}}) == {
        "field_1": {"integerValue": "3"}, "field_2": {"doubleValue": 1.5},
        "field_3": {"integerValue": "3"},
    }  # fmt: skip
    assert reckoned(ours, {**total, "alias": "t"}, where=field("x", "EQUAL", 9)) == {
        "t": {"integerValue": "0"}
    }
    assert reckoned(ours, mean, where=field("x", "EQUAL", 9))["field_1"] == {"nullValue": None}
    halves = {"sum": {"field": {"fieldPath": "f"}}}
    assert reckoned(ours, halves) == {"field_1": {"doubleValue": 0.5}}
    assert reckoned(ours, {"count": {"upTo": "2"}}) == {"field_1": {"integerValue": "2"}}
    for given_, says in (
        ([], "can not be empty"),
        ([{"count": {}}] * 6, "maximum number"),
        ([{"alias": "a", "count": {}}] * 2, "duplicate alias 'a'"),
        ([{}], "type is not set"),
    ):
        with pytest.raises(ApiError, match=says):
            reckoned(ours, *given_)


def vector(*numbers: float) -> JsonObject:
    return {"__type__": "__vector__", "value": [*numbers]}


NEAR: Mapping[str, tuple[JsonObject, list[tuple[str, float]]]] = {
    "EUCLIDEAN": ({}, [("a", 0.0), ("b", 1.0)]),
    "COSINE": ({"distanceThreshold": 0.5}, [("a", 0.0), ("b", 1 - 2**-0.5)]),
    "DOT_PRODUCT": ({}, [("c", 9.0), ("a", 1.0)]),
}


@pytest.mark.parametrize(("measure", "more", "found"), [(n, *each) for n, each in NEAR.items()])
def test_nearest_vectors(measure: str, more: JsonObject, found: list[tuple[str, float]]) -> None:
    ours = documents(
        c__a={"v": vector(1, 0)}, c__b={"v": vector(1, 1)}, c__c={"v": vector(9, 99)},
        c__d={"v": vector(1)}, c__e={"v": 1},
    )  # fmt: skip
    near: JsonObject = {
        "vectorField": {"fieldPath": "v"}, "queryVector": value_of_json(vector(1, 0)),
        "distanceMeasure": measure, "limit": 2, "distanceResultField": "d", **more,
    }  # fmt: skip
    answers = ours.ask("runQuery", {"structuredQuery": {**FROM, "findNearest": near}})
    documents_ = [each["document"] for each in answers]
    seen = [(each["name"][-1], each["fields"]["d"]["doubleValue"]) for each in documents_]
    assert seen == [(name, pytest.approx(each)) for name, each in found]
    wrong: JsonObject
    for wrong in ({"limit": 0}, {"distanceMeasure": "X"}, {"queryVector": {}}):
        query = {**FROM, "findNearest": {**near, **wrong}}
        with pytest.raises(ApiError):
            ours.ask("runQuery", {"structuredQuery": query})


def test_a_group_is_parted() -> None:
    ours = documents(**{f"c__{number}": {} for number in range(9)})
    by_name = {**GROUP, "orderBy": order("__name__")}
    answer = ours.ask("partitionQuery", {"structuredQuery": by_name, "partitionCount": 3})
    names = [each["values"][0]["referenceValue"] for each in answer["partitions"]]
    assert [name[-1] for name in names] == ["3", "6"]
    for query, parts in ((FROM, 3), (by_name, 0)):
        with pytest.raises(ApiError):
            ours.ask("partitionQuery", {"structuredQuery": query, "partitionCount": parts})


def test_missing_documents_are_listed_with_what_is_below_them(places: Firestore) -> None:
    params: dict[str, Any] = {"collectionId": "d", "parent": ROOT}
    ours = documents(d__a={}, **{"d/b/e/f": {}, "d/b/g/h": {}})
    listed = ours.ask("list", **params)["documents"]
    assert [each["name"][-1] for each in listed] == ["a"]
    listed = ours.ask("list", **params, showMissing=True)["documents"]
    assert [(each["name"][-1], "fields" in each) for each in listed] == [("a", True), ("b", False)]
    assert ours.ask("listCollectionIds", {}) == {"collectionIds": ["d"]}
    first = ours.ask("listCollectionIds", {"pageSize": 1}, parent=f"{ROOT}/d/b")
    token = first["nextPageToken"]
    second = {"pageSize": 1, "pageToken": token}
    assert ours.ask("listCollectionIds", second, parent=f"{ROOT}/d/b") == {"collectionIds": ["g"]}
    with pytest.raises(ApiError, match="Only one of"):
        ours.ask("list", **params, showMissing=True, orderBy="a")
    by_count = places.ask("list", collectionId="c", parent=ROOT, orderBy="s desc, n", pageSize=2)
    assert [each["name"][-1] for each in by_count["documents"]] == ["d", "b"]


# --- as a plain scan ---

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 1.0, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "b"]),
    st.lists(st.integers(0, 2), max_size=2),
    st.just({"k": 1}),
)
ROWS = st.dictionaries(
    st.sampled_from([f"c/{number}" for number in range(12)]),
    st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2),
    max_size=12,
)
SINGLE = ("EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN",
          "GREATER_THAN_OR_EQUAL", "ARRAY_CONTAINS")  # fmt: skip
CONDITIONS = st.tuples(st.sampled_from("ab"), st.sampled_from(SINGLE), VALUES)


def holds(fields: JsonObject, condition: tuple[str, str, Any]) -> bool:
    path, op, wanted = condition
    if path not in fields:
        return False
    own, other = rank_of(value_of_json(fields[path])), rank_of(value_of_json(wanted))
    match op:
        case "EQUAL":
            return own == other
        case "NOT_EQUAL":
            return own not in {other, (0,)}
        case "ARRAY_CONTAINS":
            items = fields[path] if isinstance(fields[path], list) else []
            return any(rank_of(value_of_json(each)) == other for each in items)
        case _:
            is_less = own < other if op.startswith("LESS") else own > other
            return own[0] == other[0] and (is_less or (own == other and "EQUAL" in op))


@settings(max_examples=60, deadline=None, database=None)
@given(
    rows=ROWS, conditions=st.lists(CONDITIONS, max_size=2), is_or=st.booleans(),
    by=st.sampled_from([(), ("a",), ("-a",), ("b", "-a")]),
    limit=st.none() | st.integers(0, 4), changed=st.sampled_from(["", "c/3"]),
)  # fmt: skip
def test_a_query_finds_what_a_plain_scan_finds(
    rows: dict[str, JsonObject], conditions: list[tuple[str, str, Any]], is_or: bool,
    by: tuple[str, ...], limit: int | None, changed: str,
) -> None:  # fmt: skip
    ours = documents(**rows)
    query: JsonObject = {**FROM, "orderBy": order(*by)}
    filters = [field(*each) for each in conditions]
    if filters:
        query["where"] = both("OR" if is_or else "AND", *filters)
    ours.find(query)
    if changed:  # what was written stands over the base, in all indexes
        rows = {**rows, changed: {"a": 1, "b": [1]}}
        ours.set(changed, a=value_of_json(1), b=value_of_json([1]))
    together = any if is_or and conditions else all
    found = [path for path, each in rows.items() if together(holds(each, c) for c in conditions)]
    # fields that are compared are in the order, too
    compared = {path for path, op, _ in conditions if op not in {"EQUAL", "ARRAY_CONTAINS"}}
    down = by[-1].startswith("-") if by else False
    named = [each.removeprefix("-") for each in by]
    wanted = [*by, *(f"{'-' * down}{each}" for each in sorted(compared - {*named}))]
    found.sort(reverse=down, key=lambda path: path)
    for each in reversed(wanted):
        path = each.removeprefix("-")
        found = [one for one in found if path in rows[one]]
        found.sort(
            key=lambda one: rank_of(value_of_json(rows[one][path])), reverse=each.startswith("-")
        )
    assert ours.find({**query, **({} if limit is None else {"limit": limit})}) == found[:limit]


def test_what_an_index_finds_costs_no_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = documents(**{f"c/{n:05}": {"n": n % 2500, "g": n % 2} for n in range(5000)})
    numbers = count()
    queries: list[JsonObject] = [
        {**FROM, "where": field("n", "EQUAL", 77)},
        {**FROM, "where": field("n", "EQUAL", 77), "orderBy": order("-__name__")},
        {**FROM, "where": both("AND", field("n", "EQUAL", 77), field("g", "EQUAL", 1))},
        {**FROM, "where": field("g", "EQUAL", 1), "orderBy": order("-n"), "limit": 3},
        {**FROM, "orderBy": order("n"), "startAt": cursor(2000, before=True), "limit": 3},
    ]
    for query in queries:
        assert ours.find(query)
    store = ours.world.table("firestore:v1/documents")
    rows_of = type(store).rows_of

    def counted(self: Any, entries: Any) -> Any:
        found = rows_of(self, entries)
        for _ in found:
            next(numbers)
        return found

    monkeypatch.setattr(type(store), "rows_of", counted)
    for query in queries:
        assert len(ours.find(query)) in {2, 3}
    assert next(numbers) < 300
