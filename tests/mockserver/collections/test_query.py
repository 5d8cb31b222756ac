"""What is taken of a list is what a plain list has there; which way it is found, at the limits."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import LAST, Index, Store, query
from mockserver.collections.query import (
    LazySequence,
    Query,
    Ranges,
    RowKeys,
    Rows,
    Sortable,
    SortKey,
    WalkedKeys,
    _Down,
    explained_queries,
    in_order,
)
from mockserver.collections.selections import NOTHING, AllOf, ByIndex, FieldIndexes, Selection
from mockserver.collections.sorted_tree import Entry

N = FieldIndexes("n")
DEAR = FieldIndexes("n", timed=True)
GROUP = FieldIndexes("o.group")
ENDS = st.none() | st.integers(-8, 8)
SLICES = st.builds(slice, ENDS, ENDS, st.sampled_from([None, 1, 2, -1]))
NUMBERS = st.lists(st.none() | st.integers(0, 3), max_size=12)


def numbered(numbers: Sequence[int | None], groups: int = 2) -> Store:
    rows = enumerate(numbers)
    return Store((f"k{at}", {"n": number, "o": {"group": at % groups}}) for at, number in rows)


@given(NUMBERS, st.integers(-14, 13), SLICES)
def test_a_sequence_that_is_made_part_by_part_is_like_a_list(
    numbers: list[int | None], at: int, part: slice
) -> None:
    store = numbered(numbers)
    keys = [f"k{number}" for number in range(len(numbers))]
    for found, every in (
        (LazySequence(iter(keys)), keys),
        (RowKeys(store), keys),
        (RowKeys(store, down=True), keys[::-1]),
        (Rows(store, RowKeys(store)), [store.get(key) for key in keys]),
    ):
        assert list(found[part]) == every[part]
        assert (len(found), list(found)) == (len(every), every)
        if -len(every) <= at < len(every):
            assert found[at] == every[at]
        else:
            with pytest.raises(IndexError):
                found[at]


@given(NUMBERS, st.booleans(), st.booleans())
def test_the_place_of_a_key_is_where_it_stands(
    numbers: list[int | None], by_number: bool, down: bool
) -> None:
    store = numbered(numbers)
    keys = RowKeys(store, [(N, down)]) if by_number else RowKeys(store, down=down)
    assert [keys.place(key) for key in keys] == list(range(len(numbers)))
    assert keys.place("absent") is None
    some = RowKeys(store, rows=store.find(N.values, (1, 1)))
    assert [some.place(key) for key in some] == list(range(len(some)))


@given(NUMBERS, st.integers(0, 12), st.integers(0, 12))
def test_ranges_stand_behind_each_other(numbers: list[int | None], start: int, stop: int) -> None:
    store = numbered(numbers)
    several = [store.find(N.values, (1, number)) for number in (2, 0, 1)]
    every = [entry for each in several for entry in each.entries()]
    found = Ranges(several)
    assert (len(found), found.entries(start, stop)) == (len(every), every[start:stop])


@given(st.lists(st.tuples(st.integers(0, 3)), max_size=8))
def test_ranks_are_turned_round(ranks: list[tuple[int]]) -> None:
    turned = sorted(map(_Down, ranks))
    assert [each.rank for each in turned] == sorted(ranks, reverse=True)
    for one in turned:
        assert one < LAST
        assert not one > LAST
        assert one != one.rank
        for other in turned:
            assert (one == other) is (one.rank == other.rank)
            assert (one > other) is (other < one) is (one.rank < other.rank)
    assert len(set(turned)) == len(set(ranks))


@given(NUMBERS, st.lists(st.tuples(st.integers(0, 11), st.integers(0, 3)), max_size=4))
def test_an_index_of_several_fields_follows_what_is_written(
    numbers: list[int | None], writes: list[tuple[int, int]]
) -> None:
    store, order = numbered(numbers).copy(), ((GROUP, False), (N, True))
    with mock.patch.object(query, "_MANY_ALIKE", 0):
        for at, number in ((0, 0), *writes):
            if at < len(numbers):
                store.put(f"k{at}", {"n": number, "o": {"group": at % 2}})
            found = Query(order=order).rows(store)
            ranks = [(row["o"]["group"], row["n"] is None, -(row["n"] or 0)) for row in found]
            assert ranks == sorted(ranks)
            assert len(ranks) == len(numbers)


def among(store: Store, count: int) -> Selection:
    """The first so many rows of a store, by an index that does not order them."""
    index = Index(lambda key, _: (int(key[1:]),))
    return AllOf([ByIndex(store, index, [(0, count)], is_exact=True)])


@pytest.mark.parametrize(
    ("size", "count", "order", "walked"),
    [
        (800, 400, (), False), (800, 401, (), True),
        (800, 400, ((N, True),), False), (800, 401, ((N, True),), True),
        (240, 60, ((DEAR, True),), False), (240, 61, ((DEAR, True),), True),
        (200, 200, ((DEAR, True),), False), (201, 201, ((DEAR, True),), True),
    ],
)  # fmt: skip
def test_many_rows_are_gone_through_and_few_are_looked_up(
    size: int, count: int, order: tuple[SortKey, ...], walked: bool
) -> None:
    store = numbered(range(size))
    found = Query(where=among(store, count), order=order).keys(store)
    assert isinstance(found, WalkedKeys) is walked
    assert list(found[:3]) == list(found)[:3]
    assert len(found) == count


@pytest.mark.parametrize(
    ("count", "keys", "walked"),
    [
        (25, ((N, False),), False), (26, ((N, True),), True),
        (125, ((DEAR, True),), False), (126, ((DEAR, False),), True),
        (400, ((N, False), (GROUP, True)), False), (400, (), False),
    ],
)  # fmt: skip
def test_rows_are_sorted_by_their_ranks_or_by_the_whole_index(
    count: int, keys: tuple[SortKey, ...], walked: bool
) -> None:
    store = numbered([3, 1, 2, None] * 125)
    places = among(store, count).places()
    with mock.patch.object(query, "_walked", wraps=query._walked) as walk:
        found = in_order(store, places, keys)
    assert bool(walk.call_count) is walked
    expected = list(places)
    for field, down in reversed(keys):
        having = [(rank, entry) for entry in expected if (rank := rank_of(field, store, entry))]
        having.sort(key=itemgetter(0), reverse=down)
        missing = [entry for entry in expected if not rank_of(field, store, entry)]
        expected = [*(entry for _, entry in having), *missing]
    assert [entry[2] for entry in found] == [entry[2] for entry in expected]


def rank_of(field: Sortable, store: Store, entry: Entry) -> tuple[Any, ...]:
    """Nothing for a row that has no such field."""
    rank = field.rank(store.rows()[entry[2]])
    return () if rank is NOTHING else rank


BY_TIME = FieldIndexes("o.group", timed=True)


@pytest.mark.parametrize(
    ("alike", "order", "low", "made"),
    [
        (3, (GROUP, N), (), False), (4, (GROUP, N), (), True), (4, (GROUP, N), (0, 0), False),
        (4, (GROUP, DEAR), (), False), (4, (BY_TIME, DEAR), (), True), (4, (BY_TIME, N), (), True),
    ],
)  # fmt: skip
def test_many_rows_alike_are_worth_an_index_of_all_fields(
    alike: int, order: tuple[FieldIndexes, ...], low: tuple[Any, ...], made: bool
) -> None:
    store = numbered([2, 1] * alike)
    bounds = (low, (2,)) if low else query._EVERY
    with (
        mock.patch.object(query, "_MANY_ALIKE", 3),
        mock.patch.object(query, "_together", wraps=query._together) as together,
    ):
        list(RowKeys(store, [(field, False) for field in order], bounds=bounds))
    assert bool(together.call_count) is made


@pytest.mark.parametrize("size", [0, 63, 64, 65, 400])
def test_rows_in_an_order_of_its_own_are_looked_for_as_they_are_taken(size: int) -> None:
    store = numbered(range(size))
    where = among(store, size // 2)
    keys = WalkedKeys(RowKeys(store), where, list)
    every = store.between(N.values, (1, 0), (2,))
    with mock.patch.object(where, "among", side_effect=list) as among_rows:
        found = keys.each_of(every)
        begin = [entry[2] for entry, _ in zip(found, range(3), strict=False)]
        assert begin == list(store.rows())[:3]
        assert among_rows.call_count == min(size, 1)
        list(found)
    asked = [len(call.args[0]) for call in among_rows.call_args_list]
    assert asked == [part for part in (min(size, 64), min(size - 64, 128), size - 192) if part > 0]
    assert [each[2] for each in keys.each_of(every)] == list(store.rows())[: size // 2]


@pytest.mark.parametrize(
    ("order", "from_index"),
    [((), True), (((N, False),), True), (((N, True),), True), (((GROUP, False),), False)],
)
def test_rows_that_stand_side_by_side_are_read_there(
    order: tuple[SortKey, ...], from_index: bool
) -> None:
    store = numbered([1, 2, 1, None, 0])
    equal, less = N.select(store, "==", ["1"]), N.select(store, "<", ["2"])
    assert isinstance(Query(where=equal, order=order).keys(store), RowKeys) is from_index
    assert isinstance(Query(where=less, order=order).keys(store), RowKeys) is (
        from_index and bool(order)
    )
    found = Query(where=less, order=((N, True),)).keys(store)
    assert list(found) == ["k0", "k2", "k4"]
    assert list(Query(where=equal, newest_first=True).keys(store)) == ["k2", "k0"]


NINE = "index of the collection: 9 of 500 rows; 9 found"
BY_GROUP = Index(lambda _, row: ((row["o"]["group"],),))


@pytest.mark.parametrize(
    ("count", "words", "plan"),
    [
        (0, {}, "all rows; 500 found; as put, from an index"),
        (0, {"newest_first": True}, "all rows; 500 found; the latest first, from an index"),
        (0, {"order": ((N, True), (GROUP, False))},
         "all rows; 500 found; by n descending, o.group, from an index"),
        (9, {}, f"{NINE}; as put, from an index"),
        (9, {"order": ((N, False),)}, f"{NINE}; by n, sorted"),
        (9, {"within": 1}, f"{NINE}; value by value, from an index"),
        (400, {"order": ((N, False),)},
         "index of the collection: 400 of 500 rows; 400 found; by n, read until a page is full"),
    ],
)  # fmt: skip
def test_a_plan_says_in_which_order_rows_come_and_how_they_are_found(
    count: int, words: dict[str, Any], plan: str
) -> None:
    store = numbered(range(500))
    if "within" in words:
        words = {"within": ByIndex(store, BY_GROUP, [((1,), (1, LAST)), ((0,), (0, LAST))])}
    where = among(store, count) if count else None
    with explained_queries() as plans:
        keys = Query(name="t", where=where, **words).keys(store)
    assert plans == [f"t: {plan}"]
    if "within" in words:
        assert list(keys) == ["k1", "k3", "k5", "k7", "k0", "k2", "k4", "k6", "k8"]


@pytest.mark.parametrize("down", [False, True])
def test_of_many_rows_only_those_within_the_bounds_of_the_order_are_read(down: bool) -> None:
    store = numbered([*range(400), *[None] * 200])
    where = AllOf([N.select(store, ">=", ["10"]), among(store, 500)])
    found = Query(where=where, order=((N, down),)).keys(store)
    assert isinstance(found, WalkedKeys)
    assert len(found._every) == 390
    expected = [f"k{number}" for number in range(10, 400)]
    assert list(found) == (expected[::-1] if down else expected)
