import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from harness.checks.assignment import heaviest_pairs

TABLES = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 4), min_size=size[1], max_size=size[1]),
        min_size=size[0],
        max_size=size[0],
    )
)


@given(TABLES)
def test_the_pairs_are_those_of_scipy(weights: list[list[int]]) -> None:
    rows, columns = linear_sum_assignment(np.array(weights), maximize=True)
    assert heaviest_pairs(weights) == list(zip(rows.tolist(), columns.tolist(), strict=True))


def test_whole_numbers_beyond_floats_are_told_apart() -> None:
    large = 1 << 60
    assert heaviest_pairs([[large, large + 1], [large, large]]) == [(0, 1), (1, 0)]


def test_nothing_is_paired_with_nothing() -> None:
    assert heaviest_pairs([]) == heaviest_pairs([[], []]) == []
