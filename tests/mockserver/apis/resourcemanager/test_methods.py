from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.resourcemanager.methods import (
    ancestors_of,
    as_v1,
    children_of,
    node_row,
    search_rows,
)
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.resourcemanager.conftest import RAW

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


@pytest.mark.parametrize("name", ["projects/shop-prod", "projects/42"])
def test_a_project_is_read_by_id_and_by_number(call: Ask, name: str) -> None:
    assert call("projects.get", name=name)["displayName"] == "Shop production"


def test_version_one_reads_its_own_shape(call: Ask) -> None:
    assert call("projects.get", projectId="42", version="v1")["projectNumber"] == "42"
    listed = call("projects.list", filter="name:howl", version="v1")["projects"]
    assert [project["projectId"] for project in listed] == ["shop-dev"]


def test_what_is_not_there_is_forbidden_and_the_nearest_is_named(refusal: Refusal) -> None:
    error = refusal("projects.get", name="projects/shop-prd")
    assert (error.status, error.code_name) == (403, "PERMISSION_DENIED")
    assert error.miss is not None
    assert error.miss.nearest == "projects/shop-prod"
    assert refusal("folders.get", name="folders/99").status == 403


def test_lists_are_of_one_parent_without_what_was_deleted(call: Ask, refusal: Refusal) -> None:
    assert len(call("projects.list", parent="folders/10")["projects"]) == 2
    assert call("projects.list", parent="organizations/1") == {}
    assert [row["name"] for row in call("folders.list", parent="folders/10")["folders"]] == [
        "folders/11"
    ]
    assert refusal("projects.list").status == 400
    assert refusal("projects.list", parent="folders/99").status == 403


def test_searches_are_paged(call: Ask) -> None:
    first = call("projects.search", query="projectId:*", pageSize=2)
    rest = call(
        "projects.search", query="projectId:*", pageSize=2, pageToken=first["nextPageToken"]
    )
    assert [len(page["projects"]) for page in (first, rest)] == [2, 1]
    assert call("folders.search", query="displayName:carts")["folders"][0]["name"] == "folders/11"
    assert call("organizations.search", query="domain:example.com")["organizations"]


def test_the_ancestry_of_a_project_starts_with_itself(call: Ask) -> None:
    found = call("projects.getAncestry", projectId="42")["ancestor"]
    assert [(each["resourceId"]["type"], each["resourceId"]["id"]) for each in found] == [
        ("project", "shop-prod"), ("folder", "10"), ("organization", "1"),
    ]  # fmt: skip


def test_organizations_have_other_fields_in_v1(call: Ask) -> None:
    found = call("organizations.search", {"filter": "domain:example.com"}, version="v1")
    organization = found["organizations"][0]
    assert set(organization) <= {"name", "displayName", "lifecycleState", "creationTime", "owner"}
    assert call("organizations.get", name=organization["name"], version="v1") == organization


def test_a_new_project_is_there_when_its_operation_is_done(call: Ask) -> None:
    body = {"projectId": "new-shop", "parent": "folders/11", "labels": {"a": "b"}}
    operation = call("projects.create", body)
    assert operation["done"]
    assert call("operations.get", name=operation["name"]) == operation
    made = call("projects.get", name="projects/new-shop")
    assert operation["response"].items() >= made.items()
    assert (made["displayName"], made["state"], made["labels"]) == (
        "new-shop",
        "ACTIVE",
        {"a": "b"},
    )


def test_version_one_names_and_places_a_project_in_its_own_way(call: Ask) -> None:
    parent = {"type": "folder", "id": "10"}
    body = {"projectId": "new-shop", "name": "New", "parent": parent}
    operation = call("projects.create", body, version="v1")
    assert operation["metadata"]["ready"] is True
    made = operation["response"]
    assert made.pop("@type") == "type.googleapis.com/google.cloudresourcemanager.v1.Project"
    assert made == call("projects.get", projectId="new-shop", version="v1")
    read = call("projects.get", projectId="new-shop", version="v1")
    assert (read["name"], read["parent"]) == ("New", parent)
    changed = call("projects.update", {"name": "Newer"}, projectId="new-shop", version="v1")
    assert changed["name"] == "Newer"
    assert call("projects.delete", projectId="new-shop", version="v1") == {}


