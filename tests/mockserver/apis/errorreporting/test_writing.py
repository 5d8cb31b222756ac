import pytest

from mockserver.apis.errorreporting import API
from mockserver.apis.errorreporting.state import group_id
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.errorreporting.conftest import NODE, SHOP, event
from tests.tenants import ask, refused

PREFIX = "clouderrorreporting.projects."
WEB = group_id("shop", NODE)


def counts(shop: World) -> dict[str, str]:
    answer = ask(API, shop, f"{PREFIX}groupStats.list", {"projectName": SHOP})
    return {each["group"]["groupId"]: each["count"] for each in answer.get("errorGroupStats", [])}


def report(shop: World, **body: JsonObject | str) -> None:
    assert ask(API, shop, f"{PREFIX}events.report", {"projectName": SHOP}, dict(body)) == {}


def test_a_reported_event_is_counted_with_its_like(shop: World) -> None:
    report(shop, **event(59))
    assert counts(shop)[WEB] == "2"
    located: JsonObject = {"reportLocation": {"filePath": "a.go", "lineNumber": 1}}
    report(shop, message="failed", serviceContext={"service": "s"}, context=located)
    new = group_id("shop", "failed")
    assert counts(shop)[new] == "1"
    listed = ask(API, shop, f"{PREFIX}events.list", {"projectName": SHOP, "groupId": new})
    (found,) = listed["errorEvents"]
    assert found == {
        "eventTime": "2026-03-02T09:00:00.000Z",
        "serviceContext": {"service": "s", "resourceType": "global"},
        "message": "failed",
        "context": located,
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "ReportedErrorEvent.message cannot be empty."),
        ({"message": NODE}, "ReportedErrorEvent.service_context.service cannot be empty."),
        (
            {"message": "failed", "serviceContext": {"service": "s"}},
            "ReportedErrorEvent.context must contain a location unless `message` contain an "
            "exception or stacktrace.",
        ),
        (event(1, eventTime="noon"), "Invalid event time: 'noon'."),
    ],
    ids=["message", "service", "location", "time"],
)
def test_an_event_that_cannot_be_is_refused(shop: World, body: JsonObject, said: str) -> None:
    error = refused(API, shop, f"{PREFIX}events.report", {"projectName": SHOP}, body)
    assert (error.status, error.message) == (400, said)


def test_all_events_of_a_project_are_deleted(shop: World) -> None:
    elsewhere = {"projectName": f"{SHOP}/locations/eu"}
    assert ask(API, shop, f"{PREFIX}locations.deleteEvents", elsewhere) == {}
    assert counts(shop)
    ask(API, shop, f"{PREFIX}deleteEvents", {"projectName": SHOP})
    assert counts(shop) == {}


@pytest.mark.parametrize(
    ("status", "kept"),
    [("RESOLVED", "RESOLVED"), ("4", "MUTED"), ("", "OPEN"), ("0", "OPEN")],
    ids=repr,
)
def test_a_group_is_replaced(shop: World, status: str, kept: str) -> None:
    name = f"{SHOP}/groups/{WEB}"
    issues = [{"url": "https://issues.example.com/1"}]
    body = {"resolutionStatus": status, "trackingIssues": issues}
    ask(API, shop, f"{PREFIX}groups.update", {"name": name}, body)
    found = ask(API, shop, f"{PREFIX}groups.get", {"groupName": name})
    assert (found["resolutionStatus"], found["trackingIssues"]) == (kept, issues)
    bare = ask(API, shop, f"{PREFIX}groups.update", {"name": name}, {})
    assert "trackingIssues" not in bare


def test_an_unknown_status_or_group_is_refused(shop: World) -> None:
    update = f"{PREFIX}groups.update"
    name = f"{SHOP}/groups/{WEB}"
    assert refused(API, shop, update, {"name": name}, {"resolutionStatus": "DONE"}).status == 400
    assert refused(API, shop, update, {"name": f"{SHOP}/groups/none"}, {}).status == 404
