from datetime import timedelta

import pytest

from mockserver.apis.generic.snapshot import (
    collections_of,
    find_collection,
    import_snapshot,
    path_parameters_of,
)
from mockserver.collections import Store
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.discoverydocs import document
from tests.tenants import NOW


def imported(**raw: Json) -> SnapshotImport:
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    return found


def keys(table: str, **resources: Json) -> list[str]:
    found = imported(resources=resources)
    assert found.problems == []
    return list(found.tables[table])


def test_resources_are_kept_by_the_paths_they_are_read_from() -> None:
    topics: Json = {"topics": [{"name": "projects/p/topics/t"}]}
    assert keys("pubsub:v1/topics", **{"pubsub:v1": topics}) == ["projects/p/topics/t"]
    files: Json = {"files": [{"id": "1"}, {"name": "no id"}]}
    assert keys("drive:v3/files", **{"drive:v3": files}) == ["files/1", "files/no id"]
    link = "https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/vm"
    rows: Json = {"instances": [{"name": "vm", "selfLink": link}, {"name": "b", "zone": "z/y"}]}
    assert keys("compute:v1/instances", **{"compute:v1": rows}) == [
        "projects/p/zones/z/instances/vm", "projects/-/zones/y/instances/b",
    ]  # fmt: skip
    sets: Json = {"resourceRecordSets": [{"name": "a.example.com.", "type": "A"}]}
    found = keys("dns:v1/resourceRecordSets", **{"dns:v1": sets})
    assert found == ["projects/-/managedZones/-/rrsets/a.example.com./A"]
    about: Json = {"about": [{}]}
    assert keys("drive:v3/about", **{"drive:v3": about}) == ["about/0"]


@pytest.mark.parametrize(
    ("raw", "where", "hint"),
    [
        ({"resources": []}, "/resources", ""),
        ({"resources": {"drives:v3": {}}}, "/resources/drives:v3", "did you mean 'drive:v3'?"),
        ({"resources": {"drive:v3": []}}, "/resources/drive:v3", ""),
        ({"resources": {"drive:v3": {"file": []}}}, "/resources/drive:v3/file", "mean 'files'?"),
        ({"resources": {"drive:v3": {"zebra": []}}}, "/resources/drive:v3/zebra", "known: "),
        ({"resources": {"drive:v3": {"files": {}}}}, "/resources/drive:v3/files", ""),
        ({"resources": {"drive:v3": {"files": [1]}}}, "/resources/drive:v3/files/0", ""),
        (
            {"resources": {"drive:v3": {"files": [{"id": "1"}, {"id": "1"}]}}},
            "/resources/drive:v3/files/1", "",
        ),
        ({"operationPolls": -1}, "/operationPolls", ""),
        ({"operationPolls": True}, "/operationPolls", ""),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_served_is_a_problem(raw: dict[str, Json], where: str, hint: str) -> None:
    found = imported(**raw)
    assert [problem.where for problem in found.problems] == [where]
    assert hint in (found.problems[0].hint or "")


def test_every_time_in_a_resource_moves_with_the_session() -> None:
    rows: Json = [
        {
            "id": "1",
            "createdTime": "2026-01-01T00:00:00Z",
            "revisions": [{"at": "2026-01-01T00:00:00Z"}],
            "name": "T",
        }
    ]
    found = imported(resources={"drive:v3": {"files": rows}})
    assert found.times["drive:v3/files"] == (("createdTime",), ("revisions", "*", "at"))
    tables = {name: Store(each) for name, each in found.tables.items()}
    clock = Clock("shift", captured_at=NOW, real=lambda: NOW + timedelta(days=1))
    world = World(Base(tables, found.times, NOW), clock=clock, ids=Ids(1), session="s")
    row = world.table("drive:v3/files").rows()["files/1"]
    assert (row["createdTime"], row["revisions"][0]["at"]) == ("2026-01-02T00:00:00Z",) * 2


def test_a_row_tells_of_its_path() -> None:
    row = {"zone": "https://example.com/compute/v1/projects/p/zones/z1", "project": "p", "n": 1.5}
    assert path_parameters_of(row, ["zone", "project", "n", "x"]) == {
        "zone": "z1", "project": "p", "n": "-", "x": "-",
    }  # fmt: skip


def test_a_document_tells_its_collections() -> None:
    assert collections_of(document("tasks:v1")) == {
        "tasklists": ("TaskList", frozenset({"tasklist"})),
        "tasks": ("Task", frozenset({"tasklist", "task"})),
    }
    assert find_collection("drive:v3", "nothing") is None
    assert find_collection("nothing:v9", "files") is None
