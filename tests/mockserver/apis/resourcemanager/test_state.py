from mockserver.apis.resourcemanager.state import ancestors_of, as_v1, children_of, node_row
from mockserver.state import World


def test_a_node_is_found_by_its_name_a_project_by_its_id_too(tenant: World) -> None:
    assert node_row(tenant, "projects/shop-prod") == node_row(tenant, "projects/42")
    assert node_row(tenant, "folders/10") is not None
    assert node_row(tenant, "billingAccounts/1") is None


def test_ancestry_goes_up_to_what_is_known(tenant: World) -> None:
    row = node_row(tenant, "projects/42")
    assert row is not None
    names = [each["name"] for each in ancestors_of(tenant, row)]
    assert names == ["projects/42", "folders/10", "organizations/1"]


def test_ancestry_ends_where_it_would_go_round(tenant: World) -> None:
    row = {"name": "folders/10", "parent": "folders/11"}
    tenant.put("folders", "folders/10", row)
    assert len(list(ancestors_of(tenant, row))) == 2


def test_children_are_those_right_below(tenant: World) -> None:
    assert [row["name"] for row in children_of(tenant.table("folders"), "folders/10")] == [
        "folders/11"
    ]


def test_version_one_has_its_own_shape(tenant: World) -> None:
    assert as_v1(tenant.table("projects").rows()["projects/42"]) == {
        "projectNumber": "42",
        "projectId": "shop-prod",
        "lifecycleState": "ACTIVE",
        "name": "Shop production",
        "createTime": "2026-01-01T00:00:00Z",
        "labels": {"env": "prod"},
        "parent": {"type": "folder", "id": "10"},
    }
    assert "parent" not in as_v1(tenant.table("projects").rows()["projects/44"])
