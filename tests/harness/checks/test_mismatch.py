import pytest

from harness.checks.mismatch import Attempt, fits, why_unpaired
from harness.model import ExpectedCall, JsonObject, ToolCall, ToolCalls
from tests.harness.records import call

BOTH: JsonObject = {"folderId": "f1", "depth": 1}


@pytest.mark.parametrize(
    ("args", "mode", "made", "expected"),
    [
        pytest.param(None, "subset", BOTH, True, id="ignored"),
        pytest.param({"depth": 1}, "subset", BOTH, True, id="subset"),
        pytest.param({"depth": 1}, "exact", BOTH, False, id="exact"),
        pytest.param({}, "exact", BOTH, False, id="no-arguments-wanted"),
        pytest.param({"depth": 2}, "subset", BOTH, False, id="another-value"),
        pytest.param({"id": "1", "reason": "x"}, "subset", {}, False, id="empty-is-not-enough"),
        pytest.param(None, "subset", "not json", True, id="malformed-ignored"),
        pytest.param({"a": 1}, "subset", "not json", False, id="malformed"),
    ],
)
def test_arguments_are_held_as_the_case_says(
    args: JsonObject | None, mode: str, made: JsonObject | str, expected: bool
) -> None:
    wanted = ExpectedCall.model_validate({"name": "t", "args": args, "args_mode": mode})
    assert fits(wanted, ToolCall(name="t", args=made)) is expected
    assert not fits(wanted, ToolCall(name="T", args=made))


def _why(expected: ExpectedCall, *calls: ToolCall, pairs: dict[int, int] | None = None) -> str:
    wanted = ToolCalls(calls=(expected, expected), require_success=True)
    return why_unpaired(1, Attempt(wanted, calls), pairs or {}).code


def test_the_reason_names_what_is_wrong() -> None:
    wanted = ExpectedCall(name="t", args={"folderId": "f1", "depth": 1})
    assert _why(wanted) == "name"
    assert _why(wanted, call("other")) == "name"
    assert _why(wanted, call("t", folderId="f2", depth=2)) == "args.folderId"
    assert _why(wanted, call("t"), call("t", folderId="f1")) == "args.depth"
    assert _why(wanted, ToolCall(name="t", args="broken")) == "args"
    assert _why(wanted, call("t", status="error", **BOTH)) == "failed call"
    assert _why(wanted, call("t", **BOTH)) == "order"
    assert _why(wanted, call("t", **BOTH), pairs={0: 0}) == "count"


def test_the_reason_reads_well() -> None:
    wanted = ToolCalls(calls=(ExpectedCall(name="t", args={"folderId": "f1"}),))
    reason = why_unpaired(0, Attempt(wanted, (call("t", folderId="f2"),)), {})
    assert reason.sentence == "'t' was called, but args.folderId is 'f2', expected 'f1'"


def test_positions_count_failed_calls_too() -> None:
    attempt = Attempt(ToolCalls(require_success=True), (call("a", status="error"), call("b")))
    assert [each.name for each in attempt.counted] == ["b"]
    assert attempt.position(0) == 1
