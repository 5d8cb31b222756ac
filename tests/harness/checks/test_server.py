from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.registry import check
from harness.checks.server import Change, changes, is_event, names_collection, unexpected_changes
from harness.model import (
    ChangeEvent,
    CheckResult,
    ExpectedRequest,
    ExpectedRow,
    JsonObject,
    ServerRequests,
    ServerState,
    TrialRecord,
)
from mockserver.model import Journal, Miss
from tests.harness.records import entry, record, seen

RESOLVE = "chromepolicy.customers.policies.resolve"
UNITS = {"03ph1": {"name": "Sales", "orgUnitPath": "/Sales"}, "03ph2": {"name": "Lab"}}


def _requests(*expected: ExpectedRequest, trial: Any, **facts: Any) -> CheckResult:
    return check(trial, ServerRequests(requests=expected, **facts))


def test_a_request_is_found_by_glob_and_parameters() -> None:
    trial = seen(
        entry("directory.users.list", params={"maxResults": "2", "customer": "my_customer"}),
        entry(RESOLVE, 2, params={"customer": "C0"}, body={"pageSize": 10, "filter": {"a": 1}}),
    )
    for wanted in (
        ExpectedRequest(method="directory.*", params={"maxResults": 2}),
        ExpectedRequest(method=RESOLVE, params={"customer": "C0", "pageSize": 10}),
        ExpectedRequest(method="*", min=2, max=2),
    ):
        assert _requests(wanted, trial=trial).status == "pass"
    found = _requests(ExpectedRequest(method=RESOLVE, params={"pageSize": 11}), trial=trial)
    assert found.reason == (
        f"server requests: {RESOLVE!r} with {{'pageSize': 11}} seen 0 times, at least 1 expected"
    )
    assert found.numbers["counts"] == [0]


@pytest.mark.parametrize(
    ("wanted", "facts", "excess"),
    [
        ((ExpectedRequest(method="a.get", max=1),), {}, "'a.get' seen 2 times, at most 1 expected"),
        # what is missing may still come
        ((ExpectedRequest(method="a.get", max=1), ExpectedRequest(method="b.get")), {},
         "'a.get' seen 2 times, at most 1 expected"),
        ((ExpectedRequest(method="a.*"),), {"allow_others": False}, "not expected: 'c.get'"),
        # what is not expected may stand for what is missing
        ((ExpectedRequest(method="a.*"), ExpectedRequest(method="b.get")),
         {"allow_others": False}, None),
        ((ExpectedRequest(method="b.get"),), {}, None),
    ],
)  # fmt: skip
def test_what_nothing_mends_that_comes_later(
    wanted: tuple[ExpectedRequest, ...], facts: dict[str, Any], excess: str | None
) -> None:
    trial = seen(entry("a.get"), entry("a.get", 2), entry("c.get", 3))
    assert _requests(*wanted, trial=trial, **facts).numbers.get("excess") == excess


def test_a_request_that_was_answered_otherwise_is_told() -> None:
    trial = seen(
        entry(RESOLVE, status=404), entry(RESOLVE, 2, status=403), entry(RESOLVE, 3, status=404)
    )
    found = _requests(ExpectedRequest(method=RESOLVE), trial=trial)
    assert found.reason == (
        f"server requests: {RESOLVE!r} seen 0 times, at least 1 expected; 3 more answered 404, 403"
    )


def test_what_the_server_does_not_serve_is_told_in_its_words() -> None:
    absent = Miss(blame="fixture_gap", reason="no such row")
    unserved = Miss(blame="not_emulated", reason="shop.list is not served.")
    trial = seen(
        entry(RESOLVE, status=404, miss=absent), entry(RESOLVE, 2, status=501, miss=unserved)
    )
    reason = _requests(ExpectedRequest(method=RESOLVE), trial=trial).reason
    assert reason.endswith("; 2 more answered 404, 501: shop.list is not served")


@pytest.mark.parametrize(
    ("status", "answered", "expected"),
    [
        pytest.param(None, 200, "pass", id="any-success"),
        pytest.param(None, 404, "fail", id="a-failure-is-not-enough"),
        pytest.param(404, 404, "pass", id="the-status"),
        pytest.param(403, 404, "fail", id="another-status"),
    ],
)
def test_the_answer_counts(status: int | None, answered: int, expected: str) -> None:
    trial = seen(entry(RESOLVE, status=answered))
    assert _requests(ExpectedRequest(method=RESOLVE, status=status), trial=trial).status == expected


def test_too_often_is_too_often() -> None:
    trial = seen(entry(RESOLVE), entry(RESOLVE, 2))
    found = _requests(ExpectedRequest(method=RESOLVE, max=1, status=200), trial=trial)
    assert "answered 200 seen 2 times, at most 1 expected" in found.reason
    assert _requests(ExpectedRequest(method="x", min=0, max=0), trial=trial).status == "pass"


def test_what_a_tool_asks_counts_as_asked() -> None:
    trial = seen(entry("tools.listOrgUnits"), entry("directory.orgunits.list", 2, parent=1))
    for method in ("tools.listOrgUnits", "directory.orgunits.list"):
        wanted = ExpectedRequest(method=method)
        assert _requests(wanted, trial=trial, allow_others=False).status == "pass"


