"""An index by time finds in moved rows what a scan of them finds, whatever becomes of each."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Index, Store, later_seconds
from mockserver.collections.moved_trees import LONGEST, MovedTrees
from mockserver.model import JsonObject

TIMES = st.sampled_from([-5.0, 0.0, 0.25, 1.0, 7.5, 1.7e9, 1.7e9 + 0.001, 1.7e9 + 0.000001])
ROWS = st.fixed_dictionaries({
    "at": TIMES,
    "kind": st.sampled_from(["moved", "moved", "moved", "still", "back", "far"]),
    "in": st.sampled_from("ab"),
})  # fmt: skip


def move(row: JsonObject, seconds: int) -> JsonObject:
    """A row later: some stay, one is moved as no other is, one stays where it would go far."""
    match row["kind"]:
        case "still":
            return row
        case "back":
            return {**row, "at": row["at"] - seconds}
        case "far" if seconds > 100:
            return row
        case _:
            return {**row, "at": later_seconds(row["at"], seconds)}


UP = Index(
    lambda _, row: dict.fromkeys(((row["at"],), (row["at"] + 8,))),
    timed=True,
    later=lambda value, seconds: (later_seconds(value[0], seconds),),
)
DOWN = Index(
    lambda _, row: ((row["in"], -row["at"]), ("", -row["at"])),
    timed=True,
    later=lambda value, seconds: (value[0], -later_seconds(-value[1], seconds)),
)


def keys(store: Store, index: Index) -> Sequence[str]:
    return store.ordered(index).row_keys()


def scan(rows: dict[str, JsonObject], index: Index) -> Sequence[str]:
    found = [
        (value, number, key)
        for number, (key, row) in enumerate(rows.items())
        for value in index.values(key, row)
    ]
    return [key for _, _, key in sorted(found)]


@given(
    st.lists(ROWS, max_size=150),
    st.lists(st.sampled_from([0, 1, 90, 10**6, LONGEST, LONGEST + 1]), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 149), TIMES), max_size=5),
)
def test_sessions_with_clocks_of_their_own_find_what_a_scan_finds(
    several: list[JsonObject], clocks: list[int], writes: list[tuple[int, float]]
) -> None:
    rows = {f"r{number}": row for number, row in enumerate(several)}
    base = Store(rows)
    for seconds in clocks:
        moved = {key: move(row, seconds) for key, row in rows.items()}
        store = base.moved(move, seconds)
        for index in (UP, DOWN):
            assert keys(store, index) == scan(moved, index)
        store = store.copy()
        for number, at in writes:
            key = f"r{number}"
            if key in moved:
                moved[key] = {**moved[key], "at": at}
                store.put(key, moved[key])
        for index in (UP, DOWN):
            assert keys(store, index) == scan(moved, index)
    assert keys(base, UP) == scan(rows, UP)


@pytest.mark.parametrize("kind", ["moved", "still"])
def test_rows_that_all_move_or_all_stay_are_read_once_for_all_sessions(kind: str) -> None:
    rows: dict[str, JsonObject] = {f"r{at}": {"at": float(at), "kind": kind, "in": "a"}
                                   for at in range(1, 20)}  # fmt: skip
    assert UP.later is not None
    trees = MovedTrees(UP.values, UP.later, rows, move)
    found = [entry[2] for entry in trees.tree(60, {})]
    assert found == scan({key: move(row, 60) for key, row in rows.items()}, UP)
    assert not trees._apart
