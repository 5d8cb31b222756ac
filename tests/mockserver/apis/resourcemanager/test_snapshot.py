from mockserver.apis.resourcemanager import API
from mockserver.apis.resourcemanager.snapshot import CAPTURES, import_snapshot, node_as_version_3
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall
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


ASKED = AnsweredCall("cloudresourcemanager.projects.list", {}, {}, {})


def test_resources_of_older_versions_are_left_out() -> None:
    assert node_as_version_3({"name": "projects/42", "projectId": "shop"}, ASKED) is not None
    assert node_as_version_3({"name": "Shop", "projectNumber": "42"}, ASKED) is None


def test_a_single_resource_is_the_whole_answer() -> None:
    assert CAPTURES["cloudresourcemanager.projects.get"][0].items == ""
    assert CAPTURES["cloudresourcemanager.projects.search"][0].items == "projects"
