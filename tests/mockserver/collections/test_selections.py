"""Each law holds a selection against a test of every row."""

import operator
from collections.abc import Callable, Mapping
from typing import get_args
from unittest import mock

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import LAST, Index, Store, query, selections
from mockserver.collections.query import Query, explained_queries, is_explaining
from mockserver.collections.selections import (
    AllOf,
    AnyOf,
    ByIndex,
    FieldIndexes,
    Operator,
    Selection,
    TextIndex,
    Without,
    count_of,
)
from mockserver.collections.selections import (
    ByTest as AskedEach,
)
from mockserver.model import Json, JsonObject

Test = Callable[[JsonObject], bool]
Table = dict[str, JsonObject]
Meant = tuple[Callable[[Store], Selection], Test]


def nested(rows: Mapping[str, Mapping[str, Json]]) -> Table:
    """Rows with their fields once more, inside of another."""
    return {key: {**row, "o": {**row}} for key, row in rows.items()}


PLAIN = st.none() | st.integers(0, 3) | st.booleans() | st.sampled_from(["a", "ab", "B", "2"])
VALUES = PLAIN | st.lists(PLAIN, max_size=2)
ROWS = st.dictionaries(
    st.text("xyz", min_size=1, max_size=3),
    st.fixed_dictionaries({}, optional={"n": VALUES, "m": VALUES}),
    max_size=12,
).map(nested)
FIELDS = {name: FieldIndexes(place) for name, place in (("n", "n"), ("m", "o.m"))}


def leaf(name: str, wanted: str) -> Meant:
    """Rows whose field has a text as its value, as a number or as truth."""
    known: dict[str, Json] = {"true": True, "2": 2}

    def holds(row: JsonObject) -> bool:
        value = row.get(name)
        return any(map(is_meant, value if isinstance(value, list) else [value]))

    def is_meant(value: Json) -> bool:
        if isinstance(value, str):
            return value == wanted
        meant = known.get(wanted)
        return meant is not None and type(value) is type(meant) and value == meant

    return (lambda store: FIELDS[name].select(store, "==", [wanted])), holds


def unlike(name: str, wanted: str) -> Meant:
    """Rows whose field is not, and does not hold, what a text means."""
    test = leaf(name, wanted)[1]
    return (lambda store: FIELDS[name].select(store, "!=", [wanted])), lambda row: not test(row)


def asked(name: str) -> Meant:
    """Rows that have a field, asked one by one."""
    test: Test = lambda row: row.get(name) is not None  # noqa: E731
    return (lambda store: AskedEach(store, test, f"has {name}")), test


def combined(parts: list[Meant], how: str) -> Meant:
    selects, tests = [each for each, _ in parts], [each for _, each in parts]
    if how == "not":
        return (lambda store: Without(store, selects[0](store))), lambda row: not tests[0](row)
    kind, holds = (AllOf, all) if how == "and" else (AnyOf, any)
    return (
        lambda store: kind([each(store) for each in selects]),
        lambda row: holds(each(row) for each in tests),
    )


def compared(name: str, op: Operator, wanted: str) -> Meant:
    """Rows whose field, which is no array, is less or greater than a text, or than its number."""

    def is_meant(value: Json) -> bool:
        other = int(wanted) if wanted.isdigit() and type(value) is int else wanted
        if type(value) is not type(other):
            return False
        holds: bool = getattr(operator, OPERATORS[op])(value, other)
        return holds

    return (
        lambda store: FIELDS[name].select(store, op, [wanted]),
        lambda row: is_meant(row.get(name)),
    )


def with_text(name: str, op: Operator, wanted: str) -> Meant:
    """Rows in whose field, written out, a text is somewhere, whatever the letter case."""

    def holds(row: JsonObject) -> bool:
        value = row.get(name)
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        text, needle = text.casefold(), wanted.casefold()
        tests = {"starts_with": text.startswith, "ends_with": text.endswith}
        found: bool = tests.get(op, lambda part: part in text)(needle)
        return value is not None and found

    return (lambda store: FIELDS[name].select(store, op, [wanted])), holds


