from bisect import bisect_left
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import LAST, SortedTree, sorted_tree

NUMBERS = st.integers(0, 400)
WRITES = st.lists(st.tuples(st.sampled_from("aaar"), NUMBERS), max_size=600)
Writes = list[tuple[str, int]]
narrow = mock.patch.multiple(sorted_tree, _WIDTH=4, _FILL=3)  # few entries make many levels


def write(tree: SortedTree, model: set[tuple[int]], writes: Writes) -> None:
    for what, number in writes:
        entry = (number,)
        if what == "a" and entry not in model:
            tree.add(entry)
            model.add(entry)
        elif what == "r" and entry in model:
            tree.remove(entry)
            model.remove(entry)


@narrow
@given(st.sets(NUMBERS), WRITES, NUMBERS, NUMBERS)
def test_a_tree_is_a_sorted_list(start: set[int], writes: Writes, low: int, high: int) -> None:
    model = {(each,) for each in start}
    tree = SortedTree(model)
    write(tree, model, writes)
    expected = sorted(model)
    assert list(tree) == expected
    assert len(tree) == len(expected)
    assert tree.part(low, high) == expected[low:high]
    place = bisect_left(expected, (low,))
    assert tree.rank((low,)) == place
    assert tree.first_from((low,)) == next(iter(expected[place:]), None)
    assert tree.last_before((low,)) == next(reversed(expected[:place]), None)


@narrow
@given(st.sets(NUMBERS), WRITES, WRITES)
def test_copies_are_written_apart(start: set[int], one: Writes, two: Writes) -> None:
    model = {(each,) for each in start}
    tree = SortedTree(model)
    copy, copied = tree.copy(), set(model)
    write(tree, model, one)
    write(copy, copied, two)
    assert list(tree) == sorted(model)
    assert list(copy) == sorted(copied)


def test_a_tree_of_many_levels_is_emptied_and_filled() -> None:
    tree = SortedTree((each,) for each in range(20_000))
    for each in range(20_000):
        tree.remove((each,))
        assert tree.first_from(()) == ((each + 1,) if each < 19_999 else None)
    assert list(tree) == []
    for each in range(20_000):
        tree.add((-each,))
    assert tree.part(9_999, 10_001) == [(-10_000,), (-9_999,)]


def test_nothing_is_behind_the_last() -> None:
    last: Any = LAST
    assert sorted([last, 3, 1, 2]) == [1, 2, 3, last]
    assert sorted([("z", last), ("z", 10**9)])[-1] == ("z", last)
    assert [last < 5, last > last, {last: 1}[last]] == [False, False, 1]


def test_an_entry_is_found_before_parts_that_were_emptied() -> None:
    tree = SortedTree((each,) for each in range(10_000))
    for each in range(1, 9_999):
        tree.remove((each,))
        assert tree.first_from((each,)) == (each + 1,)
        assert tree.last_before((each + 1,)) == (0,)
