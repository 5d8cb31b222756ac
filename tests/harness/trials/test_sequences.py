from collections.abc import Sequence

import pytest
from typing_extensions import override

from harness.trials.sequences import StoredSequence


class Squares(StoredSequence[int]):
    def __init__(self, length: int) -> None:
        self._length = length

    @override
    def item_at(self, place: int) -> int:
        return place * place

    @override
    def __len__(self) -> int:
        return self._length


@pytest.mark.parametrize("place", [0, 4, -1, -5, slice(1, 3), slice(None, None, -2), slice(7, 9)])
def test_items_are_found_as_those_of_a_tuple_are(place: int | slice) -> None:
    assert Squares(5)[place] == (0, 1, 4, 9, 16)[place]


@pytest.mark.parametrize("place", [5, -6])
def test_there_is_nothing_beyond_the_ends(place: int) -> None:
    with pytest.raises(IndexError):
        Squares(5)[place]


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        ([0, 1, 4], True), (Squares(3), True), ([0, 1], False), ([0, 1, 5], False), (None, False),
    ],
)  # fmt: skip
def test_it_is_equal_to_sequences_of_equal_items(
    other: Sequence[int] | None, *, equal: bool
) -> None:
    assert (Squares(3) == other) is equal


def test_it_says_what_it_is_and_has_no_hash() -> None:
    assert repr(Squares(3)) == "Squares(3)"
    with pytest.raises(TypeError):
        hash(Squares(3))