OPERATORS: dict[str, str] = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
COMPARED: list[Operator] = ["<", "<=", ">", ">="]
IN_TEXTS: list[Operator] = ["contains", "starts_with", "ends_with"]
LEAVES = st.one_of(
    st.builds(compared, st.sampled_from("nm"), st.sampled_from(COMPARED), st.sampled_from("a12")),
    st.builds(with_text, st.sampled_from("nm"), st.sampled_from(IN_TEXTS), st.sampled_from("aB2[")),
    st.builds(leaf, st.sampled_from("nm"), st.sampled_from(["a", "ab", "2", "true", "none"])),
    st.builds(unlike, st.sampled_from("nm"), st.sampled_from(["a", "2", "true", "none"])),
    st.builds(asked, st.sampled_from("nm")),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        combined, st.lists(inner, min_size=1, max_size=3), st.sampled_from(["and", "or", "not"])
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("more", [0, 10_000], ids=["asked", "looked up"])
@given(rows=ROWS, written=ROWS, meant=TREES)
def test_combined_selections_have_the_rows_that_meet_the_tests(
    more: int, rows: dict[str, JsonObject], written: dict[str, JsonObject], meant: Meant
) -> None:
    with (
        mock.patch.object(selections, "_FAR_MORE", more),
        mock.patch.object(selections, "_FAR_MORE_TESTED", more),
    ):
        check_selection(rows, written, meant)


def check_selection(
    rows: dict[str, JsonObject], written: dict[str, JsonObject], meant: Meant
) -> None:
    store, (select, test) = Store(rows).copy(), meant
    for key, row in written.items():
        store.put(key, row)
    found = select(store)
    wanted = [key for key, row in store.pairs() if test(row)]
    assert [entry[2] for entry in found.places()] == wanted
    assert len(found) >= len(wanted)
    some = store.in_order().entries()[::2]
    kept = [entry[2] for entry in found.among(some)]
    assert kept == [entry[2] for entry in some if test(store.get(entry[2]) or {})]
    assert list(Query(where=found, newest_first=True).keys(store)) == wanted[::-1]
    assert count_of(found) == len(wanted)


ORDERS = st.lists(st.tuples(st.sampled_from("nm"), st.booleans()), max_size=3)


def in_order(rows: dict[str, JsonObject], order: list[tuple[str, bool]]) -> list[str]:
    """Keys by fields, the first counts most; rows that lack one come last either way."""
    keys = list(rows)
    for name, down in reversed(order):
        rank = FIELDS[name].rank
        having = [key for key in keys if rows[key].get(name) is not None]
        missing = [key for key in keys if key not in having]
        having.sort(key=lambda key: rank(rows[key]), reverse=down)
        keys = having + missing
    return keys


@pytest.mark.parametrize("few", [0, 10_000], ids=["walked", "looked up"])
@given(rows=ROWS, written=ROWS, tree=TREES, order=ORDERS, at=st.integers(0, 9))
def test_a_page_is_the_part_of_all_that_are_meant_in_their_order(
    few: int, rows: Table, written: Table, tree: Meant, order: list[tuple[str, bool]], at: int
) -> None:
    select, test = tree
    store, model = Store(rows).copy(), {**rows, **written}
    for key, row in written.items():
        store.put(key, row)
    by = tuple((FIELDS[name], down) for name, down in order)
    found = in_order(model, order)
    meant = [key for key in found if test(model[key])]
    with (
        mock.patch.object(query, "_FEW", few),
        mock.patch.object(query, "_MOST_WALKED", at),
        mock.patch.object(query, "_MANY_ALIKE", few),
    ):
        keys = Query(where=select(store), order=by).keys(store)
        assert list(keys[at : at + 2]) == meant[at : at + 2]
        assert len(keys) == len(meant)
        assert list(keys) == meant
        every = Query(order=by).keys(store)
        assert list(every[at:]) == found[at:]
        assert list(every) == found


BY_BEGINNING = Index(lambda key, _: ((key[0],),))


@pytest.mark.parametrize("few", [0, 10_000], ids=["walked", "looked up"])
@given(rows=ROWS, tree=st.none() | TREES, beginnings=st.permutations("xyz"), at=st.integers(0, 9))
def test_rows_within_several_values_come_value_by_value(
    few: int, rows: Table, tree: Meant | None, beginnings: list[str], at: int
) -> None:
    store, several = Store(rows), beginnings[:2]
    within = ByIndex(store, BY_BEGINNING, [((each,), (each, LAST)) for each in several])
    select, test = tree or (lambda _: within, lambda _: True)
    where = AllOf([within, select(store)]) if tree else within
    meant = [key for each in several for key in rows if key[0] == each and test(rows[key])]
    with mock.patch.object(query, "_FEW", few), mock.patch.object(query, "_MOST_WALKED", at):
        keys = Query(where=where, within=within).keys(store)
        assert list(keys[at : at + 2]) == meant[at : at + 2]
        assert len(keys) == len(meant)
        assert list(keys) == meant


MOMENTS: dict[str, Json] = {
    "a": "2026-03-01T00:00:00Z",
    "b": "2026-03-01T00:00:00.000Z",
    "c": "2026-03-01T01:00:00+01:00",
    "d": "2026-02-28T23:59:59.999Z",
    "e": "2026-03-01",
    "f": None,
    "g": "0001-01-01T00:00:00+14:00",
}


@pytest.mark.parametrize(
    ("op", "wanted", "keys"),
    [
        ("==", "2026-03-01T00:00:00Z", "abc"),
        ("==", "2026-02-28T23:00:00.0-01:00", "abc"),
        (">=", "2026-03-01T00:00:00Z", "abc"),
        ("<", "2026-03-01T00:00:00.000Z", "deg"),
        ("!=", "2026-03-01T00:00:00Z", "defg"),
        ("exists", "false", "f"),
        ("starts_with", "2026-03-01T00", "ab"),
    ],
)
def test_timestamps_are_compared_as_moments(op: Operator, wanted: str, keys: str) -> None:
    store = Store((key, {"at": at}) for key, at in MOMENTS.items())
    field = FieldIndexes("at", timed=True)
    found = field.select(store, op, [wanted])
    assert "".join(sorted(entry[2] for entry in found.places())) == keys
    order = Query(order=((field, False),)).keys(store)
    assert [key for key in order if key in "abcd"] == ["d", "a", "b", "c"]


def test_a_query_says_how_its_rows_are_found() -> None:
    rows: dict[str, JsonObject] = {"a": {"n": 1}, "b": {"n": 2, "m": "x"}}
    store = Store(rows)
    one = FIELDS["n"].select(store, "<=", ["1"])
    some = AnyOf([one, TextIndex(("m",)).with_word(store, "x")])
    assert not is_explaining()
    with explained_queries() as plans:
        assert is_explaining()
        list(Query(name="t", where=AllOf([Without(store, one), some])).keys(store))
        list(Query(name="t", order=((FIELDS["n"], True),)).rows(store))
    assert plans == [
        "t: all but (index n <= 1: 1 of 2 rows), then (index n <= 1: 1 of 2 rows or column texts"
        " with 'x': 2 of 2 rows); 1 found; as put, from an index",
        "t: all rows; 2 found; by n descending, from an index",
    ]
    assert set(get_args(Operator)) >= {"==", "exists"}
