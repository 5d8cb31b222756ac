from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from harness.checks.milestones import Moment, ObservedTrial, earliest, label
from harness.checks.registry import check
from harness.model import (
    CheckResult,
    Event,
    Loops,
    Milestone,
    Milestones,
    Minefields,
    Routing,
    ToolCall,
    TrialRecord,
)
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

TRIAL = record(
    reply("", "look", "apply", "look"),
    session="s1",
    journal=Journal(
        entries=(
            entry("tools.look", 1),
            entry("tools.apply", 2),
            entry("policies.patch", 3, parent=2),
            entry("tools.look", 4),
        )
    ),
    state_diff={"policies": {"changed": {"p": {"before": {"v": 1}, "after": {"v": 2}}}}},
)
LOOK = {"name": "look", "call": {"name": "look"}}
APPLY = {"name": "apply", "call": {"name": "apply"}, "after": ["look"]}
WRITE = {"name": "write", "request": {"method": "policies.*"}, "after": ["apply"]}
VERIFY = {"name": "verify", "call": {"name": "look"}, "after": ["apply", "write"]}
DONE = {"name": "done", "changed": {"collection": "policies"}, "after": ["verify"]}
WAY: list[dict[str, Any]] = [LOOK, APPLY, WRITE, VERIFY, DONE]


def _reached(*milestones: dict[str, Any], trial: TrialRecord = TRIAL) -> CheckResult:
    return check(trial, Milestones.model_validate({"milestones": milestones}))


@given(st.permutations(WAY))
def test_milestones_are_reached_in_their_partial_order(way: list[dict[str, Any]]) -> None:
    """The order in which they are written says nothing: calls, requests and state alike."""
    found = _reached(*way)
    assert (found.status, found.numbers["reached"]) == ("pass", 5)
    rows = {row["name"]: (row["call"], row["request"]) for row in found.numbers["milestones"]}
    assert rows == {
        "look": (0, 1), "apply": (1, 2), "write": (None, 3), "verify": (2, 4), "done": (None, None),
    }  # fmt: skip


def test_what_did_not_happen_is_named() -> None:
    found = _reached(LOOK, {"name": "tell", "call": {"name": "tell"}})
    assert found.reason == "milestones: 'tell' (call 'tell') did not happen"
    assert found.numbers["reached"] == 1


def test_too_early_is_not_reached() -> None:
    trial = record(reply("", "apply", "look"))
    found = _reached(LOOK, APPLY, trial=trial)
    assert found.reason == "milestones: 'apply' (call 'apply') happened, but not after 'look'"


def test_what_follows_on_something_missed_is_missed() -> None:
    trial = record(reply("", "apply", "verify"))
    verify = {"name": "verify", "call": {"name": "verify"}, "after": ["apply"]}
    found = _reached(LOOK, APPLY, verify, trial=trial)
    assert [row["reached"] for row in found.numbers["milestones"]] == [False, False, False]


def test_an_order_that_no_witness_knows_decides_nothing() -> None:
    journal = Journal(entries=(entry("policies.patch", 1),))
    trial = record(reply("", "look"), session="s1", journal=journal)
    write = {"name": "write", "request": {"method": "policies.*"}, "after": ["look"]}
    found = _reached(LOOK, write, trial=trial)
    assert (found.status, found.numbers["milestones"][1]["reached"]) == ("not_evaluated", None)
    last = {"name": "end", "request": {"method": "policies.*"}, "after": ["write"]}
    assert _reached(LOOK, write, last, trial=trial).status == "not_evaluated"
    missed = {"name": "never", "call": {"name": "never"}}
    assert _reached(LOOK, write, missed, trial=trial).status == "fail"


def test_a_circle_is_never_reached() -> None:
    one = {"name": "one", "call": {"name": "look"}, "after": ["two"]}
    two = {"name": "two", "call": {"name": "look"}, "after": ["one"]}
    assert _reached(one, two).status != "pass"


def _stepped(*mines: dict[str, Any], trial: TrialRecord = TRIAL) -> CheckResult:
    return check(trial, Minefields.model_validate({"mines": mines}))


@pytest.mark.parametrize(
    ("mine", "status"),
    [
        ({"call": {"name": "delete*"}}, "pass"),
        ({"call": {"name": "app*"}}, "fail"),
        ({"call": {"name": "apply", "args": {"force": True}}}, "pass"),
        ({"request": {"method": "policies.patch"}}, "fail"),
        ({"request": {"method": "policies.patch", "status": 403}}, "pass"),
        ({"changed": {"collection": "pol*", "fields": ["/v"]}}, "fail"),
        ({"changed": {"collection": "users"}}, "pass"),
        ({"state": {"collection": "users"}}, "not_evaluated"),
    ],
    ids=str,
)
def test_mines_lie_on_calls_requests_and_state(mine: dict[str, Any], status: str) -> None:
    assert _stepped(mine).status == status


def test_the_mine_and_the_moment_are_named() -> None:
    found = _stepped({"name": "writes", "request": {"method": "policies.*"}})
    assert found.reason == "must never happen, and did: writes"
    assert found.numbers["stepped"] == [{"name": "writes", "call": None, "request": 3}]


def test_an_attempt_counts_and_so_does_what_the_agent_hides() -> None:
    journal = Journal(entries=(entry("tools.delete", status=403),))
    trial = record(reply("", call("look")), session="s1", journal=journal)
    assert _stepped({"call": {"name": "delete"}}, trial=trial).status == "fail"


