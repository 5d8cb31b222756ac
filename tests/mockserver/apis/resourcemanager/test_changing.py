from collections.abc import Callable
from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


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
    made = call("projects.create", body, version="v1")["response"]
    assert made.pop("@type") == "type.googleapis.com/google.cloud.resourcemanager.v1.Project"
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
