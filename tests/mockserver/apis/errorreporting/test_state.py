from datetime import timedelta

from mockserver.apis.errorreporting.state import (
    add_event,
    delete_events,
    events_of,
    group_ids,
    group_name,
    group_of,
    project_of,
)
from mockserver.state import World
from tests.mockserver.apis.errorreporting.conftest import LOGS, event, logged, with_logs


def times(world: World, project: str = "shop") -> list[str]:
    return [row["event"]["eventTime"][11:16] for row in events_of(world, project)]


def test_events_of_the_logs_are_there_newest_first(shop: World) -> None:
    assert times(shop) == ["08:30", "08:20", "08:10"]
    assert times(shop, "other") == []


def test_a_snapshot_with_events_of_its_own_has_just_those_and_what_comes_later() -> None:
    made = with_logs(LOGS, errorEvents=[event(45, projectId="shop")])
    assert times(made) == ["08:45"]
    made.put("logEntries", "later", logged(55, textPayload=LOGS[0]["textPayload"]))
    assert times(made) == ["08:55", "08:45"]


def test_events_of_the_logs_are_in_session_time() -> None:
    made = with_logs(LOGS)
    made.base.times["logEntries"] = (("timestamp",),)  # type: ignore[index]
    made.clock.shift = timedelta(hours=1)
    assert times(made) == ["09:30", "09:20", "09:10"]


def test_deleted_events_are_gone_and_later_ones_are_not(shop: World) -> None:
    add_event(shop, "shop", "g", event(59))
    delete_events(shop, "shop")
    assert times(shop) == []
    shop.clock.advance(timedelta(minutes=1))
    add_event(shop, "shop", "g", {**event(0), "eventTime": "2026-03-02T09:01:00Z"})
    assert times(shop) == ["09:01"]


def test_a_group_is_open_until_something_else_was_said(shop: World) -> None:
    name = group_name("shop", "g")
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "OPEN"
    shop.put("errorGroups", name, {"name": name, "resolutionStatus": "RESOLVED"})
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "RESOLVED"
    assert "g" in group_ids(shop, "shop")
    add_event(shop, "shop", "g", event(59))
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "OPEN"


def test_projects_are_named_by_id_number_and_location(shop: World) -> None:
    shop.put("projects", "projects/111", {"name": "projects/111", "projectId": "shop"})
    assert project_of(shop, "projects/111") == ("shop", True)
    assert project_of(shop, "projects/x/locations/-") == ("x", True)
    assert project_of(shop, "projects/x/locations/global") == ("x", True)
    assert project_of(shop, "projects/x/locations/eu") == ("x", False)
