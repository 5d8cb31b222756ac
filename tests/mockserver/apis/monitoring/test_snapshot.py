import pytest

from mockserver.apis.monitoring import API
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.monitoring.conftest import SERIES


def imported(**raw: Json) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    assert API.import_snapshot is not None
    API.import_snapshot(found)
    return found


def test_series_get_what_they_lack() -> None:
    row: JsonObject = {
        "metric": {"type": "a/b", "labels": {"code": "1"}},
        "resource": {"type": "global"},
        "points": [{"interval": {"endTime": "2026-03-02T09:00:00Z"}, "value": {"boolValue": True}}],
    }
    found = imported(timeSeries=[row], projects=[{"projectId": "shop"}])
    (series,) = found.tables["timeSeries"].values()
    (descriptor,) = found.tables["metricDescriptors"].values()
    assert series["resource"]["labels"] == {"project_id": "shop"}
    assert (series["metricKind"], series["valueType"]) == ("GAUGE", "BOOL")
    assert descriptor == {
        "name": "projects/shop/metricDescriptors/a/b",
        "type": "a/b",
        "labels": [{"key": "code"}],
        "metricKind": "GAUGE",
        "valueType": "BOOL",
        "monitoredResourceTypes": ["global"],
    }
    assert [text for _, text in found.changes] == [
        "gets the project_id shop",
        "the metric a/b gets a descriptor",
    ]


def test_a_descriptor_says_what_its_series_are() -> None:
    described = {
        "name": "projects/shop/metricDescriptors/a/b",
        "metricKind": "DELTA",
        "valueType": "INT64",
        "unit": "By",
    }
    row = {"metric": {"type": "a/b"}, "resource": SERIES[0]["resource"], "points": []}
    found = imported(timeSeries=[row], metricDescriptors=[described])
    (series,) = found.tables["timeSeries"].values()
    assert (series["metricKind"], series["valueType"], series["unit"]) == ("DELTA", "INT64", "By")


def test_samples_become_points_and_that_is_told() -> None:
    found = imported(timeSeries=[SERIES[0]])
    assert ("/timeSeries/0/samples", "become 4 points") in found.changes


ALERT = {"name": "projects/p/alerts/a"}
GOOD: JsonObject = {"metric": {"type": "a"}, "resource": {"type": "r", "labels": {}}}


@pytest.mark.parametrize(
    ("raw", "where", "words"),
    [
        ({"timeSeries": [{}]}, "/timeSeries/0/metric", "an object with a 'type'"),
        ({"timeSeries": [{"metric": {"type": "a"}}]}, "/timeSeries/0/resource", "found null"),
        ({"timeSeries": [{**GOOD, "metricKind": "ODD"}]}, "/timeSeries/0", "'ODD' of 'DOUBLE'"),
        ({"timeSeries": [{**GOOD, "points": {}}]}, "", ""),
        ({"timeSeries": [{**GOOD, "points": "x"}]}, "/timeSeries/0/points", "expected an array"),
        ({"timeSeries": [{**GOOD, "points": [{}]}]}, "/timeSeries/0/points/0", "interval.endTime"),
        ({"timeSeries": [{**GOOD, "samples": {}}]}, "/timeSeries/0/samples", "at least one value"),
        ({"timeSeries": [GOOD, GOOD]}, "/timeSeries/1", "is there twice"),
        ({"alerts": [{}]}, "/alerts/0/name", "'name' is missing"),
        ({"alerts": [{"name": "a"}]}, "/alerts/0/name", "'a' is not a name such as projects/"),
        ({"alerts": [ALERT, ALERT]}, "/alerts/1/name", "'projects/p/alerts/a' is there twice"),
    ],
)
def test_what_cannot_be_served_is_told(raw: JsonObject, where: str, words: str) -> None:
    problems = imported(**raw).problems
    assert [each.where for each in problems] == ([where] if where else [])
    assert all(words in each.message for each in problems)


def test_times_of_alerts_and_policies_are_moved_with_the_session() -> None:
    from mockserver.apis.monitoring import API
    from tests.tenants import NOW, world

    row = {"name": "projects/shop/alerts/a", "openTime": "2026-03-01T08:00:00Z"}
    tenant = world(API, clock="shift", captured=NOW.replace(day=1), alerts=[row])
    (moved,) = tenant.table("alerts").rows().values()
    assert moved["openTime"] == "2026-03-02T08:00:00Z"
