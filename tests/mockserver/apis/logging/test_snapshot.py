import pytest

from mockserver.apis.logging import API
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.logging.conftest import SHOP, entry

BARE: JsonObject = {"logName": f"{SHOP}/logs/x", "timestamp": "2026-03-02T10:00:00+02:00"}


def imported(**raw: Json) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    assert API.import_snapshot is not None
    API.import_snapshot(found)
    return found


def test_what_an_entry_lacks_is_filled_in_and_said() -> None:
    found = imported(logEntries=[{**BARE, "severity": 400}])
    ((key, row),) = found.tables["logEntries"].items()
    assert row["timestamp"] == row["receiveTimestamp"] == "2026-03-02T08:00:00Z"
    assert row["resource"] == {"type": "global", "labels": {"project_id": "shop"}}
    assert (row["severity"], key.endswith(row["insertId"])) == ("WARNING", True)
    assert [pointer for pointer, _ in found.changes] == [
        "/logEntries/0/insertId",
        "/logEntries/0/resource",
    ]
    assert imported(logEntries=[{**BARE, "severity": 400}]).tables == found.tables


@pytest.mark.parametrize(
    ("raw", "where", "said"),
    [
        ({"timestamp": BARE["timestamp"]}, "logName", "'logName' is missing"),
        ({**BARE, "logName": "x"}, "logName", "is not a log's name"),
        ({**BARE, "timestamp": "soon"}, "timestamp", "'soon' is not an RFC 3339 timestamp"),
        ({**BARE, "timestamp": 5}, "timestamp", "5 is not an RFC 3339 timestamp"),
        ({**BARE, "timestamp": "2026-99-01T00:00:00Z"}, "timestamp", "is not an RFC 3339"),
        ({**BARE, "receiveTimestamp": "x"}, "receiveTimestamp", "'x' is not an RFC 3339"),
        ({**BARE, "jsonPayload": "x"}, "jsonPayload", "expected an object, found text"),
        ({**BARE, "labels": None}, "labels", "expected an object, found null"),
        ({**BARE, "severity": "ERRORS"}, "severity", "unknown severity 'ERRORS'"),
        ({**BARE, "severity": "?"}, "severity", "unknown severity '?'"),
    ],
    ids=repr,
)
def test_an_entry_that_cannot_be_is_a_problem(raw: JsonObject, where: str, said: str) -> None:
    (problem,) = imported(logEntries=[raw]).problems
    assert problem.where == f"/logEntries/0/{where}"
    assert said in problem.message


def test_two_entries_of_one_time_and_id_are_a_problem() -> None:
    (problem,) = imported(logEntries=[entry(1, "a"), entry(1, "a")]).problems
    assert "is there twice" in problem.message


def test_every_project_has_the_built_in_buckets() -> None:
    own: JsonObject = {"name": f"{SHOP}/locations/global/buckets/_Default", "retentionDays": 5}
    projects: Json = [{"projectId": "empty"}, {}, "x"]
    found = imported(logEntries=[BARE], projects=projects, logBuckets=[own])
    buckets = found.tables["logBuckets"]
    assert len(buckets) == 4
    assert buckets[own["name"]] == own
    assert buckets["projects/empty/locations/global/buckets/_Required"]["locked"] is True


def test_names_of_buckets_views_and_links_are_checked() -> None:
    found = imported(logBuckets=[{"name": "b"}], logViews=[{"name": "v"}], logLinks=[{"name": "l"}])
    assert len(found.problems) == 3


def test_collections_are_declared() -> None:
    names = [collection.name for collection in API.collections]
    assert names == ["logBuckets", "logViews", "logLinks", "logEntries"]


def test_buckets_of_projects_folders_and_organizations_are_one_collection() -> None:
    captured = API.captures()
    names = {
        captures[0].collection for name, captures in captured.items() if name.endswith("views.list")
    }
    assert names == {"logViews"}
    assert "logging.organizations.locations.buckets.list" in captured
