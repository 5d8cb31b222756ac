from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks import alignment
from harness.checks.alignment import Pairs, assign

NONE: frozenset[int] = frozenset()
Fits = dict[int, list[int]]
FITS = st.dictionaries(
    st.integers(0, 4),
    st.sets(st.integers(0, 5), max_size=4).map(sorted),
    min_size=1,
    max_size=5,
)


def align(groups: list[list[int]], fits: Fits, optional: frozenset[int]) -> Pairs:
    """Each required item outweighs all optional ones."""
    weights = {
        item: dict.fromkeys(places, 1 if item in optional else 1 + len(fits))
        for item, places in fits.items()
    }
    return alignment.align(groups, weights)


def _best_by_trying(groups: list[list[int]], fits: Fits) -> int:
    """The most pairs over all orders within the groups, by plain search."""

    def longest(order: tuple[int, ...], start: int) -> int:
        if not order:
            return 0
        skipped = longest(order[1:], start)
        taken = [1 + longest(order[1:], at + 1) for at in fits[order[0]] if at >= start]
        return max([skipped, *taken])

    def over(rest: list[list[int]], done: tuple[int, ...]) -> int:
        if not rest:
            return longest(done, 0)
        return max(over(rest[1:], done + each) for each in permutations(rest[0]))

    return over(groups, ())


def test_a_greedy_choice_is_undone() -> None:
    assert align([[0, 1]], {0: [0, 1], 1: [0]}, NONE) == {0: 1, 1: 0}


def test_one_actual_item_serves_one_expected_item() -> None:
    assert len(align([[0, 1]], {0: [0], 1: [0]}, NONE)) == 1


def test_order_between_groups_is_kept() -> None:
    assert align([[0], [1]], {0: [1], 1: [0]}, NONE) in ({0: 1}, {1: 0})
    assert align([[0], [1, 2], [3]], {0: [0], 1: [2], 2: [1], 3: [3]}, NONE) == {
        0: 0,
        1: 2,
        2: 1,
        3: 3,
    }


def test_leaving_an_early_group_out_can_be_better() -> None:
    pairs = align([[0], [1], [2]], {0: [2], 1: [0], 2: [1]}, NONE)
    assert pairs == {1: 0, 2: 1}


def test_required_items_come_before_optional_ones() -> None:
    assert align([[0, 1]], {0: [0], 1: [0]}, frozenset({0})) == {1: 0}
    fits = {0: [2], 1: [0], 2: [1]}
    assert align([[0], [1], [2]], fits, frozenset({1, 2})) == {0: 2}


@pytest.mark.parametrize("count", [2000])
def test_many_equal_calls_take_no_time(count: int) -> None:
    every = list(range(count))
    pairs = align([[0, 1], [2], [3, 4]], {**dict.fromkeys(range(4), every), 4: [count - 1]}, NONE)
    assert len(pairs) == 5


@given(FITS)
def test_one_group_is_a_maximum_matching(fits: Fits) -> None:
    group = [list(fits)]
    assert len(align(group, fits, NONE)) == _best_by_trying(group, fits)


@given(FITS, st.randoms(use_true_random=False))
def test_groups_in_order_are_aligned_as_well_as_can_be(fits: Fits, random: object) -> None:
    items = list(fits)
    groups = [items[:1], items[1:3], items[3:]]
    pairs = align(groups, fits, NONE)
    assert len(pairs) == _best_by_trying(groups, fits)
    _is_in_order(groups, pairs)


@given(FITS, st.data())
def test_permuting_a_group_changes_no_count(fits: Fits, data: st.DataObject) -> None:
    """The verdict rests on the counts of required and of optional pairs alone."""
    items = list(fits)
    optional = frozenset(data.draw(st.sets(st.sampled_from(items))))
    shuffled = data.draw(st.permutations(items))
    one, other = align([items], fits, optional), align([shuffled], fits, optional)
    assert len(one) == len(other)
    assert len(one.keys() - optional) == len(other.keys() - optional)


@pytest.mark.parametrize("group", [[0, 1], [1, 0]], ids=str)
def test_the_heaviest_pairs_are_preferred(group: list[int]) -> None:
    assert assign(group, {0: {0: 9, 1: 8}, 1: {0: 9, 1: 5}}) == {0: 1, 1: 0}
    assert assign(group, {0: {0: 2}, 1: {0: 3}}) == {1: 0}
    assert assign([0], {0: {4: 1, 2: 1}}) == {0: 2}


def test_what_is_fine_decides_within_a_group_alone() -> None:
    weights = {0: {0: 8, 1: 9}, 1: {2: 8}}
    assert alignment.align([[0], [1]], weights, fine=8) == {0: 0, 1: 2}
    weights = {0: {0: 8, 1: 9}, 1: {0: 8, 1: 8}, 2: {2: 8}}
    assert alignment.align([[0, 1], [2]], weights, fine=8) == {0: 1, 1: 0, 2: 2}


def test_nothing_expected_pairs_nothing() -> None:
    assert alignment.align([], {}) == {}
    assert alignment.align([[0], [1]], {0: {}, 1: {}}) == {}


WEIGHTS = st.dictionaries(
    st.integers(0, 4), st.dictionaries(st.integers(0, 5), st.integers(1, 20)), min_size=1
)


@given(WEIGHTS)
def test_groups_of_one_weigh_what_the_best_chain_weighs(weights: dict[int, dict[int, int]]) -> None:
    groups = [[item] for item in weights]
    pairs = alignment.align(groups, weights)
    _is_in_order(groups, pairs)
    found = sum(weights[item][at] for item, at in pairs.items())

    def best(items: list[int], start: int) -> int:
        if not items:
            return 0
        taken = [w + best(items[1:], at + 1) for at, w in weights[items[0]].items() if at >= start]
        return max([best(items[1:], start), *taken])

    assert found == best(list(weights), 0)


def _is_in_order(groups: list[list[int]], pairs: Pairs) -> None:
    assert len(set(pairs.values())) == len(pairs)
    ends = [[pairs[item] for item in group if item in pairs] for group in groups]
    filled = [places for places in ends if places]
    assert all(max(one) < min(two) for one, two in pairwise(filled))
