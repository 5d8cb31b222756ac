"""Notes of several users."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

GROUP = "sre@example.com"


def test_a_note_is_its_owners_until_it_is_shared() -> None:
    space = Workspace("keep")

    def keep(method: str, body: Any = None, who: str = ANN, **params: Any) -> Any:
        return space.ask("keep:v1", f"keep.notes.{method}", body, who, **params)

    def refused(status: int, *args: Any, **params: Any) -> None:
        with pytest.raises(ApiError) as caught:
            keep(*args, **params)
        assert caught.value.status == status

    made = keep("create", {"title": "Milk", "body": {"text": {"text": "two"}}})
    name = made["name"]
    assert [each["role"] for each in made["permissions"]] == ["OWNER"]
    refused(400, "create", {})
    assert keep("list", who=BO) == {}
    refused(404, "get", who=BO, name=name)
    asked = [
        {"parent": name, "permission": {"email": each, "role": "WRITER"}} for each in (BO, GROUP)
    ]
    shared = keep("permissions.batchCreate", {"requests": asked}, parent=name)["permissions"]
    assert [("user" in each, "group" in each) for each in shared] == [(True, False), (False, True)]
    for who in (ANN, BO, CY):  # Cy is in the group
        assert [each["name"] for each in keep("list", who=who)["notes"]] == [name]
    assert keep("list", filter="trashed = true") == {}
    refused(403, "delete", who=BO, name=name)
    for body in (
        {"permission": {"email": CY, "role": "OWNER"}},
        {"permission": {"role": "WRITER"}},
        {"parent": "notes/x", "permission": {"email": CY, "role": "WRITER"}},
    ):
        refused(400, "permissions.batchCreate", {"requests": [body]}, parent=name)
    owner = made["permissions"][0]["name"]
    refused(400, "permissions.batchDelete", {"names": [owner]}, parent=name)
    refused(404, "permissions.batchDelete", {"names": [f"{name}/permissions/x"]}, parent=name)
    keep("permissions.batchDelete", {"names": [shared[0]["name"]]}, parent=name)
    refused(404, "get", who=BO, name=name)
    keep("delete", name=name)
    refused(404, "get", name=name)


def test_notes_of_a_snapshot_without_permissions_are_seen_by_all() -> None:
    note = {"name": "notes/n", "title": "Rota"}
    space = Workspace(
        "keep", **{"keep:v1": {"notes": [note, {"name": "notes/o", "trashed": True}]}}
    )
    assert space.ask("keep:v1", "keep.notes.list", who=BO)["notes"] == [note]
