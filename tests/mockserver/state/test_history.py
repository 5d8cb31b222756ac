"""What was changed, in order, and what taking it back leaves."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import JsonObject
from mockserver.state import TOKENS, World
from mockserver.state import history as module
from tests.mockserver.state.test_world import base_of, world

WRITES = st.lists(
    st.tuples(st.sampled_from(["users", "new"]), st.sampled_from("123"), st.none() | st.integers()),
    max_size=12,
)
Writes = list[tuple[str, str, int | None]]


@pytest.fixture
def made() -> World:
    return world(base_of(users={"1": {"n": 1}, "2": {"n": 2}}))


def write(where: World, writes: Writes) -> None:
    for collection, key, value in writes:
        if value is None:
            where.delete(collection, key)
        else:
            where.put(collection, key, {"n": value})


def everything(where: World) -> dict[str, list[tuple[str, JsonObject]]]:
    return {name: list(where.table(name).pairs()) for name in ("users", "new")}


@given(WRITES, WRITES, st.booleans())
def test_what_is_taken_back_was_never_written(kept: Writes, undone: Writes, raises: bool) -> None:
    where = world(base_of(users={"1": {"n": 1}, "2": {"n": 2}}))
    write(where, kept)
    before, changed, latest = everything(where), where.diff(), where.history.latest
    if raises:
        with contextlib.suppress(ValueError), where.transaction():
            write(where, undone)
            raise ValueError
    else:
        write(where, undone)
        assert len(where.undo(latest)) <= len(undone)
    assert (everything(where), where.diff(), where.history.latest) == (before, changed, latest)


def test_a_transaction_in_another_goes_with_it(made: World) -> None:
    with contextlib.suppress(ValueError), made.transaction():
        with made.transaction():
            made.put("users", "3", {"n": 3})
        assert list(made.table("users").rows()) == ["1", "2", "3"]
        raise ValueError
    assert made.written_collections() == ()


def test_changes_tell_what_became_of_a_row(made: World) -> None:
    made.history.request = 7
    made.put("users", "1", {"n": 9})
    made.history.request = 8
    made.delete("users", "1")
    made.put("new", "a", {"n": 0})
    made.put(TOKENS, "secret", {})
    found = made.history.since(0)
    assert found is not None
    assert [(one.number, one.request, one.key, one.before, one.after) for one in found] == [
        (1, 7, "1", {"n": 1}, {"n": 9}),
        (2, 8, "1", {"n": 9}, None),
        (3, 8, "a", None, {"n": 0}),
    ]
    assert made.history.before_latest_request() == 1
    assert [one.number for one in made.history.since(2) or ()] == [3]


def test_what_is_forgotten_is_neither_told_nor_taken_back(
    made: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    write(made, [("users", "1", 1), ("users", "1", 2), ("users", "1", 3)])
    assert made.history.since(0) is None
    assert len(made.history.since(1) or ()) == 2
    with pytest.raises(LookupError, match="remembered"):
        made.undo(0)
    with contextlib.suppress(ValueError), made.transaction():
        write(made, [("users", "1", 4), ("users", "1", 5), ("users", "1", 6)])
        raise ValueError
    assert made.table("users").get("1") == {"n": 3}


def test_what_may_be_seen_late_is_what_was_changed_since_a_rule_wants_it(made: World) -> None:
    write(made, [("users", "1", 1), ("users", "1", 2)])
    assert made.history.late() == []
    made.history.delayed_from = 1
    write(made, [("new", "a", 3)])
    assert [change.number for change in made.history.late()] == [2, 3]


def test_a_session_that_changed_nothing_has_nothing_to_take_back(made: World) -> None:
    assert (made.history.since(0), made.history.before_latest_request()) == ([], 0)
    assert made.undo(0) == []
