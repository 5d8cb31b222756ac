"""Each law holds a store against a plain dict that takes the same writes."""

from collections.abc import Iterable
from functools import partial
from typing import Any
from unittest import mock

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import LAST, Index, LazyRows, Store
from mockserver.collections import store as store_module
from mockserver.collections.store import _nothing_yet
from mockserver.model import JsonObject

KEYS = st.text("abc", min_size=1, max_size=2)
TEXTS = st.sampled_from(["", "x", "xy", "xz", "y", "\U0010ffff", "x\U0010ffff"])
ROWS = st.fixed_dictionaries({"n": st.integers(0, 3), "text": TEXTS})
TABLES = st.dictionaries(KEYS, ROWS)
WRITES = st.lists(st.tuples(KEYS, st.none() | ROWS), max_size=40)
Writes = list[tuple[str, JsonObject | None]]

NUMBER = Index(lambda _, row: (row["n"],))
TEXT = Index(lambda _, row: (row["text"],))
SEVERAL = Index(lambda key, row: sorted({row["n"], len(key)}), timed=True)
MADE = Index(lambda _, row: (row["text"],), make=lambda key, row: (key, row))
KEYED = Index(lambda key, _: (key,), make=lambda _, row: row)
INDEXES = (NUMBER, TEXT, SEVERAL, MADE)


def write(store: Store, model: dict[str, JsonObject], writes: Writes) -> None:
    for key, row in writes:
        if row is None:
            store.delete(key)
            model.pop(key, None)
        else:
            store.put(key, row)
            model[key] = row


def scan(model: dict[str, JsonObject], index: Index) -> list[tuple[Any, str]]:
    """Values and keys in the order that an index has them in."""
    found: Iterable[tuple[Any, str]] = [
        (value, key) for key, row in model.items() for value in index.values(key, row)
    ]
    return sorted(found, key=lambda each: each[0])


def check(store: Store, model: dict[str, JsonObject]) -> None:
    """A store holds what a dict holds, and each index finds what going through all rows finds."""
    assert list(store.rows().items()) == list(model.items())
    assert list(store.rows()) == list(model)
    assert list(store.rows().values()) == list(model.values())
    assert len(store) == len(store.rows()) == len(model)
    made = [entry[3] for entry in store.ordered(MADE).entries()]
    assert made == [(key, model[key]) for _, key in scan(model, MADE)]
    for index in INDEXES:
        pairs = scan(model, index)
        assert store.ordered(index).row_keys() == [key for _, key in pairs]
        assert list(store.values(index)) == sorted({value for value, _ in pairs})
        seen = [value for key, row in model.items() for value in index.values(key, row)]
        if index is not SEVERAL:
            assert store.values_as_put(index) == list(dict.fromkeys(seen))
            assert [store.place(index, key) for _, key in pairs] == list(range(len(pairs)))
        for wanted in {value for value, _ in pairs}:
            keys = [key for value, key in pairs if value == wanted]
            found = store.find(index, wanted)
            assert found.row_keys() == keys
            assert list(found) == [model[key] for key in keys]
            assert (store.first(index, wanted), store.last(index, wanted)) == (keys[0], keys[-1])
    for number in set(range(4)) - {row["n"] for row in model.values()}:
        assert (store.first(NUMBER, number), store.last(NUMBER, number)) == (None, None)


def lazy_rows(rows: dict[str, JsonObject]) -> LazyRows:
    return LazyRows({key: orjson.dumps(row) for key, row in rows.items()}, load)


def load(_: str, text: bytes) -> JsonObject:
    row: JsonObject = orjson.loads(text)
    return row


@given(TABLES, WRITES, WRITES, st.booleans(), st.booleans())
def test_a_store_is_a_dict_with_indexes(
    rows: dict[str, JsonObject], early: Writes, late: Writes, is_asked: bool, is_lazy: bool
) -> None:
    store, model = Store(lazy_rows(rows) if is_lazy else rows).copy(), dict(rows)
    write(store, model, early)
    if is_asked:  # indexes are kept up from when they are first asked for
        check(store, model)
    write(store, model, late)
    check(store, model)


