from collections.abc import Callable

import pytest

from harness.demo.flows.enrollment import explain_enrollment
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]


@pytest.mark.parametrize(
    ("question", "diagnosis", "step"),
    [
        pytest.param(
            "Enroll into Sales?", "has an enrollment token that works", "with token", id="ok"
        ),
        pytest.param("Enroll Contractors?", "is EXPIRED", "Create a new token", id="expired"),
        pytest.param("Enroll Kiosks?", "is REVOKED", "Create a new token", id="revoked"),
        pytest.param("Enroll Payroll?", "no enrollment token of its own", "Create", id="none"),
    ],
)
def test_an_org_unit_is_held_against_its_tokens(
    investigate: Ask, question: str, diagnosis: str, step: str
) -> None:
    answer = explain_enrollment(investigate(question))
    assert diagnosis in answer.diagnosis
    assert step in answer.next_steps[0]


def test_a_tenant_without_tokens_has_nothing_to_enroll_with(investigate: Ask) -> None:
    answer = explain_enrollment(investigate("Enroll?", overrides=[{"enrollmentTokens": []}]))
    assert "0 tokens in the tenant; active ones for no org unit" in answer.evidence
    assert len(answer.next_steps) == 1
