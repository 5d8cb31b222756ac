from mockserver.apis.apphub import API
from mockserver.apis.apphub.snapshot import import_snapshot
from mockserver.apis.apphub.state import RESOURCES
from mockserver.googleapi import SnapshotImport


def test_every_collection_has_its_resource() -> None:
    assert [item.name for item in API.collections] == [item.collection for item in RESOURCES]


def test_a_name_must_be_one_of_the_collection() -> None:
    found = SnapshotImport(raw={RESOURCES[0].collection: [{"name": "odd"}]})
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [f"/{RESOURCES[0].collection}/0/name"]
