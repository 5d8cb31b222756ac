from collections.abc import Callable

import pytest

from harness.demo.agent import Conversation, reply_to, route
from harness.demo.flaws import FLAWS
from harness.demo.google import Access

Enter = Callable[..., Access]


@pytest.mark.parametrize(
    ("question", "flow"),
    [
        ("Create a DLP rule for passports", "create_rule"),
        ("Which DLP rule is about passports?", "rules"),
        ("Go ahead.", "apply_change"),
        ("Draft turning incognito off", "draft_change"),
        ("Is incognito off in Sales?", "settings"),
        ("Who met phishing?", "events"),
        ("Which machines are stale?", "fleet"),
        ("Why do laptops not enroll?", "enrollment"),
        ("Is my access token fine?", "authentication"),
        ("Hello", "tenant"),
    ],
)
def test_symptoms_lead_to_a_flow(question: str, flow: str) -> None:
    assert route(question) == flow


@pytest.mark.parametrize("messages", [[], [" "]])
def test_a_conversation_ends_with_a_question(messages: list[str]) -> None:
    with pytest.raises(ValueError, match="no question"):
        Conversation.of(messages)


def test_a_question_is_answered_with_tools_and_evidence(enter: Enter) -> None:
    reply = reply_to(Conversation.of(["Safe Browsing in SRE?"]), enter())
    assert "/Engineering" in reply.answer.diagnosis
    assert [use.name for use in reply.tool_uses] == [
        "listOrgUnits",
        "getChromeConnectorConfiguration",
    ]
    assert reply.rounds == 3


def test_a_refusal_is_told_instead_of_an_answer(enter: Enter) -> None:
    faults = [{"method": "directory.orgunits.list", "status": 403}]
    reply = reply_to(Conversation.of(["Safe Browsing in SRE?"]), enter(faults=faults))
    assert reply.answer.diagnosis.startswith("I cannot tell: Google does not permit this")


def test_what_was_waited_for_is_told(enter: Enter) -> None:
    faults = [{"method": "directory.orgunits.list", "status": 429, "times": 1}]
    reply = reply_to(Conversation.of(["Safe Browsing in SRE?"]), enter(faults=faults))
    assert "answered 429 once before it succeeded" in reply.answer.evidence[-1]


def test_the_impatient_reader_takes_a_page_for_the_whole(enter: Enter) -> None:
    counts = {
        flaw: reply_to(Conversation.of(["Failed logins?"]), enter(case="EC-047"), flaws)
        for flaw, flaws in FLAWS.items()
        if flaw in {"ignores-page-token", "invents-id"}
    }
    assert "50 failed sign-ins" in counts["ignores-page-token"].answer.diagnosis
    assert "64 failed sign-ins" in counts["invents-id"].answer.diagnosis
