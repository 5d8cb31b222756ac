from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.server import Change, changes, collateral, is_event, means
from harness.model import ChangeEvent, ExpectedRow, JsonObject, TrialRecord
from tests.harness.records import seen

ROWS = st.dictionaries(
    st.sampled_from(["name", "a/b", "~", "tags"]),
    st.integers(0, 2) | st.lists(st.integers(0, 2), max_size=2),
)


def _trial(**diff: Any) -> TrialRecord:
    return seen(state_diff=diff)


MOVED = {"u1": {"before": {"name": "A", "note": "x"}, "after": {"name": "B", "note": "y"}}}
BUSY = _trial(
    users={"changed": MOVED, "added": {"u2": {"name": "C"}}},
    groups={"removed": {"g/1": {"name": "D"}}},
    tokens={"added": {"t": {}}},
)


def _paths(record: TrialRecord, *allowed: JsonObject, rows: tuple[ExpectedRow, ...] = ()) -> Any:
    events = [ChangeEvent.model_validate(each) for each in allowed]
    return [f"{each['op']} {each['path']}" for each in collateral(record, rows, events)]


def test_what_nobody_allows_is_collateral_damage() -> None:
    assert _paths(BUSY) == [
        "add /users/u2", "replace /users/u1/name", "replace /users/u1/note", "remove /groups/g~11",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("allowed", "left"),
    [
        ({"collection": "*"}, 0),
        ({"collection": "users"}, 1),
        ({"collection": "users", "kinds": ["changed"]}, 2),
        ({"collection": "users", "where": {"name": "A"}}, 2),
        ({"collection": "users", "where": {"name": {"any_of": ["B", "C"]}}}, 1),
        ({"collection": "users", "fields": ["/name"]}, 3),
        ({"collection": "users", "fields": ["/n*"]}, 2),
        ({"collection": "devices"}, 4),
    ],
    ids=str,
)
def test_what_is_allowed_is_not(allowed: JsonObject, left: int) -> None:
    assert len(_paths(BUSY, allowed)) == left


def test_what_is_expected_is_not() -> None:
    rows = (
        ExpectedRow(collection="users", where={"name": "B"}),
        ExpectedRow(collection="groups", where={"name": "D"}, count=0),
    )
    assert _paths(BUSY, rows=rows) == ["add /users/u2"]
    gone = (ExpectedRow(collection="users", where={"name": "A"}, count=0),)
    assert len(_paths(BUSY, rows=gone)) == 4, "it is still there under another name"


@given(ROWS, ROWS)
def test_the_patch_leads_from_before_to_after(before: JsonObject, after: JsonObject) -> None:
    change = Change("a~b", "changed", "k/1", before, after)
    world = {"a~b": {"k/1": before}}
    assert jsonpatch.apply_patch(world, change.patch()) == {"a~b": {"k/1": after}}
    added = Change("a~b", "added", "k/1", None, after)
    assert jsonpatch.apply_patch({"a~b": {}}, added.patch()) == {"a~b": {"k/1": after}}
    removed = Change("a~b", "removed", "k/1", before, None)
    assert jsonpatch.apply_patch(world, removed.patch()) == {"a~b": {}}


def test_changes_are_told_one_by_one() -> None:
    assert [(each.collection, each.kind, each.key) for each in changes(BUSY)] == [
        ("users", "added", "u2"), ("users", "changed", "u1"),
        ("groups", "removed", "g/1"), ("tokens", "added", "t"),
    ]  # fmt: skip


def test_signing_in_is_bookkeeping() -> None:
    assert (means("*", "tokens"), means("tokens", "tokens"), means("u*", "users")) == (
        False, True, True,
    )  # fmt: skip


def test_a_field_that_did_not_change_is_no_event() -> None:
    (_, changed, *_) = changes(BUSY)
    assert is_event(ChangeEvent(collection="users", fields=("/note",)), changed)
    assert not is_event(ChangeEvent(collection="users", fields=("/id",)), changed)


def test_what_the_server_renews_is_no_change_of_its_own() -> None:
    after = {"etag": "2", "updateTime": "t2", "note": "y"}
    renewed = {"u1": {"before": {"etag": "1", "updateTime": "t1", "note": "x"}, "after": after}}
    trial = _trial(users={"changed": renewed})
    assert _paths(trial) == ["replace /users/u1/note"]
    assert _paths(trial, {"collection": "users", "fields": ["/note"]}) == []
