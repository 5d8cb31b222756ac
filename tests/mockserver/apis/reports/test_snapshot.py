import pytest

from mockserver.apis.reports.snapshot import CAPTURES, import_snapshot
from mockserver.googleapi import SnapshotImport
from tests.mockserver.apis.reports.conftest import EVENTS


def imported(events: object) -> SnapshotImport:
    found = SnapshotImport(raw={"auditEvents": events}, customer="C0example")
    import_snapshot(found)
    return found


def test_a_page_of_the_api_and_a_list_mean_the_same() -> None:
    page = {"kind": "admin#reports#activities", "items": EVENTS}
    assert imported(page).tables == imported(EVENTS).tables
    assert next(iter(imported(EVENTS).tables["auditEvents"])).endswith("/20ann/chrome")


def test_a_stale_token_is_dropped_and_told() -> None:
    found = imported({"items": EVENTS, "nextPageToken": "old"})
    assert found.changes[0][0] == "/auditEvents/nextPageToken"
    assert "old" not in str(found.tables)


def test_what_is_left_out_of_an_activity_is_added() -> None:
    key = {"time": "2026-02-01T00:00:00Z", "applicationName": "chrome", "customerId": "C9"}
    found = imported([{"id": key, "etag": '"mine"'}])
    row = next(iter(found.tables["auditEvents"].values()))
    assert row["etag"] == '"mine"'
    assert row["id"]["customerId"] == "C0example"
    assert len(row["id"]["uniqueQualifier"]) == 19
    assert [pointer for pointer, _ in found.changes] == [
        "/auditEvents/0/id",
        "/auditEvents/0/id/customerId",
    ]


def test_no_events_are_no_problem() -> None:
    nothing: list[object] = [None, [], {}, {"items": []}]
    for events in nothing:
        assert imported(events).tables == {"auditEvents": {}, "usageReports": {}}


@pytest.mark.parametrize(
    ("events", "where"),
    [
        ("none", "/auditEvents"),
        ({"items": 7}, "/auditEvents/items"),
        (["x"], "/auditEvents/0"),
        ([{"events": []}], "/auditEvents/0"),
        ([{"id": {"time": "noon"}}], "/auditEvents/0/id/time"),
        ([{"id": {"time": 5}}], "/auditEvents/0/id/time"),
        (
            {"items": [{"id": {"time": "2026-02-01T00:00:00Z"}}]},
            "/auditEvents/items/0/id/applicationName",
        ),
        ([EVENTS[0], EVENTS[0]], "/auditEvents/1"),
        ([{**EVENTS[0], "events": {}}], "/auditEvents/0/events"),
        ([{**EVENTS[0], "events": [{}, None]}], "/auditEvents/0/events/1"),
        (
            [{**EVENTS[0], "events": [{"parameters": [7]}]}],
            "/auditEvents/0/events/0/parameters/0",
        ),
        (
            [{**EVENTS[0], "events": [{"parameters": [{"value": "x"}]}]}],
            "/auditEvents/0/events/0/parameters/0/name",
        ),
    ],
)
def test_what_is_no_activity_is_a_problem(events: object, where: str) -> None:
    assert imported(events).problems[0].where == where


def test_activities_are_told_by_time_qualifier_and_application() -> None:
    [capture] = CAPTURES["reports.activities.list"]
    assert (capture.collection, capture.items, len(capture.identity)) == ("auditEvents", "items", 3)
