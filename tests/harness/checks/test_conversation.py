from typing import Any

import pytest

from harness.checks.registry import check
from harness.model import Conversation, UserRecord
from tests.harness.records import record


@pytest.mark.parametrize(
    ("user", "expected", "status", "reason"),
    [
        (None, {}, "not_evaluated", "the trial has no simulated user"),
        ({"ended": "goal"}, {}, "pass", ""),
        ({"ended": "goal"}, {"max_turns": 1}, "fail",
         "it took 2 turns, at most 1 were expected"),
        ({"ended": "patience"}, {}, "fail",
         "it ended after 2 turns because the user lost patience; expected goal"),
        ({"ended": "stop"}, {"ended": ("stop", "silent")}, "pass", ""),
        ({}, {"ended": ("stop", "silent")}, "fail",
         "it ended after 2 turns because it was broken off; expected stop or silent"),
    ],
)  # fmt: skip
def test_a_conversation_ends_as_expected(
    user: Any, expected: dict[str, Any], status: str, reason: str
) -> None:
    trial = record("a", "b", user=None if user is None else UserRecord(**user))
    found = check(trial, Conversation(**expected))
    assert (found.status, found.reason) == (status, reason)