def test_nothing_else_means_nothing_else() -> None:
    trial = seen(entry(RESOLVE), entry("", 2, http_method="GET", path="/x"), entry("a.b", 3))
    found = _requests(ExpectedRequest(method=RESOLVE), trial=trial, allow_others=False)
    assert found.reason == "server requests: not expected: 'GET /x', 'a.b'"
    assert _requests(ExpectedRequest(method=RESOLVE), trial=trial).status == "pass"


def test_late_requests_do_not_count() -> None:
    trial = seen(entry(RESOLVE, after_close=True))
    assert _requests(ExpectedRequest(method=RESOLVE), trial=trial).status == "fail"


def test_a_truncated_journal_decides_nothing() -> None:
    journal = Journal(entries=(entry(RESOLVE),), evicted=3)
    trial = record("x", session="s1", journal=journal)
    assert _requests(ExpectedRequest(method=RESOLVE), trial=trial).status == "not_evaluated"
    assert _requests(ExpectedRequest(method="x"), trial=trial).status == "not_evaluated"
    assert _requests(ExpectedRequest(method=RESOLVE, max=0), trial=trial).status == "fail"
    found = _requests(ExpectedRequest(method="x", min=0), trial=trial, allow_others=False)
    assert found.status == "fail"


def test_without_a_session_nothing_is_decided() -> None:
    wanted = ExpectedRequest(method="x")
    assert _requests(wanted, trial=record("x")).status == "not_evaluated"
    assert check(record("x"), ServerState()).status == "not_evaluated"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param({"where": {"name": "Sales"}}, "", id="there"),
        pytest.param({"where": {"name": "Sales"}, "count": 1}, "", id="once"),
        pytest.param({"where": {"name": "Gone"}, "count": 0}, "", id="not-there"),
        pytest.param({"count": 3}, "'orgUnits': 2 found, 3 expected", id="too-few"),
        pytest.param(
            {"where": {"name": "Gone"}}, "'orgUnits' where {'name': 'Gone'}: none found", id="none"
        ),
        pytest.param(
            {"where": {"name": "Lab"}, "has": {"orgUnitPath": "/Lab"}},
            "'orgUnits' where {'name': 'Lab'}: orgUnits.orgUnitPath is absent, expected '/Lab'",
            id="wrong",
        ),
    ],
)
def test_resources_are_there_at_the_end(row: dict[str, Any], reason: str) -> None:
    wanted = ServerState(rows=(ExpectedRow(collection="orgUnits", **row),))
    found = check(seen(state={"orgUnits": UNITS}), wanted)
    assert found.reason == (f"server state: {reason}" if reason else "")


def test_a_list_of_resources_will_do() -> None:
    wanted = ServerState(rows=(ExpectedRow(collection="orgUnits", count=2),))
    assert check(seen(state={"orgUnits": list(UNITS.values())}), wanted).status == "pass"


def test_state_that_was_not_kept_decides_nothing() -> None:
    wanted = ServerState(rows=(ExpectedRow(collection="orgUnits"),))
    assert check(seen(), wanted).reason == "the record holds no state of 'orgUnits'"


def test_collections_stay_as_they_are() -> None:
    written: dict[str, Any] = {"added": {"k": {}}, "removed": {}, "changed": {}}
    untouched: dict[str, Any] = {"added": {}, "removed": {}, "changed": {}}
    trial = seen(state_diff={"policies": written, "users": untouched, "tokens": written})
    assert check(trial, ServerState(unchanged=("users",))).status == "pass"
    found = check(trial, ServerState(unchanged=("*",)))
    assert found.reason == "server state: written to, though it must stay as it is: 'policies'"
    assert check(trial, ServerState(unchanged=("tokens",))).status == "fail"


def test_what_else_was_changed_is_collateral_damage() -> None:
    """Shown as a JSON Patch over all collections; bounded."""
    added = {f"u{number}": {"name": f"N{number}"} for number in range(200)}
    trial = seen(state={"users": added}, state_diff={"users": {"added": added}})
    row = ExpectedRow(collection="users", where={"name": "N0"})
    assert check(trial, ServerState(rows=(row,))).status == "pass", "nobody asked"
    found = check(trial, ServerState(rows=(row,), allow=()))
    assert found.reason == (
        "server state: collateral damage: add /users/u1, add /users/u2, add /users/u3 and 196 more"
    )
    assert found.numbers["collateral"][0] == {
        "op": "add", "path": "/users/u1", "value": {"name": "N1"},
    }  # fmt: skip
    assert len(found.numbers["collateral"]) == 100
    allowed = ServerState(rows=(row,), allow=(ChangeEvent(collection="users"),))
    assert check(trial, allowed).status == "pass"


def test_a_write_that_was_undone_is_a_write() -> None:
    trial = seen(entry("directory.users.delete"), written=("users",))
    found = check(trial, ServerState(unchanged=("users",)))
    assert found.reason == (
        "server state: written to, though it must stay as it is: 'users';"
        " what was written to 'users' was undone later"
    )
    assert check(trial, ServerState(unchanged=("groups",))).status == "pass"


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
    return [f"{each['op']} {each['path']}" for each in unexpected_changes(record, rows, events)]


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
    assert not names_collection("*", "tokens")
    assert names_collection("tokens", "tokens")
    assert names_collection("u*", "users")


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
