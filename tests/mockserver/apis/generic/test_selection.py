"""Each parameter of a list by its rule, over a few rows."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar

import pytest
from typing_extensions import override

from mockserver.collections import Store
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject, SessionSpec
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import Base, Clock, Ids, World, rfc3339
from tests.discoverydocs import method as asked
from tests.discoverydocs import path_params
from tests.mockserver.apis.conftest import Generic
from tests.tenants import NOW

Over = Callable[..., Generic]

OBJECTS = [
    {"name": "b", "generation": "2"},
    {"name": "a/1.txt"},
    {"name": "a/2.csv"},
    {"name": "c/d/e"},
    {"name": "c/"},
    {"name": "old", "timeDeleted": "2026-01-01T00:00:00Z"},
    {"name": "soft", "softDeleteTime": "2026-01-01T00:00:00Z"},
]
COURSES = [
    {"id": "1", "courseState": "ACTIVE"},
    {"id": "2", "courseState": "ARCHIVED"},
    {"id": "3"},
]
ZONES = [{"name": "a", "dnsName": "a.example.com."}, {"name": "b", "dnsName": "b.example.com."}]
JOBS = [
    {"id": "1", "createTime": "2026-03-01T00:00:00Z", "location": "l"},
    {"id": "2", "createTime": "2026-03-02T00:00:00Z"},
]
RUN = [
    {"metadata": {"name": "a", "labels": {"env": "prod", "tier": "web"}}},
    {"metadata": {"name": "b", "labels": {"env": "test"}}},
]
POOLS = [
    {"name": "locations/global/workforcePools/a", "parent": "organizations/1"},
    {"name": "locations/global/workforcePools/b", "parent": "organizations/2", "state": "DELETED"},
]
PLACEMENTS = [
    {"id": "7", "name": "Banner top", "archived": True, "campaignId": "c1"},
    {"id": "8", "name": "Video", "campaignId": "c2"},
]
BIGQUERY = [
    {
        "id": "j1",
        "status": {"state": "DONE"},
        "statistics": {"creationTime": "1000", "parentJobId": "j0"},
    },
    {"id": "j2", "status": {"state": "RUNNING"}, "statistics": {"creationTime": "3000"}},
]
DATASETS = [
    {"datasetReference": {"datasetId": name}, "labels": {"env": name}}
    for name in ("_anon", "sales")
]
VIDEOS = [{"id": "a", "snippet": {"videoId": "v1"}}, {"id": "b", "snippet": {"videoId": "v2"}}]

OBJECT = ("storage:v1", "storage.objects.list", "objects", OBJECTS)
COURSE = ("classroom:v1", "classroom.courses.list", "courses", COURSES)
ZONE = ("dns:v1", "dns.managedZones.list", "managedZones", ZONES)
JOB = ("dataflow:v1b3", "dataflow.projects.jobs.list", "jobs", JOBS)
SERVICE = ("run:v1", "run.namespaces.services.list", "services", RUN)
POOL = ("iam:v1", "iam.locations.workforcePools.list", "workforcePools", POOLS)
PLACEMENT = ("dfareporting:v4", "dfareporting.placements.list", "placements", PLACEMENTS)
CAMPAIGN = ("dfareporting:v4", "dfareporting.campaigns.list", "campaigns", PLACEMENTS)
QUERY = ("bigquery:v2", "bigquery.jobs.list", "jobs", BIGQUERY)
DATASET = ("bigquery:v2", "bigquery.datasets.list", "datasets", DATASETS)
CAPTION = ("youtube:v3", "youtube.captions.list", "captions", VIDEOS)

FOUND: list[tuple[Any, JsonObject, list[str]]] = [
    (OBJECT, {}, ["a/1.txt", "a/2.csv", "b", "c/", "c/d/e"]),
    (OBJECT, {"prefix": "a/"}, ["a/1.txt", "a/2.csv"]),
    (OBJECT, {"startOffset": "b"}, ["b", "c/", "c/d/e"]),
    (OBJECT, {"endOffset": "b"}, ["a/1.txt", "a/2.csv"]),
    (OBJECT, {"versions": True, "prefix": "o"}, ["old"]),
    (OBJECT, {"softDeleted": True}, ["soft"]),
    (OBJECT, {"matchGlob": "a/*.{txt,pdf}"}, ["a/1.txt"]),
    (OBJECT, {"matchGlob": "c/[!a]/e"}, ["c/d/e"]),
    (OBJECT, {"matchGlob": "?/**"}, ["a/1.txt", "a/2.csv", "c/", "c/d/e"]),
    (COURSE, {"courseStates": ["ACTIVE"]}, ["1"]),
    (ZONE, {"dnsName": "b.example.com."}, ["b"]),
    (JOB, {"createTimeRange.startTime": "2026-03-02T00:00:00Z"}, ["2"]),
    (JOB, {"createTimeRange.endTime": "2026-03-02T00:00:00Z"}, ["1"]),
    (SERVICE, {"labelSelector": "env=prod"}, ["a"]),
    (SERVICE, {"labelSelector": "env!=prod"}, ["b"]),
    (SERVICE, {"labelSelector": "env in (test, prod),tier"}, ["a"]),
    (SERVICE, {"labelSelector": "!tier,env notin (dev)"}, ["b"]),
    (POOL, {"parent": "organizations/1"}, ["locations/global/workforcePools/a"]),
    (POOL, {"parent": "organizations/2"}, []),
    (
        POOL,
        {"parent": "organizations/2", "showDeleted": True},
        ["locations/global/workforcePools/b"],
    ),
    (PLACEMENT, {"searchString": "ban*top"}, ["7"]),
    (CAMPAIGN, {"archived": False}, ["8"]),
    (PLACEMENT, {"campaignIds": ["c2", "c3"]}, ["8"]),
    (PLACEMENT, {"ids": ["7"]}, ["7"]),
    (PLACEMENT, {"sortField": "NAME", "sortOrder": "DESCENDING"}, ["8", "7"]),
    (QUERY, {"stateFilter": ["done"]}, ["j1"]),
    (QUERY, {"minCreationTime": "2000"}, ["j2"]),
    (QUERY, {"maxCreationTime": "2000"}, ["j1"]),
    (QUERY, {"parentJobId": "j0"}, ["j1"]),
    (DATASET, {}, ["sales"]),
    (DATASET, {"all": True}, ["_anon", "sales"]),
    (DATASET, {"filter": "labels.env:sal"}, ["sales"]),
    (CAPTION, {"videoId": "v2", "part": ["snippet"]}, ["b"]),
]


def lists(over: Over, of: Any, params: JsonObject) -> tuple[Generic, JsonObject]:
    key, method, collection, rows = of
    generic = over(**{key: {collection: rows}})
    place = path_params(asked(key, method), "global")
    return generic, generic.ask(key, method, {**place, **params}) or {}


def names(answer: JsonObject) -> list[str]:
    rows = next((each for each in answer.values() if isinstance(each, list)), [])
    keys = ("id", "name", "resourceName", "datasetId")
    flat = [{**row, **row.get("metadata", {}), **row.get("datasetReference", {})} for row in rows]
    return [str(next(row[key] for key in keys if key in row)) for row in flat]


@pytest.mark.parametrize(("of", "params", "found"), FOUND)
def test_a_parameter_selects_as_it_is_documented(
    over: Over, of: Any, params: JsonObject, found: list[str]
) -> None:
    assert names(lists(over, of, params)[1]) == found


@pytest.mark.parametrize(
    ("of", "params", "status", "words"),
    [
        (QUERY, {"minCreationTime": "soon"}, 400, "not a time"),
        (OBJECT, {"matchGlob": "a/{b"}, 400, "Invalid argument"),
        (OBJECT, {"includeFoldersAsPrefixes": True}, 400, "Folders"),
        (OBJECT, {"filter": "nothing.like = 1"}, 501, "contexts"),
        (COURSE, {"studentId": "ann"}, 501, "'studentId'"),
        (COURSE, {"courseStates": ["NONE"]}, 400, "Invalid value 'NONE'"),
        (SERVICE, {"labelSelector": "env=(a"}, 501, "no selector"),
        (SERVICE, {"watch": True}, 501, "'watch'"),
        (PLACEMENT, {"sortOrder": "DESCENDING"}, 501, "no order to turn"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    over: Over, of: Any, params: JsonObject, status: int, words: str
) -> None:
    with pytest.raises(ApiError) as caught:
        lists(over, of, params)
    assert (caught.value.status, words in caught.value.message) == (status, True), caught.value


def test_what_asks_for_nothing_is_as_if_it_was_not_sent(over: Over) -> None:
    for of, params in (
        (COURSE, {"studentId": ""}),
        (SERVICE, {"watch": False}),
    ):
        generic, answer = lists(over, of, params)
        assert (answer, generic.ignored) == (lists(over, of, {})[1], [])


def test_what_does_not_select_is_told_as_ignored(over: Over) -> None:
    generic, _ = lists(over, OBJECT, {"userProject": "p", "projection": "full", "maxResults": 1})
    assert generic.ignored == ["projection", "userProject"]
    buckets = over(**{"storage:v1": {"buckets": [{"name": "b"}]}})
    buckets.get("storage:v1", "storage.buckets.list", project="p")
    assert buckets.ignored == ["project"]


def test_levels_are_told_with_their_prefixes_and_paged_together(over: Over) -> None:
    _, answer = lists(over, OBJECT, {"delimiter": "/"})
    assert (names({"items": answer["items"]}), answer["prefixes"]) == (["b"], ["a/", "c/"])
    _, answer = lists(over, OBJECT, {"delimiter": "/", "maxResults": 2})
    assert (answer["prefixes"], names({"items": answer["items"]})) == (["a/"], ["b"])
    _, answer = lists(over, OBJECT, {"delimiter": "/", "prefix": "c/", "pageToken": ""})
    assert (names({"items": answer["items"]}), answer["prefixes"]) == (["c/"], ["c/d/"])
    params: JsonObject = {"delimiter": "/", "includeTrailingDelimiter": True}
    assert names({"items": lists(over, OBJECT, params)[1]["items"]}) == ["b", "c/"]
    folders = over(**{"storage:v1": {"folders": [{"name": "a/"}, {"name": "a/b/"}]}})
    found = folders.get("storage:v1", "storage.folders.list", bucket="b", delimiter="/")
    assert names({"items": found["items"]}) == ["a/"]


def test_rows_that_tell_no_parent_are_not_those_of_one(over: Over) -> None:
    pool = {"name": "locations/global/workforcePools/a"}
    with pytest.raises(ApiError, match="not all rows tell their parents"):
        lists(over, (*POOL[:3], [pool]), {"parent": "organizations/1"})


def test_operations_are_filtered_too(over: Over) -> None:
    generic = over(**{"run:v2": {}})
    place = "projects/p/locations/l"
    services = "run.projects.locations.services"
    started = generic.get("run:v2", f"{services}.create", parent=place, serviceId="s")
    listing = "run.projects.locations.operations.list"
    (found,) = generic.get("run:v2", listing, name=place, filter="done = true")["operations"]
    assert found["name"] == started["name"]
    assert generic.get("run:v2", listing, name=place, filter="done = false") == {}


def test_the_fixture_that_is_shown_answers_the_query(over: Over) -> None:
    with pytest.raises(ApiError) as caught:
        lists(over, COURSE, {"studentId": "ann", "courseStates": ["ACTIVE"]})
    error = caught.value
    raw = json.loads(error.details[0]["metadata"]["fixture"])
    assert raw["http"][0]["url"].endswith("/v1/courses?studentId=ann&courseStates=ACTIVE")
    assert raw["http"][0]["body"]["courses"]
    assert SnapshotResolver(None).resolve(SessionSpec(overrides=(raw,))).problems() == ()
    assert error.miss is not None
    assert error.miss.blame == "fixture_gap"


class Watched(dict[str, Json]):
    """A row that notes that something asked for its fields."""

    asked: ClassVar[set[str]] = set()

    @override
    def get(self, name: str, default: Json = None) -> Json:
        self.asked.add(self["id"])
        return super().get(name, default)

    @override
    def __contains__(self, name: object) -> bool:
        self.asked.add(self["id"])
        return super().__contains__(name)


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["0", "1", "2"]),
        ({"filter": "status = STOPPED"}, ["7", "107", "207"]),
        ({"filter": "status = STOPPED", "orderBy": "creationTimestamp desc"}, ["207", "107", "7"]),
        ({"orderBy": "creationTimestamp desc"}, ["299", "298", "297"]),
    ],
    ids=str,
)
def test_a_list_reads_no_more_rows_than_it_finds(params: JsonObject, found: list[str]) -> None:
    rows = {
        f"projects/p/zones/z/instances/i{n}": Watched(
            id=str(n),
            status="STOPPED" if n % 100 == 7 else "RUNNING",
            creationTimestamp=rfc3339(NOW + timedelta(minutes=n)),
        )
        for n in range(300)
    }
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    tables = {"compute:v1/instances": Store(rows)}
    generic = Generic(World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1"))
    asked = {"project": "p", "zone": "z", "maxResults": 3, **params}
    first = generic.get("compute:v1", "compute.instances.list", **asked)
    assert [row["id"] for row in first["items"]] == found
    Watched.asked.clear()
    assert generic.get("compute:v1", "compute.instances.list", **asked) == first
    assert len(Watched.asked) <= 5
