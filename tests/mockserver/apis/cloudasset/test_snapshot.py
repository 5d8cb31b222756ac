from mockserver.apis.cloudasset.snapshot import import_snapshot
from mockserver.googleapi import SnapshotImport
from mockserver.model import Json


def test_what_cannot_be_served_is_a_problem() -> None:
    raw: dict[str, Json] = {
        "assets": [
            {"name": "//a", "assetType": "t"},
            {"name": "//a", "assetType": "t"},
            {"name": "//b"},
        ],
        "assetHistory": [{"asset": {"name": "//a"}}, {"window": {}, "asset": {}}],
        "iamPolicies": [{"resource": "//a"}, {"policy": {}}],
    }
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [
        "/assets/1/name", "/assets/2/assetType", "/assetHistory/0", "/assetHistory/1",
        "/iamPolicies/0/policy", "/iamPolicies/1/resource",
    ]  # fmt: skip
