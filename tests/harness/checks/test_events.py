from typing import Any

import pytest

from harness.checks.milestones import Moment, Scene, earliest, label
from harness.model import Event, ToolCall, TrialRecord
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

TRIAL = record(
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


def _seen(event: dict[str, Any], trial: TrialRecord = TRIAL, turn: int | None = None) -> Any:
    found = Scene(trial, turn).sightings(Event.model_validate(event))
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
    two = TRIAL.model_copy(update={"replies": (reply("a"), reply("b", turn=2))})
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
