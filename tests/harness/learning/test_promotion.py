"""A trial as the trace of an agent."""

import pytest

from harness.errors import HarnessError
from harness.learning import trace_of_trial
from harness.model import Reply, ToolCall, Turn
from tests.harness.records import case, record


def test_a_trial_tells_turns_calls_and_errors() -> None:
    calls = (
        ToolCall(name="get_order", args={"order": "A-1"}, result={"id": "A-1"}, turn=1, step=0),
        ToolCall(name="refund", args={}, status="error", result="no", turn=1, step=1),
        ToolCall(name="refund", args={}, status="error", turn=1, step=2),
    )
    asked = case(turns=(Turn(user="Refund A-1."), Turn(user="Thanks.")))
    told = record(replies=(Reply(turn=1, prompt="", text="Done.", tool_calls=calls),), error="boom")
    trace = trace_of_trial(asked, told)
    assert [(turn.user, turn.answer) for turn in trace.turns] == [
        ("Refund A-1.", "Done."), ("Thanks.", "")
    ]  # fmt: skip
    assert [(each.name, each.has_result, each.error) for each in trace.calls] == [
        ("get_order", True, None), ("refund", True, "no"), ("refund", False, "the call failed")
    ]  # fmt: skip
    assert (trace.error, trace.place) == ("boom", f"run {told.run}" if told.run else "")
    assert trace.id == f"{asked.id}/{told.number}"


def test_a_case_without_turns_tells_nothing() -> None:
    with pytest.raises(HarnessError, match="what the user said was not recorded"):
        trace_of_trial(case().model_copy(update={"turns": ()}), record())