@pytest.mark.parametrize(
    ("check_it", "event"),
    [(_reached, {"name": "a"}), (_stepped, {})],
    ids=["milestones", "minefields"],
)
def test_a_matcher_of_no_use_decides_nothing(check_it: Any, event: dict[str, Any]) -> None:
    trial = record(reply("", call("a", x="1")))
    broken = {**event, "call": {"name": "a", "args": {"x": {"regex": "("}}}}
    assert check_it(broken, trial=trial).status == "not_evaluated"


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Event, {}, "give exactly one of 'call', 'request', 'state', 'changed'"),
        (Event, {"call": {"name": "a"}, "request": {"method": "b"}}, "give exactly one of"),
        (Milestone, {"call": {"name": "a"}}, "name"),
        (Milestones, {"milestones": []}, "at least 1 item"),
        (Minefields, {"mines": []}, "at least 1 item"),
        (Routing, {"to": "a"}, "give either 'among' or 'field'"),
        (Routing, {"to": "a", "among": ["b"], "field": "c"}, "give either 'among' or 'field'"),
        (Loops, {"generate": "a", "evaluate": "b"}, "no trajectory could fail this"),
        (Loops, {"generate": "a", "evaluate": "b", "min": 2, "max": 1}, "'max' is below 'min'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_state_is_seen_at_the_end_alone() -> None:
    assert Event.model_validate({"state": {"collection": "users"}}).at_the_end
    assert Event.model_validate({"changed": {"collection": "users"}}).at_the_end
    assert not Event.model_validate({"call": {"name": "a"}}).at_the_end


SEEN = record(
    reply("", call("list", depth=1), call("apply", unit="/")),
    session="s1",
    journal=Journal(
        entries=(
            entry("tools.list", 1, body={"depth": 1}, response_ref="r"),
            entry("directory.orgunits.list", 2, parent=1, params={"type": "all"}),
            entry("tools.hidden", 3, status=403),
            entry("tools.late", 4, after_close=True),
        ),
        bodies={"r": '{"rows": [1]}'},
    ),
    state={"users": {"u1": {"name": "Ann"}}},
    state_diff={"users": {"added": {"u1": {"name": "Ann"}}}},
)


def _seen(event: dict[str, Any], trial: TrialRecord = SEEN, turn: int | None = None) -> Any:
    found = ObservedTrial(trial, turn).sightings(Event.model_validate(event))
    return found.unknown or [(each.call, each.request) for each in found.moments]


@pytest.mark.parametrize(
    ("event", "moments"),
    [
        ({"call": {"name": "list"}}, [(0, 1)]),
        ({"call": {"name": "*"}}, [(0, 1), (1, None), (None, 3)]),
        ({"call": {"name": "list", "args": {"depth": 2}}}, []),
        ({"call": {"name": "list", "result": {"rows": {"contains": 1}}}}, [(0, 1)]),
        ({"call": {"name": "hidden", "status": "error"}}, [(None, 3)]),
        ({"call": {"name": "apply", "args": {}, "args_mode": "exact"}}, []),
        ({"call": {"name": "apply", "status": "ok"}}, "nobody says whether 'apply' went well"),
        ({"request": {"method": "directory.*"}}, [(None, 2)]),
        ({"request": {"method": "*", "params": {"type": "all"}}}, [(None, 2)]),
        ({"request": {"method": "*", "status": 403}}, [(None, 3)]),
        ({"request": {"method": "tools.late"}}, []),
        ({"state": {"collection": "users", "where": {"name": "Ann"}}}, [(None, None)]),
        ({"state": {"collection": "users", "where": {"name": "Bob"}}}, []),
        ({"state": {"collection": "x"}}, "the record holds no state of 'x'"),
        ({"changed": {"collection": "u*", "kinds": ["added"]}}, [(None, None)]),
        ({"changed": {"collection": "u*", "kinds": ["removed"]}}, []),
    ],
    ids=str,
)
def test_events_are_seen_by_both_witnesses(event: dict[str, Any], moments: Any) -> None:
    assert _seen(event) == moments
    assert label(Event.model_validate(event))


@pytest.mark.parametrize("form", ["request", "state", "changed"])
def test_what_only_the_server_sees_needs_a_session(form: str) -> None:
    event = {form: {"method" if form == "request" else "collection": "x"}}
    assert "no mock session" in _seen(event, record("x"))
    two = SEEN.model_copy(update={"replies": (reply("a"), reply("b", turn=2))})
    assert _seen(event, two, 1) == "the server cannot tell turns apart"


def test_what_is_missing_from_a_record_is_not_denied() -> None:
    assert _seen({"call": {"name": "a"}}, record()) == "the agent gave no reply"
    evicted = record("x", session="s", journal=Journal(evicted=1))
    assert _seen({"request": {"method": "a"}}, evicted) == "the journal dropped its oldest entries"


def test_a_turn_has_its_own_calls() -> None:
    two = record(reply("", "a"), reply("", ToolCall(name="b", turn=2), turn=2), session="s")
    assert _seen({"call": {"name": "*"}}, two, 2) == [(0, None)]


@pytest.mark.parametrize(
    ("one", "other", "later"),
    [
        (Moment(call=2), Moment(call=1), True),
        (Moment(call=1), Moment(call=1), False),
        (Moment(request=2), Moment(request=1), True),
        (Moment(call=0, request=9), Moment(call=1, request=2), True),
        (Moment(call=1), Moment(request=1), None),
        (Moment(end=True), Moment(call=1), True),
        (Moment(call=1), Moment(end=True), False),
    ],
    ids=str,
)
def test_moments_are_compared_by_one_witness(
    one: Moment, other: Moment, later: bool | None
) -> None:
    assert one.is_after(other) is later


def test_the_earliest_moment_is_taken() -> None:
    moments = [Moment(call=at) for at in range(3)]
    assert earliest(moments, [Moment(call=0)]) == (moments[1], True)
    assert earliest(moments, [Moment(call=9)]) == (None, False)
    assert earliest(moments, [Moment(request=1)]) == (None, True)
