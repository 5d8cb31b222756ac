from harness.checks.trajectory import answer_of, reconcile, with_answers
from harness.model import ToolCall
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply


def test_equal_calls_are_paired_before_like_ones() -> None:
    claimed = (call("a", n=1), call("a", n=2), call("b"))
    found = reconcile(claimed, (call("a", n=2), call("a", n=3), call("c")))
    assert found.pairs == {1: 0, 0: 1}
    assert (found.claimed_only, found.seen_only) == ((2,), (2,))


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
