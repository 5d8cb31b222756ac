import pytest

from mockserver.apis.errorreporting.snapshot import (
    event_with_place,
    group_of_stats,
    import_snapshot,
)
from mockserver.apis.errorreporting.state import group_id
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, Json, JsonObject
from tests.mockserver.apis.errorreporting.conftest import NODE, event


def imported(**raw: Json) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    return found


def test_events_get_their_group_and_project() -> None:
    given = [event(1, groupId="g1", projectId="p"), event(2)]
    found = imported(errorEvents=given, projects=[{"projectId": "only"}])
    one, other = found.tables["errorEvents"].values()
    assert one == {"projectId": "p", "groupId": "g1", "event": event(1)}
    assert (other["projectId"], other["groupId"]) == ("only", group_id("only", NODE))
    assert [pointer for pointer, _ in found.changes] == ["/errorEvents/1/groupId"]


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (event(1), "projectId"),
        ({**event(1), "projectId": "p", "message": 3}, "message"),
        ({**event(1), "projectId": "p", "eventTime": "noon"}, "eventTime"),
        ({"projectId": "p", "message": "x"}, "eventTime"),
        ({**event(1), "projectId": "p", "context": 3}, "context"),
    ],
    ids=repr,
)
def test_an_event_that_cannot_be_is_a_problem(raw: JsonObject, where: str) -> None:
    (problem,) = imported(errorEvents=[raw]).problems
    assert problem.where == f"/errorEvents/0/{where}"


def test_groups_are_known_by_their_names() -> None:
    found = imported(errorGroups=[{"name": "projects/p/groups/g"}, {"name": "g"}])
    expected = {"projects/p/groups/g": {"name": "projects/p/groups/g", "groupId": "g"}}
    assert found.tables["errorGroups"] == expected
    assert len(found.problems) == 1


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
