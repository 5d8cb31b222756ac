from mockserver.apis.cloudasset.snapshot import import_snapshot, keep_whole_policy
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, Json


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


METHOD = "cloudasset.searchAllIamPolicies"


def test_policies_that_a_query_narrowed_are_left_out() -> None:
    row = {"resource": "//r", "policy": {"bindings": []}}
    assert keep_whole_policy(row, AnsweredCall(METHOD, {"scope": "projects/shop"}, {}, {})) == row
    assert keep_whole_policy(row, AnsweredCall(METHOD, {"query": "policy:ann"}, {}, {})) is None
