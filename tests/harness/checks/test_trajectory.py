from harness.checks.trajectory import Trajectory, seen_calls, trajectory, untold
from harness.model import ToolCall
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply, seen


def _names(found: Trajectory | None) -> list[str]:
    assert found is not None
    return [each.name for each in found.calls]


def test_count_and_order_are_kept() -> None:
    """CEPR-01: the trajectory is a sequence, not a set of names."""
    trial = record(reply("", "a", "b", "a"), reply("", "b", turn=2))
    assert _names(trajectory(trial, None)) == ["a", "b", "a", "b"]
    assert _names(trajectory(trial, 2)) == ["b"]


def test_the_server_is_asked_when_the_agent_reports_none() -> None:
    trial = seen(
        entry("tools.listOrgUnits", body={"depth": 1}),
        entry("directory.orgunits.list", parent=1),
        entry("tools.list", http_method="GET"),
        entry("tools.late", after_close=True),
        entry("tools.getEvents", status=404),
    )
    found = trajectory(trial, 1)
    assert found is not None
    assert found.witness == "journal"
    assert found.calls == (
        ToolCall(name="listOrgUnits", args={"depth": 1}, status="ok", witness="journal"),
        ToolCall(name="getEvents", status="error", witness="journal"),
    )
    assert found.calls == seen_calls(trial)


def test_the_server_cannot_tell_turns_apart() -> None:
    journal = Journal(entries=(entry("tools.a"),))
    trial = record("one", "two", session="s1", journal=journal)
    assert trajectory(trial, 1) is None
    assert untold(trial, 1) == (
        "the agent reports no tool calls, and the server cannot tell which are of turn 1"
    )
    assert _names(trajectory(trial, None)) == ["a"]


def test_without_reply_nobody_can_tell() -> None:
    assert trajectory(record(), None) is None
    assert trajectory(record(reply("", call("a"))), 2) is None
    assert untold(record(), None) == "the agent gave no reply"
    assert untold(record("x"), 2) == "the agent gave no reply in turn 2"


def test_a_reply_without_calls_made_none() -> None:
    assert trajectory(record("x"), None) == Trajectory(())
