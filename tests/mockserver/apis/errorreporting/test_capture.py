from mockserver.apis.errorreporting.capture import group_of, placed_event
from mockserver.model import Answered

METHOD = "clouderrorreporting.projects.events.list"
EVENT = {"eventTime": "2026-11-20T08:00:00Z", "message": "boom"}


def test_an_event_gets_the_project_and_group_that_were_asked_for() -> None:
    asked = Answered(METHOD, {"projectName": "projects/shop", "groupId": "g1"}, {}, {})
    assert placed_event(EVENT, asked) == {"projectId": "shop", "groupId": "g1", **EVENT}


def test_events_of_no_group_cannot_be_placed() -> None:
    assert placed_event(EVENT, Answered(METHOD, {"projectName": "projects/shop"}, {}, {})) is None
    assert placed_event(EVENT, Answered(METHOD, {"groupId": "g1"}, {}, {})) is None


def test_figures_tell_their_group() -> None:
    asked = Answered(METHOD, {}, {}, {})
    assert group_of({"group": {"name": "n"}, "count": "3"}, asked) == {"name": "n"}
    assert group_of({"count": "3"}, asked) is None
