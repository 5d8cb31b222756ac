from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.sre.evalset import EvalCase, IntermediateData, without_nulls

PART = {"text": "Why?", "thought": None, "inline_data": None, "function_call": None}


def test_what_adk_writes_is_read_with_its_nulls_in_both_spellings() -> None:
    """SRER-02."""
    snake = {
        "eval_id": "a",
        "conversation": [
            {
                "invocation_id": "e-1",
                "user_content": {"parts": [PART], "role": "user"},
                "intermediate_data": {"tool_uses": [{"id": None, "args": {}, "name": "look"}]},
                "creation_timestamp": 1761.5,
                "app_details": None,
            }
        ],
        "session_input": {"app_name": "sre", "user_id": "ann", "state": {}},
        "final_session_state": {},
    }
    camel = {
        "evalId": "a",
        "conversation": [
            {
                "invocationId": "e-1",
                "userContent": {"parts": [{"text": "Why?"}], "role": "user"},
                "intermediateData": {"toolUses": [{"args": {}, "name": "look"}]},
                "creationTimestamp": 1761.5,
            }
        ],
        "sessionInput": {"appName": "sre", "userId": "ann"},
    }
    read = EvalCase.model_validate(without_nulls(snake))
    assert read == EvalCase.model_validate(camel)
    assert read.conversation[0].user_content.text == "Why?"


def test_calls_are_read_from_events_too() -> None:
    events = [
        {"author": "sre", "content": {"parts": [{"function_call": {"name": "look"}}]}},
        {"author": "sre", "content": {"parts": [{"text": "Hm."}]}},
        {"author": "sre"},
    ]
    calls = IntermediateData.model_validate({"invocation_events": events}).calls
    assert calls is not None
    assert [call.name for call in calls] == ["look"]
    assert IntermediateData().calls is None


def test_thoughts_are_not_said() -> None:
    parts = [{"text": "secret", "thought": True}, {"text": "one"}, {"text": ""}, {"text": "two"}]
    case = {"eval_id": "a", "conversation": [{"user_content": {"parts": parts}}]}
    assert EvalCase.model_validate(case).conversation[0].user_content.text == "one\ntwo"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"eval_id": "two words"}, "eval_id"),
        ({"conversation": []}, "conversation"),
        ({"final_session_state": {"a": 1}}, "nothing checks 'final_session_state'"),
        ({"conversation_scenario": {}}, "conversation_scenario"),
        ({"conversation": [{"user_content": {"parts": [{"inline_data": {}}]}}]}, "inline_data"),
    ],
)
def test_what_could_not_be_checked_or_sent_is_refused(changes: Any, said: str) -> None:
    whole = {"eval_id": "a", "conversation": [{"user_content": {"parts": [{"text": "A?"}]}}]}
    with pytest.raises(ValidationError, match=said):
        EvalCase.model_validate(whole | changes)
