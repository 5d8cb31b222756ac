"""An index of words finds what looking into each text finds, whatever is written or taken back."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Store, WordIndex, text_of_lines
from mockserver.collections.selections import AllOf, AnyOf, ByWords, Selection, Without, numbers_of
from mockserver.collections.words import BaseWords
from mockserver.model import JsonObject

LINES = st.lists(st.sampled_from(["a", "ab", "abc", "bc", "-"]), max_size=4).map(" ".join)
ROWS = st.fixed_dictionaries({"lines": st.lists(LINES, max_size=3)})
KEYS = st.sampled_from("klmnop")
NEEDLES = st.tuples(
    st.sampled_from(["", " "]),
    st.lists(st.sampled_from(["a", "b", "ab", "bc", "abc", "x"]), max_size=3).map(" ".join),
    st.sampled_from(["", " ", "\n"]),
).map("".join)
INDEX = WordIndex(lambda row: text_of_lines(row["lines"]))


def scan(store: Store, needle: str) -> list[str]:
    return [key for key, row in store.pairs() if needle in INDEX.text(row)]


def keys(selection: Selection) -> list[str]:
    return [entry[2] for entry in selection.places()]


WORDS = ["a", "b", "ab", "bc", "abc"]
SAID = [*WORDS, *map(" ".join, product(WORDS, WORDS)), "a \n b", "ab  bc", "b bc abc", ""]


@pytest.mark.parametrize("before", ["", " ", "\n", "  "])
@pytest.mark.parametrize("behind", ["", " ", "\n", "  "])
def test_words_of_a_base_find_what_its_texts_contain(before: str, behind: str) -> None:
    texts = [f" {each} " for each in SAID]
    base = BaseWords(WordIndex(lambda row: row["text"]), [(t, {"text": t}) for t in texts])
    assert base.keys == [base.text(number) for number in range(len(texts))] == texts
    for inner in [*SAID, "x", "c", "b a", "c a", "b x", "bc b"]:
        needle = f"{before}{inner}{behind}"
        assert base.find(needle) == {n for n, text in enumerate(texts) if needle in text}, needle


@given(
    st.dictionaries(KEYS, ROWS, max_size=4),
    st.lists(st.tuples(KEYS, st.none() | ROWS), max_size=5),
    st.lists(NEEDLES, min_size=1, max_size=4),
    st.booleans(),
)
def test_words_find_what_a_scan_finds(
    rows: dict[str, JsonObject],
    writes: list[tuple[str, JsonObject | None]],
    needles: list[str],
    early: bool,
) -> None:
    store = Store(rows).copy()
    if early:  # the words are made before the writes, and follow them
        store.words(INDEX)
    undo = []
    for key, row in writes:
        undo.append((key, store.get(key), store.added_at(key)))
        if row is None:
            store.delete(key)
        else:
            store.put(key, row)
    for needle in needles:
        assert keys(ByWords(store, INDEX, needle)) == scan(store, needle)
        assert keys(ByWords(store.copy(), INDEX, needle)) == scan(store, needle)
    for key, before, added_at in reversed(undo):
        store.revert(key, before, added_at)
    for needle in needles:
        assert keys(ByWords(store, INDEX, needle)) == scan(Store(rows), needle)


@given(st.dictionaries(KEYS, ROWS, max_size=6), NEEDLES, NEEDLES, st.booleans())
def test_combinations_count_the_rows_that_they_find(
    rows: dict[str, JsonObject], one: str, other: str, is_moved: bool
) -> None:
    store = Store(rows).moved(lambda row, _: row, 0) if is_moved else Store(rows)
    first, second = ByWords(store, INDEX, one), ByWords(store, INDEX, other)
    several: list[Selection] = [
        AllOf([first, second]),
        AnyOf([first, second]),
        Without(store, first),
        AllOf([first, Without(store, second)]),
        AllOf([Without(store, first), Without(store, AnyOf([first, second]))]),
    ]
    for each in several:
        assert numbers_of(each) == {entry[1] for entry in each.places()}, each.explain()