def test_rows_are_made_when_they_are_read() -> None:
    rows = lazy_rows({"a": {"n": 1}, "b": {"n": 2}})
    store = Store(rows).copy()
    assert store.get("c") is None
    assert "b" in store
    assert rows.known == {}
    assert store.get("b") is store.rows()["b"]
    assert rows.known == {"b": {"n": 2}}


@given(TABLES, WRITES, WRITES, WRITES)
def test_copies_are_isolated(
    rows: dict[str, JsonObject], first: Writes, one: Writes, two: Writes
) -> None:
    base = Store(rows)
    store, model = base.copy(), dict(rows)
    write(store, model, first)
    check(store, model)
    copy, copied = store.copy(), dict(model)
    write(store, model, one)
    write(copy, copied, two)
    check(copy, copied)
    check(store, model)
    check(base, rows)


@given(TABLES, WRITES)
def test_changes_are_the_difference_to_the_base(
    rows: dict[str, JsonObject], writes: Writes
) -> None:
    store, model = Store(rows).copy(), dict(rows)
    write(store, model, writes)
    expected = {
        "added": [each for each in model.items() if each[0] not in rows],
        "removed": [each for each in rows.items() if each[0] not in model],
        "changed": [
            (key, {"before": rows[key], "after": row})
            for key, row in model.items()
            if key in rows and rows[key] != row
        ],
    }
    found = store.changes()
    assert {what: list(rows.items()) for what, rows in found.items()} == {
        what: each for what, each in expected.items() if each
    }


@given(TABLES, WRITES, TEXTS, TEXTS)
def test_ranges_are_sorted_lists(
    rows: dict[str, JsonObject], writes: Writes, low: str, high: str
) -> None:
    store, model = Store(rows).copy(), dict(rows)
    write(store, model, writes)
    pairs = scan(model, TEXT)
    assert store.starting(TEXT, low).row_keys() == [
        key for text, key in pairs if text.startswith(low)
    ]
    inside = [key for text, key in pairs if low <= text < high]
    assert store.between(TEXT, low, high).row_keys() == inside
    texts = sorted({text for text, _ in pairs if low <= text < high})
    assert list(store.values(TEXT, low, high)) == texts
    assert store.between(TEXT, low, LAST).row_keys() == [key for text, key in pairs if low <= text]
    expected = [model[key] for _, key in pairs]
    found = store.ordered(TEXT)
    assert found[1:3] == expected[1:3]
    assert found[-2:] == expected[-2:]
    assert found[::2] == expected[::2]
    assert list(found[::-1]) == expected[::-1]
    assert found[::-1][1:3] == expected[::-1][1:3]
    if expected:
        assert found[-1] == expected[-1]


@given(TABLES, WRITES)
def test_rows_are_moved_when_they_are_asked_for(
    rows: dict[str, JsonObject], writes: Writes
) -> None:
    moved = {key: {**row, "n": row["n"] + 1} for key, row in rows.items()}
    base = Store(rows)
    store = base.moved(lambda row, seconds: {**row, "n": row["n"] + seconds}, 1)
    timed = Index(lambda _, row: (row["n"],), timed=True)
    assert list(store.rows().items()) == list(moved.items())
    assert store.ordered(TEXT).row_keys() == [key for _, key in scan(rows, TEXT)]
    store, model = store.copy(), dict(moved)
    write(store, model, writes)
    assert list(store.rows().items()) == list(model.items())
    assert store.ordered(timed).row_keys() == [key for _, key in scan(model, timed)]
    assert list(base.rows().items()) == list(rows.items())


def test_a_base_is_shared_and_what_is_derived_of_it() -> None:
    base = Store({"a": {"n": 1}, "b": {"n": 2}})
    one, other = base.copy(), base.copy()
    assert one.derived(len) is other.derived(len)
    assert one.rows() is base.rows()
    assert one.get("a") is base.get("a")
    one.put("c", {"n": 3})
    assert (one.derived(len), other.derived(len)) == (3, 2)


