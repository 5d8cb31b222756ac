from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.dispatch import check
from harness.model import (
    CheckResult,
    ExpectedCall,
    ForbiddenTools,
    MinCalls,
    ToolCall,
    ToolCalls,
)
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

NAMES = st.sampled_from("abc")


def _check(expected: str, made: str, **facts: Any) -> CheckResult:
    """Letters stand for tools; a capital letter is an optional one."""
    calls = tuple(ExpectedCall(name=each.lower(), optional=each.isupper()) for each in expected)
    return check(record(reply("", *made)), ToolCalls(calls=calls, **facts))


@pytest.mark.parametrize(
    ("mode", "expected", "made", "status"),
    [
        pytest.param("any_order", "ab", "ba", "pass", id="any-order"),
        pytest.param("any_order", "aa", "ba", "fail", id="one-call-serves-once"),
        pytest.param("any_order", "aa", "aba", "pass", id="two-calls-serve-twice"),
        pytest.param("any_order", "ab", "abc", "pass", id="extras-allowed-by-default"),
        pytest.param("any_order", "aB", "a", "pass", id="optional-missing"),
        pytest.param("in_order", "ab", "acb", "pass", id="others-between"),
        pytest.param("in_order", "ab", "ba", "fail", id="wrong-order"),
        pytest.param("in_order", "abc", "abac", "pass", id="repeated-between"),
        pytest.param("in_order", "aBc", "acb", "pass", id="optional-out-of-order"),
        pytest.param("exact", "ab", "ab", "pass", id="exact"),
        pytest.param("exact", "ab", "abc", "fail", id="exact-with-extra"),
        pytest.param("exact", "ab", "ba", "fail", id="exact-in-wrong-order"),
        pytest.param("exact", "aBc", "ac", "pass", id="exact-without-optional"),
        pytest.param("exact", "", "", "pass", id="none-wanted-none-made"),
        pytest.param("exact", "", "a", "fail", id="none-wanted-one-made"),
    ],
)
def test_modes(mode: str, expected: str, made: str, status: str) -> None:
    assert _check(expected, made, mode=mode).status == status


def test_two_equal_calls_both_made_are_perfect() -> None:
    numbers = _check("aa", "aa").numbers
    assert (numbers["precision"], numbers["recall"], numbers["f1"]) == (1.0, 1.0, 1.0)


def test_an_extra_call_costs_precision_and_may_be_capped() -> None:
    found = _check("ab", "abc", extra_max=0)
    assert found.status == "fail"
    assert found.reason == "tool calls: 1 extra calls, 0 allowed: 'c'"
    assert (found.numbers["extra"], found.numbers["precision"]) == (["c"], 0.6667)
    assert _check("ab", "abc", extra_max=1).status == "pass"


def test_a_flood_of_extra_calls_is_named_in_part() -> None:
    reason = _check("", "abcdefgh", mode="exact").reason
    assert reason.endswith("8 extra calls, 0 allowed: 'a', 'b', 'c', 'd', 'e', ...")


def test_the_alignment_is_told_pair_by_pair() -> None:
    found = _check("abc", "bxa", mode="in_order")
    assert found.numbers["pairs"] == [
        {"expected": 0, "name": "a", "actual": None, "reason": "order"},
        {"expected": 1, "name": "b", "actual": 0, "reason": ""},
        {"expected": 2, "name": "c", "actual": None, "reason": "name"},
    ]
    assert found.numbers["missing"] == ["a", "c"]
    assert found.numbers["recall"] == 0.3333


def test_parallel_calls_are_a_group_in_a_chain() -> None:
    """CEP-78: independent calls in any order, chains stay ordered."""
    calls = (
        ExpectedCall(name="list"),
        ExpectedCall(name="policy", group="data"),
        ExpectedCall(name="audit", group="data"),
        ExpectedCall(name="diagnose"),
    )
    wanted = ToolCalls(mode="exact", calls=calls)
    made = ["list", "audit", "policy", "diagnose"]
    assert check(record(reply("", *made)), wanted).status == "pass"
    assert check(record(reply("", *made[1:], "list")), wanted).status == "fail"


