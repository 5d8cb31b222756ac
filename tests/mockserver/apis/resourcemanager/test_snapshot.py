from mockserver.apis.resourcemanager import API
from mockserver.apis.resourcemanager.snapshot import import_snapshot
from mockserver.googleapi import SnapshotImport
from tests.tenants import world


def test_rows_without_a_state_are_active() -> None:
    rows = world(API, projects=[{"name": "projects/1", "projectId": "a"}]).table("projects").rows()
    assert rows["projects/1"]["state"] == "ACTIVE"


def test_ids_must_be_there_and_differ() -> None:
    rows = [
        {"name": "projects/1", "projectId": "a"},
        {"name": "projects/2", "projectId": "a"},
        {"name": "projects/3"},
        {"name": "folders/4", "projectId": "b"},
    ]
    found = SnapshotImport(raw={"projects": rows})
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [
        "/projects/3/name", "/projects/1/projectId", "/projects/2/projectId",
    ]  # fmt: skip
