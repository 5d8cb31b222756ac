from mockserver.apis.cloudasset.state import as_result, is_in, project_of
from mockserver.state import World
from tests.mockserver.apis.cloudasset.conftest import CLUSTER, RAW


def test_a_result_has_what_the_data_of_an_asset_tells() -> None:
    found = as_result(RAW["assets"][0])
    assert found == {
        "name": CLUSTER,
        "assetType": "container.googleapis.com/Cluster",
        "project": "projects/42",
        "folders": ["folders/7"],
        "organization": "organizations/1",
        "displayName": "prod",
        "location": "us-west1",
        "labels": {"env": "prod"},
        "createTime": "2026-01-05T00:00:00Z",
        "updateTime": "2026-02-01T00:00:00Z",
        "state": "RUNNING",
        "parentFullResourceName": "//cloudresourcemanager.googleapis.com/projects/42",
    }


def test_what_a_row_says_itself_counts() -> None:
    assert as_result(RAW["assets"][1])["displayName"] == "Important exports"
    topic = as_result(RAW["assets"][2])
    assert topic["displayName"] == "t"


def test_a_project_is_in_a_scope_by_id_and_number(tenant: World) -> None:
    assert is_in(tenant, {"project": "projects/shop"}, "projects/42")
    assert is_in(tenant, {"ancestors": ["projects/42"]}, "projects/shop")
    assert not is_in(tenant, {}, "projects/42")
    assert project_of(tenant, "//x.googleapis.com/projects/shop/a") == "projects/42"
    assert project_of(tenant, "//x.googleapis.com/projects/none/a") == ""
