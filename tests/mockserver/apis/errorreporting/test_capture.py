from mockserver.apis.errorreporting.capture import event_with_place, group_of_stats
from mockserver.model import AnsweredCall

METHOD = "clouderrorreporting.projects.events.list"
EVENT = {"eventTime": "2026-11-20T08:00:00Z", "message": "boom"}


def test_an_event_gets_the_project_and_group_that_were_asked_for() -> None:
    asked = AnsweredCall(METHOD, {"projectName": "projects/shop", "groupId": "g1"}, {}, {})
    assert event_with_place(EVENT, asked) == {"projectId": "shop", "groupId": "g1", **EVENT}


def test_events_of_no_group_cannot_be_placed() -> None:
    assert (
        event_with_place(EVENT, AnsweredCall(METHOD, {"projectName": "projects/shop"}, {}, {}))
        is None
    )
    assert event_with_place(EVENT, AnsweredCall(METHOD, {"groupId": "g1"}, {}, {})) is None


def test_figures_tell_their_group() -> None:
    asked = AnsweredCall(METHOD, {}, {}, {})
    assert group_of_stats({"group": {"name": "n"}, "count": "3"}, asked) == {"name": "n"}
    assert group_of_stats({"count": "3"}, asked) is None
