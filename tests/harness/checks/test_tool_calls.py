from harness.checks.tool_calls import Candidates, Pairing
from harness.model import Count, ExpectedCall, JsonObject, ToolCall, ToolCalls
from tests.harness.records import call

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
    assert pairing.taken == {2, 3}
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
    assert list(ALL.of(ExpectedCall(name="t"))) == [0, 1, 3, 4]
    assert list(ALL.of(ExpectedCall(name="t", args={"a": 1, "b": "x"}))) == [0]
    assert list(ALL.of(ExpectedCall(name="t", args={"a": 2}))) == [3, 4]
    assert list(ALL.of(ExpectedCall(name="t", args={"c": [1]}))) == [0, 1, 3, 4]
    assert list(ALL.of(ExpectedCall(name="t", args={"a": 7}))) == []
    assert list(ALL.of(ExpectedCall(name="v"))) == []


def test_other_ways_to_compare_are_tried_in_full() -> None:
    wanted = ExpectedCall(name="t", args={"a": 1}, args_mode="superset")
    assert list(ALL.of(wanted)) == [0, 1, 3, 4]


def test_what_is_alike_is_counted() -> None:
    assert ALL.alike(ExpectedCall(name="t", args={"a": 1, "b": "y", "c": [1]})) == {
        0: 1, 1: 2, 4: 1,
    }  # fmt: skip
    assert ALL.alike(ExpectedCall(name="t")) == {}


def test_positions_that_do_not_count_are_left_out() -> None:
    assert list(Candidates(CALLS, [1], {}).named("t")) == [1]
