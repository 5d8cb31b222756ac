from collections.abc import Callable
from typing import Any

from harness.demo.flows.events import event_kind_in, explain_events, results_of, tally, top
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]
QUIET: dict[str, Any] = {"auditEvents": {"items": []}}


def test_events_of_a_kind_are_counted_by_account_and_parameter(investigate: Ask) -> None:
    answer = explain_events(investigate("Who meets phishing?"))
    assert answer.diagnosis.startswith("9 unsafe site visits")
    assert any("login-example.example.net/ (6)" in line for line in answer.evidence)


def test_a_question_about_one_account_is_about_its_events(investigate: Ask) -> None:
    answer = explain_events(investigate("Phishing at pavel.novak@example.com?"))
    assert answer.diagnosis.startswith("1 unsafe site visit in")


def test_a_question_about_no_kind_is_about_all(investigate: Ask) -> None:
    answer = explain_events(investigate("What happened this week?"))
    assert answer.diagnosis.startswith("83 Chrome events")
    assert any(line.startswith("kinds: LOGIN_EVENT (15)") for line in answer.evidence)


def test_no_events_are_good_news_where_they_are_reported(investigate: Ask) -> None:
    answer = explain_events(investigate("Any malware?", overrides=[QUIET]))
    assert "reporting is on, so there were none" in answer.diagnosis


def test_no_events_say_nothing_where_they_are_not_reported(investigate: Ask) -> None:
    case = investigate("Any malware among Contractors?", overrides=[QUIET])
    assert "nothing can be concluded" in explain_events(case).diagnosis


def test_no_events_say_nothing_where_reporting_was_never_set(investigate: Ask) -> None:
    answer = explain_events(investigate("Any malware?", overrides=[{**QUIET, "policies": []}]))
    assert any(
        "is explicitlyEmptyEventNames = true, set on nowhere" in line for line in answer.evidence
    )


def test_kinds_are_found_by_their_words() -> None:
    assert event_kind_in("Chrome keeps crashing").name == "BROWSER_CRASH"
    assert event_kind_in("Hello").name == ""


def test_what_is_frequent_comes_first() -> None:
    assert top(tally(["b", "a", "b", "c"]), 2) == "b (2), a (1)"


def test_results_lose_their_prefix() -> None:
    events: list[dict[str, Any]] = [
        {"parameters": {"EVENT_RESULT": "EVENT_RESULT_BLOCKED"}},
        {"parameters": {}},
    ]
    assert results_of(events) == "? (1), BLOCKED (1)"
