import pytest

from harness.checks.trajectory import (
    Trajectory,
    answer_of,
    no_trajectory,
    reconcile,
    seen_calls,
    traced_calls,
    trajectory,
    with_answers,
)
from harness.model import ToolCall, TrialRecord
from harness.trials.records import Trace
from mockserver.model import Journal, JournalEntry
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
        entry("tools.listOrgUnits", status=399, body={"depth": 1}),
        entry("directory.orgunits.list", parent=1),
        entry("tools.list", http_method="GET"),
        entry("tools.late", after_close=True),
        entry("tools.getEvents", status=400),
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
    assert no_trajectory(trial, 1) == (
        "the agent reports no tool calls, and the server cannot tell which are of turn 1"
    )
    assert _names(trajectory(trial, None)) == ["a"]


def test_without_reply_nobody_can_tell() -> None:
    assert trajectory(record(), None) is None
    assert trajectory(record(reply("", call("a"))), 2) is None
    assert no_trajectory(record(), None) == "the agent gave no reply"
    assert no_trajectory(record("x"), 2) == "the agent gave no reply in turn 2"


def test_a_reply_without_calls_made_none() -> None:
    assert trajectory(record("x"), None) == Trajectory(())


UNITS = {"listUnits": "directory.orgunits.*", "getPolicy": "chromepolicy.*"}
SAID = reply("There are 3 units.", reports_calls=False)


def _silent(*entries: JournalEntry) -> TrialRecord:
    return record(SAID, session="s1", journal=Journal(entries=entries))


def test_requests_stand_for_tools_where_the_suite_says_so() -> None:
    trial = _silent(
        entry("oauth2.token"),
        entry("directory.orgunits.list", 2, params={"customerId": "C1"}),
        entry("chromepolicy.resolve", 3, status=404, body={"a": 1}),
        entry("tools.getFleet", 4),
        entry("directory.orgunits.list", 5, parent=4),
    )
    found = trajectory(trial, None, UNITS)
    assert found is not None
    assert found.witness == "requests"
    assert [(each.name, each.args, each.status) for each in found.calls] == [
        ("listUnits", {"customerId": "C1"}, "ok"),
        ("getPolicy", {"a": 1}, "error"),
        ("getFleet", {}, "ok"),
    ]


@pytest.mark.parametrize(
    ("entries", "seen_as", "told"),
    [
        pytest.param([], {}, True, id="who-asked-nothing-called-nothing"),
        pytest.param(["oauth2.token"], {}, True, id="signing-in-is-no-tool"),
        pytest.param(
            ["mcp.initialize", "mcp.tools.list"], {}, True, id="connecting-over-mcp-is-no-tool"
        ),
        pytest.param(["directory.orgunits.list"], {}, False, id="whose-request-nobody-knows"),
        pytest.param(["gmail.send"], UNITS, True, id="the-suite-knows-and-it-is-none-of-them"),
        pytest.param(["tools.a", "gmail.send"], {}, True, id="the-tool-api-was-used"),
    ],
)
def test_a_plain_text_is_no_word_about_tools(
    entries: list[str], seen_as: dict[str, str], told: bool
) -> None:
    trial = _silent(*(entry(method, seq) for seq, method in enumerate(entries, 1)))
    assert (trajectory(trial, None, seen_as) is not None) == told
    if not told:
        assert "map tools to methods with 'tools.seen_as'" in no_trajectory(trial, None)


def test_a_reply_that_lists_no_calls_says_that_there_are_none() -> None:
    listed = reply("", reports_calls=True)
    trial = record(listed, session="s1", journal=Journal(entries=(entry("gmail.send"),)))
    assert trajectory(trial, None) == Trajectory(())


def test_equal_calls_are_paired_before_like_ones() -> None:
    claimed = (call("a", n=1), call("a", n=2), call("b"))
    found = reconcile(claimed, (call("a", n=2), call("a", n=3), call("c")))
    assert found.pairs == {1: 0, 0: 1}
    assert found.seen_only == (2,)


def test_arguments_without_end_are_compared_by_name() -> None:
    nested: dict[str, object] = {}
    for _ in range(2000):
        nested = {"a": nested}
    assert reconcile((ToolCall(name="a", args=nested),), (call("a"),)).pairs == {0: 0}


def test_the_server_knows_how_a_call_ended() -> None:
    journal = Journal(
        entries=(
            entry("tools.a", response_ref="r"),
            entry("tools.b", 2, status=500, response_ref="broken"),
        ),
        bodies={"r": '{"n": 1}', "broken": "{"},
    )
    told = call("b", status="ok")
    trial = record(reply("", "a", told, "c"), journal=journal)
    found = with_answers(trial, trial.tool_calls)
    assert [(each.status, each.result) for each in found] == [
        ("ok", {"n": 1}), ("ok", None), ("unknown", None),
    ]  # fmt: skip
    complete = (ToolCall(name="a", status="error", result=1),)
    assert with_answers(trial, complete) == complete


def test_an_answer_that_was_not_kept_is_not_known() -> None:
    assert answer_of(entry("tools.a", response_ref="gone"), Journal()) is None


def _traced(*told: tuple[str, int], journal: tuple[JournalEntry, ...] = ()) -> TrialRecord:
    calls = tuple(ToolCall(name=name, turn=turn, step=turn * 10) for name, turn in told)
    return record(
        reply("one", reports_calls=False), reply("two", turn=2, reports_calls=False),
        trace=Trace(tool_calls=calls), session="s1", journal=Journal(entries=journal),
    )  # fmt: skip


@pytest.mark.parametrize(("turn", "names"), [(None, ["a", "b"]), (1, ["a"]), (2, ["b"])])
def test_spans_tell_the_calls_of_a_turn(turn: int | None, names: list[str]) -> None:
    found = trajectory(_traced(("a", 1), ("b", 2)), turn)
    assert (_names(found), found and found.witness) == (names, "spans")
    assert trajectory(_traced(("a", 1)), 3) is None


def test_what_only_the_server_saw_stands_behind_what_both_tell() -> None:
    entries = tuple(entry(f"tools.{name}", seq) for seq, name in enumerate("xaybz", 1))
    found = traced_calls(_traced(("a", 1), ("b", 2), journal=entries))
    assert [(each.name, each.turn, each.step) for each in found] == [
        ("x", 1, 10), ("a", 1, 10), ("y", 1, 10), ("b", 2, 20), ("z", 2, 20)
    ]  # fmt: skip
    mapped = (entry("m.list", 1), entry("m.list", 2), entry("n.get", 3))
    trial = _traced(("a", 1), journal=mapped)
    found = traced_calls(trial, {"a": "m.*", "c": "n.*"})
    assert [each.name for each in found] == ["c", "a"]
