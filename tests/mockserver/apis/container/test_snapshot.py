from mockserver.apis.container.snapshot import import_snapshot
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json


def test_a_cluster_without_a_link_is_of_the_only_project() -> None:
    raw: dict[str, Json] = {
        "projects": [{"projectId": "shop"}],
        "clusters": [{"name": "a", "location": "eu"}],
    }
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    ((name, row),) = found.tables["clusters"].items()
    assert name == "projects/shop/locations/eu/clusters/a"
    assert row["selfLink"] == f"https://container.googleapis.com/v1/{name}"
    assert row["status"] == "RUNNING"


def test_what_cannot_be_served_is_a_problem() -> None:
    link = "https://container.googleapis.com/v1/projects/p/locations/eu/clusters/a"
    raw: dict[str, Json] = {
        "clusters": [
            {"name": "a", "location": "eu", "selfLink": link},
            {"name": "a", "location": "eu", "selfLink": link},
            {"name": "b", "location": "eu"},
            {"name": "c"},
        ]
    }
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [
        "/clusters/1/name", "/clusters/2/selfLink", "/clusters/3/location",
    ]  # fmt: skip
