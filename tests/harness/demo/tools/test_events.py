from collections.abc import Callable

from harness.demo.google import Google
from harness.demo.tools.events import get_chrome_events

Connect = Callable[..., Google]


def test_all_pages_of_the_week_are_read(google: Connect) -> None:
    assert len(get_chrome_events(google(), {})["events"]) == 83


def test_events_are_narrowed_down_by_name_and_user(google: Connect) -> None:
    args = {"eventName": "UNSAFE_SITE_VISIT", "user": "yara.haddad@example.com"}
    events = get_chrome_events(google(), args)["events"]
    assert {(event["name"], event["user"]) for event in events} == {tuple(args.values())}
    assert len(events) == 4


def test_it_looks_back_as_far_as_asked(google: Connect) -> None:
    assert 0 < len(get_chrome_events(google(), {"days": 1})["events"]) < 40


def test_parameters_keep_their_kind(google: Connect) -> None:
    overrides = [{"auditEvents": {"items": [activity()]}}]
    event = get_chrome_events(google(overrides=overrides), {"days": 180})["events"][0]
    assert event["parameters"] == {"A": "x", "B": "7", "C": True, "D": ["y"], "E": None}


def activity() -> dict[str, object]:
    return {
        "id": {
            "time": "2026-11-20T08:00:00.000Z",
            "uniqueQualifier": "1",
            "applicationName": "chrome",
        },
        "actor": {"email": "a@example.com"},
        "events": [
            {
                "name": "LOGIN_EVENT",
                "type": "LOGIN_EVENT_TYPE",
                "parameters": [
                    {"name": "A", "value": "x"},
                    {"name": "B", "intValue": "7"},
                    {"name": "C", "boolValue": True},
                    {"name": "D", "multiValue": ["y"]},
                    {"name": "E"},
                ],
            }
        ],
    }
