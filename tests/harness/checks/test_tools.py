"""Tool calls: which are made, in what order, how often, and why a call is not as expected."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from harness.checks.registry import check
from harness.checks.tools import Candidates, Pairing
from harness.model import (
    CheckResult,
    Count,
    ExpectedCall,
    ForbiddenCall,
    ForbiddenTools,
    JsonObject,
    MaxCalls,
    MinCalls,
    ToolCall,
    ToolCalls,
    TrajectoryMode,
    TrialRecord,
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
        pytest.param("superset", "ab", "bca", "pass", id="superset-with-others"),
        pytest.param("superset", "ab", "bc", "fail", id="superset-misses-one"),
        pytest.param("subset", "abc", "ca", "pass", id="subset-of-what-is-expected"),
        pytest.param("subset", "ab", "", "pass", id="subset-none-made"),
        pytest.param("subset", "ab", "abx", "fail", id="subset-with-another"),
        pytest.param("subset", "ab", "aa", "fail", id="subset-one-too-often"),
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
    rows = found.numbers["alignment"]
    assert [(row["expected"], row["name"], row["call"], row["reason"]) for row in rows] == [
        (0, "a", 2, ""),
        (1, "b", 0, "order"),
        (2, "c", None, "name"),
        (None, "x", 1, "extra"),
    ]
    assert rows[1]["sentence"] == "'b' was called, but not in the expected order"
    assert (rows[0]["turn"], rows[0]["step"], rows[2]["turn"]) == (1, 0, None)
    assert found.numbers["missing"] == ["b", "c"]
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


@pytest.mark.parametrize(
    ("count", "made", "reason"),
    [
        pytest.param({"min": 2, "max": 2}, "aba", "", id="twice"),
        pytest.param({"min": 2, "max": 2}, "ab", "which is not often enough", id="once"),
        pytest.param({"min": 1, "max": 2}, "aaab", "3 times, at most 2 expected", id="too-often"),
        pytest.param({"min": 0, "max": 1}, "b", "", id="not-at-all"),
        pytest.param({"min": 2}, "aaaaab", "", id="any-number"),
    ],
)
@pytest.mark.parametrize("mode", ["any_order", "superset"])
def test_calls_are_counted(mode: Any, count: Any, made: str, reason: str) -> None:
    wanted = ExpectedCall(name="a", count=Count(**count))
    found = check(record(reply("", *made)), ToolCalls(mode=mode, calls=(wanted,)))
    assert reason in found.reason
    assert bool(found.reason) is bool(reason)


def test_a_call_that_another_expectation_takes_is_not_one_too_many() -> None:
    """Each call is consumed once, and one that is limited rather than another."""
    calls = (
        ExpectedCall(name="s", count=Count(min=1, max=1)),
        ExpectedCall(name="s", args={"q": "x"}),
    )
    made = (call("s", q="x"), call("s", q="y"))
    for each in permutations(calls):
        assert check(record(reply("", *made)), ToolCalls(calls=each)).status == "pass"


def test_counted_calls_keep_their_place_in_a_chain() -> None:
    twice = ExpectedCall(name="b", count=Count(min=2, max=3))
    wanted = ToolCalls(mode="exact", calls=(ExpectedCall(name="a"), twice, ExpectedCall(name="c")))
    assert check(record(reply("", *"abbbc")), wanted).status == "pass"
    assert check(record(reply("", *"abcb")), wanted).status == "fail"


def test_ignored_calls_do_not_count() -> None:
    wanted = ToolCalls(mode="exact", calls=(ExpectedCall(name="a"),), ignore=("think*",))
    found = check(record(reply("", "think", "a", "thinkMore")), wanted)
    assert (found.status, found.numbers["actual"], found.numbers["precision"]) == ("pass", 1, 1.0)
    assert [row["reason"] for row in found.numbers["alignment"]] == ["", "ignored", "ignored"]


def test_what_a_tool_fills_in_itself_need_not_be_sent() -> None:
    wanted = ExpectedCall(name="a", args={"unit": "/", "depth": 1}, args_mode="exact")
    trial = record(reply("", call("a", unit="/")))
    assert check(trial, ToolCalls(calls=(wanted,))).status == "fail"
    filled = ToolCalls(calls=(wanted,), defaults={"a": {"depth": 1, "page": 2}})
    assert check(trial, filled).status == "pass"
    other = record(reply("", call("a", unit="/", depth=2)))
    assert "args.depth is 2, expected 1" in check(other, filled).reason


def test_the_server_says_how_a_call_ended() -> None:
    journal = Journal(
        entries=(
            entry("tools.a", status=404, body={"n": 1}),
            entry("tools.a", 2, body={"n": 2}, response_ref="r"),
        ),
        bodies={"r": '{"rows": [1, 2]}'},
    )
    trial = record(reply("", call("a", n=2), call("a", n=1)), session="s", journal=journal)
    wanted = (
        ExpectedCall(name="a", args={"n": 2}, status="ok", result={"rows": {"contains": 2}}),
        ExpectedCall(name="a", args={"n": 1}, status="error"),
    )
    assert check(trial, ToolCalls(mode="exact", calls=wanted)).status == "pass"
    swapped = ToolCalls(calls=(ExpectedCall(name="a", args={"n": 1}, status="ok"),))
    assert "the call failed" in check(trial, swapped).reason


@pytest.mark.parametrize(
    "wanted", [{"status": "ok"}, {"status": "error"}, {"result": {"rows": []}}], ids=str
)
def test_how_a_call_ended_decides_nothing_where_nobody_says(wanted: Any) -> None:
    calls = (ExpectedCall(name="a", **wanted),)
    found = check(record(reply("", "a")), ToolCalls(calls=calls))
    assert found.status == "not_evaluated"
    assert "nobody says" in found.reason
    missing = (*calls, ExpectedCall(name="b"))
    assert check(record(reply("", "a")), ToolCalls(calls=missing)).status == "fail"


def test_a_call_may_be_bound_to_a_turn() -> None:
    trial = record(
        reply("", call("a")), reply("", call("a").model_copy(update={"turn": 2}), turn=2)
    )
    wanted = ToolCalls(calls=(ExpectedCall(name="a", turn=2), ExpectedCall(name="a", turn=1)))
    assert check(trial, wanted).status == "pass"
    wanted = ToolCalls(calls=(ExpectedCall(name="a", turn=3),))
    assert check(trial, wanted).reason == "tool calls: 'a' was called in turn 1, not 3"
    journal = Journal(entries=(entry("tools.a"),))
    untold = record("one", "two", session="s1", journal=journal)
    assert check(untold, wanted).status == "not_evaluated"


def test_malformed_arguments_are_a_value() -> None:
    trial = record(reply("", ToolCall(name="a", args='{"unit": ')))
    assert check(trial, ToolCalls(calls=(ExpectedCall(name="a"),))).status == "pass"
    found = check(trial, ToolCalls(calls=(ExpectedCall(name="a", args={}),)))
    assert found.numbers["alignment"][0]["reason"] == "malformed arguments"
    assert "its arguments are no JSON object: '{\"unit\": '" in found.reason


def test_a_matcher_that_cannot_be_used_decides_nothing() -> None:
    wanted = ToolCalls(calls=(ExpectedCall(name="a", args={"x": {"regex": "("}}),))
    assert check(record(reply("", call("a", x="1"))), wanted).status == "not_evaluated"
    forbidden = ForbiddenTools(calls=(ForbiddenCall(name="a", args={"x": {"regex": "("}}),))
    assert check(record(reply("", call("a", x="1"))), forbidden).status == "not_evaluated"


def test_rows_of_a_runaway_agent_are_bounded() -> None:
    numbers = _check("a", "a" + "b" * 5000).numbers
    assert len(numbers["alignment"]) == 201
    assert numbers["actual"] == 5001


def test_a_slip_in_a_name_is_told() -> None:
    found = check(
        record(reply("", "list_unit", "x" * 10**6)),
        ToolCalls(calls=(ExpectedCall(name="list_units"),)),
    )
    assert found.reason == "tool calls: 'list_units' was not called; 'list_unit' was"


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


def test_a_tool_may_be_forbidden_with_some_arguments_only() -> None:
    wanted = ForbiddenTools(calls=(ForbiddenCall(name="apply*", args={"unit": {"glob": "/"}}),))
    assert check(record(reply("", call("applyPolicy", unit="/"))), wanted).status == "fail"
    assert check(record(reply("", call("applyPolicy", unit="/Sales"))), wanted).status == "pass"
    assert check(record(reply("", ToolCall(name="apply", args="?"))), wanted).status == "pass"


def test_a_forbidden_call_that_only_the_server_saw_counts() -> None:
    journal = Journal(entries=(entry("tools.delete_user"),))
    trial = record(reply("", "get"), session="s1", journal=journal)
    assert check(trial, ForbiddenTools(globs=("delete_*",))).status == "fail"
    assert check(trial, ForbiddenTools(globs=("delete_*",), turn=1)).status == "fail"


def test_tools_are_called_often_enough() -> None:
    found = check(record(reply("", "a", "b")), MinCalls(counts={"a": 2, "b": 1}))
    assert found.reason == "'a' was called 1 times, at least 2 expected"
    assert found.numbers == {
        "counts": {"a": 1, "b": 1}, "missing": ["a"], "witness": "reply",
    }  # fmt: skip
    assert check(record(reply("", "a")), MinCalls(counts={"a": 1})).status == "pass"


def test_tools_are_called_not_too_often() -> None:
    limit = MaxCalls(counts={"a": 1, "b": 1})
    found = check(record(reply("", "a", call("a", x=1), "b")), limit)
    assert found.reason == "'a' was called 2 times, at most 1 expected"
    assert found.numbers == {
        "counts": {"a": 2, "b": 1}, "found": ["a"], "witness": "reply", "excess": found.reason,
    }  # fmt: skip
    journal = Journal(entries=(entry("tools.a"), entry("tools.a", seq=2, status=503)))
    silent = record(reply("", "a"), session="s1", journal=journal)
    assert check(silent, limit).reason == found.reason
    assert check(record(reply("", "a", "c", "c")), limit).numbers.get("excess") is None


@pytest.mark.parametrize(
    "expectation",
    [
        ToolCalls(),
        ForbiddenTools(globs=("a",)),
        MinCalls(counts={"a": 1}),
        MaxCalls(counts={"a": 1}),
    ],
    ids=lambda expectation: expectation.kind,
)
def test_without_a_reply_nothing_is_decided(
    expectation: ToolCalls | ForbiddenTools | MinCalls | MaxCalls,
) -> None:
    assert check(record(), expectation).status == "not_evaluated"


ARGS = st.sampled_from([None, {}, {"x": 1}, {"y": {"any_of": [1, 2]}}, {"x": 1, "y": 1}])
COUNTS = st.none() | st.builds(Count, min=st.integers(0, 2), max=st.none() | st.integers(2, 3))
EXPECTED = st.builds(
    ExpectedCall, name=NAMES, args=ARGS, optional=st.booleans(), count=COUNTS,
    args_mode=st.sampled_from(["exact", "subset", "superset", "ignore"]),
)  # fmt: skip
MADE = st.builds(
    ToolCall,
    name=NAMES,
    args=st.sampled_from([{}, {"x": 1}, {"y": 2}, {"x": 1, "y": 1}, "broken"]),
    status=st.sampled_from(["ok", "error"]),
)
FACTS = st.fixed_dictionaries(
    {"extra_max": st.sampled_from([None, 0, 1]), "require_success": st.booleans()}
)


def _decided(trial: TrialRecord, calls: Sequence[ExpectedCall], **facts: Any) -> tuple[Any, ...]:
    found = check(trial, ToolCalls(calls=tuple(calls), **facts))
    return found.status, found.numbers["f1"], found.numbers["matched"]


@given(st.lists(EXPECTED, max_size=5), st.lists(MADE, max_size=7), FACTS, st.data())
def test_permuting_an_unordered_expectation_never_changes_the_verdict(
    expected: list[ExpectedCall], made: list[ToolCall], facts: Any, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(expected))
    trial = record(reply("", *made))
    for mode in ("any_order", "superset", "subset"):
        assert _decided(trial, expected, mode=mode, **facts) == (
            _decided(trial, shuffled, mode=mode, **facts)
        )


@given(st.lists(EXPECTED, min_size=1, max_size=5), st.lists(MADE, max_size=7), FACTS, st.data())
def test_permuting_a_group_of_a_chain_never_changes_the_verdict(
    expected: list[ExpectedCall], made: list[ToolCall], facts: Any, data: st.DataObject
) -> None:
    first, *inner = [each.model_copy(update={"group": "g"}) for each in expected]
    first = first.model_copy(update={"group": ""})
    shuffled = data.draw(st.permutations(inner))
    trial = record(reply("", *made))
    for mode in ("in_order", "exact"):
        one, other = ([first, *each, expected[0]] for each in (inner, shuffled))
        assert _decided(trial, one, mode=mode, **facts) == (
            _decided(trial, other, mode=mode, **facts)
        )


@given(st.lists(EXPECTED, max_size=4), st.lists(MADE, max_size=5), FACTS, st.integers(0, 5))
def test_an_ignored_call_never_changes_the_verdict(
    expected: list[ExpectedCall], made: list[ToolCall], facts: Any, at: int
) -> None:
    noisy = [*made[:at], ToolCall(name="think"), *made[at:]]
    for mode in get_args(TrajectoryMode):
        without, beside = (
            _decided(record(reply("", *each)), expected, mode=mode, ignore=("think",), **facts)
            for each in (made, noisy)
        )
        assert without == beside


@given(st.lists(EXPECTED, max_size=5), st.lists(MADE, max_size=7), FACTS)
def test_each_call_is_consumed_once_and_the_scores_are_shares(
    expected: list[ExpectedCall], made: list[ToolCall], facts: Any
) -> None:
    for mode in get_args(TrajectoryMode):
        wanted = ToolCalls(mode=mode, calls=tuple(expected), **facts)
        numbers = check(record(reply("", *made)), wanted).numbers
        rows = [row["call"] for row in numbers["alignment"] if row["call"] is not None]
        assert sorted(rows) == list(range(len(made)))
        low, high = sorted((numbers["precision"], numbers["recall"]))
        assert 0 <= low <= numbers["f1"] + 1e-4
        assert numbers["f1"] <= high + 1e-4 <= 1.0001


@given(st.lists(NAMES, max_size=6))
def test_what_was_made_is_exactly_what_was_made(made: list[str]) -> None:
    for mode in ("any_order", "in_order", "exact"):
        assert _check("".join(made), "".join(made), mode=mode, extra_max=0).status == "pass"


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Count, {"min": 2, "max": 1}, "'max' is below 'min'"),
        (Count, {"max": 0}, "greater than or equal to 1"),
        (ExpectedCall, {"name": ""}, "at least 1 character"),
        (ExpectedCall, {"name": "a", "args_mode": "loose"}, "'ignore', 'exact', 'subset'"),
        (ForbiddenTools, {}, "needs 'globs' or 'calls'"),
        (MinCalls, {"counts": {}}, "at least 1 item"),
        (MaxCalls, {"counts": {}}, "at least 1 item"),
        (ToolCalls, {"mode": "set"}, "'any_order', 'subset' or 'superset'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_absent_arguments_are_ignored() -> None:
    assert ExpectedCall(name="a").args is None
    assert ExpectedCall(name="a").args_mode == "subset"


WANTED = ExpectedCall(name="t", args={"folderId": "f1", "depth": 1})
BOTH: JsonObject = {"folderId": "f1", "depth": 1}


def _why(*calls: ToolCall, mode: str = "exact", **facts: object) -> list[str]:
    wanted = {"mode": mode, "calls": (WANTED, WANTED), "require_success": True, **facts}
    pairing = Pairing(ToolCalls.model_validate(wanted), calls)
    return [reason.code for reason in pairing.reasons.values()]


def test_the_reason_names_what_is_wrong() -> None:
    good, failed = call("t", **BOTH), call("t", status="error", **BOTH)
    assert _why() == ["name", "name"]
    assert _why(call("other"), good) == ["count"]
    assert _why(good, call("t", folderId="f2", depth=2)) == ["args.folderId"]
    assert _why(good, call("t", folderId="f1")) == ["args.depth"]
    assert _why(good, failed) == ["failed call"]
    assert _why(good, call("t", status="error")) == ["failed call"]
    assert _why(good, good) == []


def test_a_call_in_the_wrong_place_is_told_so() -> None:
    wanted = ToolCalls(mode="in_order", calls=(ExpectedCall(name="a"), ExpectedCall(name="b")))
    pairing = Pairing(wanted, (call("b"), call("a")))
    assert [reason.code for reason in pairing.reasons.values()] == ["order"]
    assert len(pairing.near_misses) == 1


def test_what_suits_but_stands_elsewhere_is_the_nearest_miss() -> None:
    wanted = (ExpectedCall(name="a"), ExpectedCall(name="b", args={"x": 1, "y": 1}))
    calls = (call("b", x=1, y=1), call("a"), call("b", x=1, y=2))
    pairing = Pairing(ToolCalls(mode="in_order", calls=wanted), calls)
    assert (pairing.near_misses, pairing.reasons[1].code) == ({1: 0}, "order")


def test_the_most_likely_call_is_the_near_miss() -> None:
    wanted = ToolCalls(calls=(ExpectedCall(name="t", args={"a": 1}), WANTED))
    calls = (call("t", folderId="f1", depth=9), call("t", folderId="f9", depth=1, a=2))
    assert Pairing(wanted, calls).near_misses.keys() == {0, 1}
    assert Pairing(wanted, calls[:1]).near_misses == {1: 0}


def test_exact_arguments_are_preferred() -> None:
    some, all_of_them = ExpectedCall(name="t", args={"a": 1}), ExpectedCall(name="t")
    calls = (call("t", a=1, b=2), call("t", a=1))
    for expected in ((some, all_of_them), (all_of_them, some)):
        pairing = Pairing(ToolCalls(calls=expected), calls)
        assert pairing.pairs[expected.index(some)] == 1


def test_what_does_not_count_is_not_paired() -> None:
    wanted = ToolCalls(
        calls=(ExpectedCall(name="a", count=Count()),), ignore=("i*",), require_success=True
    )
    pairing = Pairing(wanted, (call("i"), call("a", status="error"), call("a"), call("a")))
    assert pairing.counted == [2, 3]
    assert pairing.paired_positions == {2, 3}
    assert [item.required for item in pairing.items] == [True, False]
    assert pairing.surplus(0) == []


CALLS = (
    call("t", a=1, b="x"),
    call("t", a=1, b="y", c=[1]),
    call("u", a=1),
    ToolCall(name="t", args="broken"),
    call("t", b="y"),
)
ALL = Candidates(CALLS, range(len(CALLS)), {"t": {"a": 2}})


def test_only_calls_with_the_rarest_argument_may_suit() -> None:
    assert list(ALL.suitable(ExpectedCall(name="t"))) == [0, 1, 3, 4]
    assert list(ALL.suitable(ExpectedCall(name="t", args={"a": 1, "b": "x"}))) == [0]
    assert list(ALL.suitable(ExpectedCall(name="t", args={"a": 2}))) == [3, 4]
    assert list(ALL.suitable(ExpectedCall(name="t", args={"c": [1]}))) == [0, 1, 3, 4]
    assert list(ALL.suitable(ExpectedCall(name="t", args={"a": 7}))) == []
    assert list(ALL.suitable(ExpectedCall(name="v"))) == []


def test_other_ways_to_compare_are_tried_in_full() -> None:
    wanted = ExpectedCall(name="t", args={"a": 1}, args_mode="superset")
    assert list(ALL.suitable(wanted)) == [0, 1, 3, 4]


def test_what_is_alike_is_counted() -> None:
    assert ALL.matching_arguments(ExpectedCall(name="t", args={"a": 1, "b": "y", "c": [1]})) == {
        0: 1, 1: 2, 4: 1,
    }  # fmt: skip
    assert ALL.matching_arguments(ExpectedCall(name="t")) == {}


def test_positions_that_do_not_count_are_left_out() -> None:
    assert list(Candidates(CALLS, [1], {}).of_tool("t")) == [1]