def test_what_is_made_of_a_row_is_kept_while_it_is_there() -> None:
    store = Store({"a": {"n": 1}, "b": {"n": 2}}).copy()
    made: list[str] = []

    def double(key: str, row: JsonObject) -> int:
        made.append(key)
        return int(row["n"]) * 2

    assert store.views(double, "abab") == [2, 4, 2, 4]
    store.put("a", {"n": 5})
    assert store.views(double, "abab") == [10, 4, 10, 4]
    assert made == ["a", "b", "a"]


def test_what_an_index_makes_need_not_be_comparable() -> None:
    store = Store({f"{n:04}": {"n": n} for n in range(500)}).copy()
    for n in (*range(500), *range(499, -1, -1)):
        store.delete(f"{n:04}")
        store.ordered(KEYED)
        store.put(f"{n:04}", {"n": -n})
        store.put(f"{n:04}", {"n": n})
    assert [entry[3]["n"] for entry in store.ordered(KEYED).entries()] == list(range(500))


def test_a_row_that_is_not_there() -> None:
    store = Store({"a": {"n": 1}}).copy()
    store.delete("a")
    store.delete("b")
    assert store.get("a") is None
    assert "a" not in store
    assert store.first(NUMBER, 1) is None
    with pytest.raises(KeyError):
        store.rows()["a"]


@given(TABLES, WRITES, WRITES, st.booleans())
def test_what_is_taken_back_was_never_written(
    rows: dict[str, JsonObject], kept: Writes, undone: Writes, is_asked: bool
) -> None:
    store, model = Store(rows).copy(), dict(rows)
    write(store, model, kept)
    if is_asked:
        check(store, model)
    marks = []
    for key, row in undone:
        before = store.get(key)
        if before is not None or row is not None:
            marks.append((key, before, store.added_at(key)))
        write(store, {}, [(key, row)])
    for mark in reversed(marks):
        store.revert(*mark)
    check(store, model)
    assert store.changes() == _changed(rows, model)


def test_the_first_row_of_an_empty_store_gets_back_what_it_was() -> None:
    store = Store().copy()
    store.put("a", {"n": 1})
    store.put("a", {"n": 2})
    store.revert("a", {"n": 1}, 0)
    assert list(store.pairs()) == [("a", {"n": 1})]


@pytest.mark.parametrize(
    ("name", "start", "beside"),
    [("e", "", "cdef"), ("dd", "", "cdef"), ("", "", "ab"), ("z", "", "ij"), ("a", "c", "c")],
)
def test_of_many_texts_those_beside_the_place_of_one_are_compared(
    name: str, start: str, beside: str
) -> None:
    rows = Store((key, {}) for key in "jihgfedcba")
    with mock.patch.multiple(store_module, _MOST_COMPARED=9, _BESIDE=2):
        assert [entry[2] for entry in rows.beside(name, start=start)] == list(beside)


def _changed(rows: dict[str, JsonObject], model: dict[str, JsonObject]) -> JsonObject:
    other = Store(rows).copy()
    write(other, dict(rows), [(key, model.get(key)) for key in {**rows, **model}])
    return other.changes()


@given(TABLES, WRITES)
def test_what_is_remembered_holds_until_the_next_write(table: Any, writes: Writes) -> None:
    store, model = Store(table), dict(table)
    for write_one in [[], *([each] for each in writes)]:
        write(store, model, write_one)
        for _ in range(2):
            assert store.remembered("all", lambda: list(store.rows())) == list(store.rows())
            assert store.remembered(("number", 1), lambda: len(store)) == len(store)


def test_so_much_is_remembered_and_no_more() -> None:
    store = Store({"a": {"n": 1, "text": ""}})
    built: list[int] = []
    for number in (*range(300), 299):
        store.remembered(number, partial(built.append, number))
    assert built == list(range(300))
    assert len(store.derived(_nothing_yet)) < 300
