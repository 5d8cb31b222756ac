from collections.abc import Callable

import pytest

from harness.demo.flows.failures import explain_failure
from harness.demo.google import GoogleError
from harness.demo.investigation import Investigation, ToolFailedError

Ask = Callable[..., Investigation]


@pytest.mark.parametrize(
    ("status", "diagnosis"),
    [
        (400, "does not understand"),
        (403, "does not permit"),
        (404, "does not find"),
        (429, "has no quota left"),
        (503, "is not available"),
    ],
)
def test_nothing_is_concluded_from_a_refusal(investigate: Ask, status: int, diagnosis: str) -> None:
    error = GoogleError("reports.activities.list", status, "reason", "Message.")
    answer = explain_failure(investigate("?"), ToolFailedError("getChromeEvents", error))
    assert diagnosis in answer.diagnosis
    assert answer.evidence == [f"reports.activities.list answered {status} reason: Message."]


@pytest.mark.parametrize(
    ("faults", "evidence"),
    [
        ([], "the token belongs to admin@example.com"),
        ([{"method": "oauth2.*", "status": 400, "message": "Gone."}], "the token itself: Gone."),
    ],
    ids=["token works", "token refused"],
)
def test_a_rejected_token_is_looked_at(
    investigate: Ask, faults: list[dict[str, object]], evidence: str
) -> None:
    error = GoogleError("reports.activities.list", 401, "authError", "Invalid Credentials")
    failure = ToolFailedError("getChromeEvents", error)
    answer = explain_failure(investigate("?", faults=faults), failure)
    assert answer.evidence[1] == evidence
