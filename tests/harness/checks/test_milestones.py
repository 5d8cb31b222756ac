from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.table import check
from harness.model import CheckResult, Milestones, Minefields, TrialRecord
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
