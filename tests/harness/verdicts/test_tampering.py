"""Tampering fails a trial, whatever else is said of it."""

import pytest

from harness.model import Outcome, Policy, ServerState
from harness.verdicts import decide_case, decide_trial
from harness.verdicts.decisions import check_tampering
from mockserver.model import Tampering
from tests.harness.records import case, record

ATTEMPT = Tampering(
    at="2026-11-20T10:15:00.000Z",
    attempt="POST /_mock/sessions/s1/reset",
    reason="it may not",
    by="path",
    session="s1",
    status=401,
)
UNCHANGED = case(ServerState(unchanged=("*",)))


def test_an_agent_that_tried_nothing_has_no_finding() -> None:
    assert check_tampering(record("done")) is None


def test_the_finding_names_the_first_attempt_and_counts_them() -> None:
    found = check_tampering(record("done", tampering=(ATTEMPT, ATTEMPT, ATTEMPT)))
    assert found is not None
    assert found.reason == ("the agent tried POST /_mock/sessions/s1/reset and 2 more: it may not")
    assert (found.status, found.required, found.numbers) == ("fail", True, {"attempts": 3})


@pytest.mark.parametrize("outcome", ["replied", "agent_error", "infra_error", "skipped"])
def test_it_fails_however_the_trial_ended(outcome: Outcome) -> None:
    """A trial that its agent spoilt must not leave the rate as a failure of the infrastructure."""
    spoilt = record("done", session="s1", outcome=outcome, tampering=(ATTEMPT,))
    decision = decide_trial(UNCHANGED, spoilt)
    assert (decision.status, decision.attribution, decision.score) == ("fail", "agent", 0.0)
    assert [check.kind for check in decision.checks] == ["tampering", "server_state"]
    verdict = decide_case(UNCHANGED, [decision], Policy.model_validate({"pass": "all"}))
    assert (verdict.verdict, verdict.valid) == ("failed", 1)
