from harness.model import Reply, ToolCall, TrialRecord

RECORD = TrialRecord(
    run="r",
    case="EC-001",
    case_hash="0",
    number=1,
    outcome="replied",
    started_at="2026-11-20T10:15:00Z",
    replies=(
        Reply(turn=1, prompt="Why?", text="Because.", tool_calls=(ToolCall(name="a"),)),
        Reply(
            turn=2, prompt="And?", text="So.", tool_calls=(ToolCall(name="b"), ToolCall(name="a"))
        ),
    ),
)


def test_the_trajectory_keeps_order_and_number_of_calls() -> None:
    """CEPR-01: a call made twice counts twice."""
    assert [call.name for call in RECORD.tool_calls] == ["a", "b", "a"]


def test_the_text_is_that_of_all_turns() -> None:
    assert RECORD.text == "Because.\n\nSo."


def test_a_record_survives_the_way_through_json() -> None:
    assert TrialRecord.model_validate_json(RECORD.model_dump_json()) == RECORD
