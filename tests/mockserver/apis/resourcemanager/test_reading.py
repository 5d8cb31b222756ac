from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError

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
