from collections.abc import Callable

import pytest

from harness.demo.flows.rules import explain_rules
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]


@pytest.mark.parametrize(
    ("question", "diagnosis"),
    [
        pytest.param("Why are card numbers not stopped?", "is INACTIVE", id="inactive"),
        pytest.param("What about salary tables?", "audit only", id="audit"),
        pytest.param("What about customer records?", "only warns", id="warn"),
        pytest.param("What about source code?", "active and blocks on /Engineering", id="block"),
        pytest.param("Source code from Labs?", "does not cover /Labs", id="scope"),
        pytest.param("Is there a rule for whales?", "none is about what you", id="none fits"),
    ],
)
def test_a_rule_is_held_against_the_question(
    investigate: Ask, question: str, diagnosis: str
) -> None:
    assert diagnosis in explain_rules(investigate(question)).diagnosis


def test_hits_of_the_week_are_counted(investigate: Ask) -> None:
    answer = explain_rules(investigate("What about salary tables?"))
    assert "3 hits in the last 7 days: AUDITED (3)" in answer.evidence


def test_a_tenant_without_rules_is_told_so(investigate: Ask) -> None:
    nothing: dict[str, object] = {"dlpRules": [], "identityPolicies": []}
    answer = explain_rules(investigate("Any DLP rule?", overrides=[nothing]))
    assert answer.diagnosis.startswith("There are 0 DLP rules")
