from collections.abc import Callable

import pytest

from harness.demo.flaws import FLAWS
from harness.demo.flows.changes import apply_change, create_rule, draft_change
from harness.demo.flows.settings import explain_setting
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]
WISH = "Draft turning incognito off for Contractors."
RULE = "Create a DLP rule that blocks uploads of bank accounts in Payroll"


def test_a_draft_says_what_would_change(investigate: Ask) -> None:
    answer = draft_change(investigate(WISH))
    assert "becomes incognitoModeAvailability = UNAVAILABLE" in answer.diagnosis
    assert "is now incognitoModeAvailability = AVAILABLE" in answer.evidence[0]


def test_a_draft_of_something_never_set_starts_from_the_default(investigate: Ask) -> None:
    answer = draft_change(investigate("Draft turning incognito off for Labs."))
    assert answer.evidence[0].endswith("from Chrome's default")


def test_a_draft_is_applied_as_it_was_drafted(investigate: Ask) -> None:
    case = investigate("Apply it.", WISH)
    assert "was changed" in apply_change(case).diagnosis
    case.question = "Incognito in Contractors?"
    assert any("UNAVAILABLE, set right there" in line for line in explain_setting(case).evidence)


@pytest.mark.parametrize("question", ["Draft something.", "Draft incognito sideways in Labs."])
def test_an_unclear_wish_is_asked_back(investigate: Ask, question: str) -> None:
    assert draft_change(investigate(question)).diagnosis == "I cannot tell what to change."


def test_nothing_is_applied_without_a_draft(investigate: Ask) -> None:
    assert apply_change(investigate("Apply it.")).diagnosis == "I cannot tell what to change."


def test_a_new_rule_is_made_of_what_the_question_names(investigate: Ask) -> None:
    answer = create_rule(investigate(RULE))
    assert answer.diagnosis.startswith('The rule "Block bank accounts on upload" was created')
    assert answer.evidence[2] == "6 DLP rules in the tenant now"


def test_a_question_that_names_little_gets_a_cautious_rule(investigate: Ask) -> None:
    answer = create_rule(investigate("Create a DLP rule."))
    assert '"Audit credit card number on upload"' in answer.diagnosis


def test_a_claimed_change_changes_nothing(investigate: Ask) -> None:
    case = investigate("Apply it.", WISH, flaws=FLAWS["claims-write"])
    assert "was changed" in apply_change(case).diagnosis
    case.question = "Incognito in Contractors?"
    assert not any("UNAVAILABLE" in line for line in explain_setting(case).evidence)