def test_attempts_count_unless_success_is_required() -> None:
    trial = record(reply("", call("a", status="error"), call("b")))
    calls = (ExpectedCall(name="a"), ExpectedCall(name="b"))
    assert check(trial, ToolCalls(calls=calls)).status == "pass"
    found = check(trial, ToolCalls(calls=calls, require_success=True))
    assert found.reason == "tool calls: 'a' was called, but the call failed"
    assert found.numbers["failed_calls"] == 1


def test_no_call_at_all_is_told_so() -> None:
    found = check(record("I did it."), ToolCalls(calls=(ExpectedCall(name="a"),)))
    assert (found.status, found.reason) == ("fail", "tool calls: 'a' was not called")
    assert (found.numbers["recall"], found.numbers["f1"]) == (0.0, 0.0)


def test_a_turn_is_held_to_its_own_calls() -> None:
    trial = record(reply("", "a"), reply("", "b", turn=2))
    wanted = ToolCalls(turn=2, calls=(ExpectedCall(name="a"),))
    assert check(trial, wanted).status == "fail"


def test_forbidden_tools_are_globs() -> None:
    found = check(record(reply("", "delete_user", "get")), ForbiddenTools(globs=("delete_*",)))
    assert (found.status, found.reason) == ("fail", "forbidden tools were called: 'delete_user'")
    assert check(record(reply("", "get")), ForbiddenTools(globs=("delete_*",))).status == "pass"


def test_a_forbidden_call_that_only_the_server_saw_counts() -> None:
    journal = Journal(entries=(entry("tools.delete_user"),))
    trial = record(reply("", "get"), session="s1", journal=journal)
    assert check(trial, ForbiddenTools(globs=("delete_*",))).status == "fail"
    assert check(trial, ForbiddenTools(globs=("delete_*",), turn=1)).status == "fail"


def test_tools_are_called_often_enough() -> None:
    found = check(record(reply("", "a", "b")), MinCalls(counts={"a": 2, "b": 1}))
    assert found.reason == "'a' was called 1 times, at least 2 expected"
    assert found.numbers == {"counts": {"a": 1, "b": 1}, "missing": ["a"]}
    assert check(record(reply("", "a")), MinCalls(counts={"a": 1})).status == "pass"


@pytest.mark.parametrize(
    "expectation",
    [ToolCalls(), ForbiddenTools(globs=("a",)), MinCalls(counts={"a": 1})],
    ids=lambda expectation: expectation.kind,
)
def test_without_a_reply_nothing_is_decided(
    expectation: ToolCalls | ForbiddenTools | MinCalls,
) -> None:
    assert check(record(), expectation).status == "not_evaluated"


@given(st.data())
def test_permuting_an_unordered_expectation_never_changes_the_verdict(data: st.DataObject) -> None:
    args = st.sampled_from([None, {}, {"x": 1}, {"y": 1}, {"x": 1, "y": 1}])
    expected = data.draw(
        st.lists(st.builds(ExpectedCall, name=NAMES, args=args, optional=st.booleans()), max_size=5)
    )
    made = data.draw(
        st.lists(st.builds(ToolCall, name=NAMES, args=args.filter(lambda a: a is not None)))
    )
    shuffled = data.draw(st.permutations(expected))
    trial = record(reply("", *made))
    verdicts = [
        check(trial, ToolCalls(calls=tuple(calls), extra_max=1)) for calls in (expected, shuffled)
    ]
    assert verdicts[0].status == verdicts[1].status
    assert verdicts[0].numbers["f1"] == verdicts[1].numbers["f1"]


@given(st.lists(NAMES, max_size=6))
def test_what_was_made_is_exactly_what_was_made(made: list[str]) -> None:
    for mode in ("any_order", "in_order", "exact"):
        assert _check("".join(made), "".join(made), mode=mode, extra_max=0).status == "pass"
