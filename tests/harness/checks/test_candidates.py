from harness.checks.tool_calls import Candidates
from harness.model import ExpectedCall, ToolCall
from tests.harness.records import call

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