@pytest.mark.parametrize(
    ("method", "body", "status"),
    [
        ("projects.create", {}, 400),
        ("projects.create", {"projectId": "X"}, 400),
        ("projects.create", {"projectId": "shop-prod"}, 409),
        ("projects.create", {"projectId": "new-shop", "parent": "folders/99"}, 403),
        ("folders.create", {}, 400),
        ("folders.create", {"displayName": "Carts", "parent": "folders/10"}, 400),
    ],
    ids=str,
)
def test_what_cannot_be_made_is_refused(
    refusal: Refusal, method: str, body: JsonObject, status: int
) -> None:
    assert refusal(method, body).status == status


def test_folders_are_made_and_moved(call: Ask, refusal: Refusal) -> None:
    made = call("folders.create", {"displayName": "New", "parent": "folders/10"})["response"]
    call("folders.move", {"destinationParent": "folders/11"}, name=made["name"])
    assert call("folders.get", name=made["name"])["parent"] == "folders/11"
    assert (
        refusal("folders.move", {"destinationParent": "folders/99"}, name=made["name"]).status
        == 403
    )


def test_display_name_and_labels_change(call: Ask) -> None:
    body = {"displayName": "B", "labels": {"x": "y"}, "parent": "folders/11"}
    call("projects.patch", body, name="projects/shop-prod", updateMask="display_name")
    after = call("projects.get", name="projects/42")
    assert (after["displayName"], after["labels"]) == ("B", {"env": "prod"})
    call("projects.patch", body, name="projects/42")
    after = call("projects.get", name="projects/42")
    assert (after["parent"], after["labels"]) == ("folders/10", {"x": "y"})


def test_what_was_deleted_is_marked_and_can_come_back(call: Ask, refusal: Refusal) -> None:
    call("projects.delete", name="projects/shop-prod")
    marked = call("projects.get", name="projects/42")
    assert (marked["state"], "deleteTime" in marked) == ("DELETE_REQUESTED", True)
    assert refusal("projects.delete", name="projects/42").code_name == "FAILED_PRECONDITION"
    call("projects.undelete", name="projects/42")
    assert "deleteTime" not in call("projects.get", name="projects/42")
    assert refusal("projects.undelete", name="projects/42").status == 400


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["shop-prod", "shop-dev", "data"]),
        ('projectId:shop* OR displayName:"shop*"', ["shop-prod", "shop-dev"]),
        ("name:HOWL", ["shop-dev"]),
        ("NAME:h*l", ["shop-dev"]),
        ("name:how", []),
        ("labels.env:*", ["shop-prod"]),
        ("labels.env:prod projectId:data", ["shop-prod", "data"]),
        ("labels.env:prod AND projectId:data", []),
        ("labels:prod", ["shop-prod"]),
        ("labels.none:*", []),
        ("parent:folders/10", ["shop-prod", "shop-dev"]),
        ("parent.type:folder AND parent.id:10", ["shop-prod", "shop-dev"]),
        ("NOT lifecycleState:ACTIVE", ["shop-prod", "shop-dev", "data"]),
        ("id=data", ["data"]),
        ("howl", ["shop-dev"]),
        ("projectId:(data OR shop-dev)", ["shop-dev", "data"]),
    ],
    ids=str,
)
def test_projects_that_meet_a_search(text: str, found: list[str]) -> None:
    assert [row["projectId"] for row in search_rows(RAW["projects"], text)] == found


@pytest.mark.parametrize("text", ["colour:red", "projectId>1", "(name:a", "f(x)"])
def test_what_is_no_search_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        search_rows(RAW["projects"], text)
    assert (caught.value.status, caught.value.location) == (400, "query")


def test_a_policy_is_the_project_s_by_id_and_by_number(call: Ask) -> None:
    bindings = [{"role": "roles/owner", "members": ["user:ann@example.com"]}]
    body = {"policy": {"bindings": bindings}}
    kept = call("projects.setIamPolicy", body, resource="projects/42")
    assert call("projects.getIamPolicy", resource="shop-prod", version="v1") == kept
    assert call("folders.getIamPolicy", resource="folders/10").get("bindings") is None


def test_permissions_are_asked_of_what_is_there(
    call: Ask, refusal: Callable[..., ApiError]
) -> None:
    body = {"permissions": ["a.b"]}
    assert call("organizations.testIamPermissions", body, resource="organizations/1") == body
    assert (
        refusal("organizations.testIamPermissions", body, resource="organizations/2").status == 403
    )


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
