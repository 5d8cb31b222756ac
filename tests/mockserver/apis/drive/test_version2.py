"""Version 2 of Drive shows the files of version 3 by its own names, and changes them."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.workspace import BO, Workspace

FILES = [
    {"id": "plan", "name": "Plan", "mimeType": "text/plain", "size": "3", "parents": ["f"],
     "modifiedTime": "2026-03-01T00:00:00Z", "properties": {"team": "blue"}},
    {"id": "f", "name": "Folder", "mimeType": "application/vnd.google-apps.folder",
     "modifiedTime": "2026-02-01T00:00:00Z"},
]  # fmt: skip
OLD = [{"id": "old", "title": "Old", "parents": [{"id": "f"}], "labels": {"starred": True}}]


@pytest.fixture
def space() -> Workspace:
    resources = {"drive:v3": {"files": FILES}, "drive:v2": {"files": OLD}}
    return Workspace("drive", "drive_v2", **resources)


def ask(space: Workspace, method: str, body: Any = None, **params: Any) -> Any:
    return space.ask("drive:v2", f"drive.{method}", body, **params)


def test_a_file_has_the_names_of_version_2(space: Workspace) -> None:
    told = ask(space, "files.get", fileId="plan")
    expected = {"title": "Plan", "fileSize": "3", "modifiedDate": "2026-03-01T00:00:00Z"}
    assert {name: told[name] for name in expected} == expected
    assert [each["id"] for each in told["parents"]] == ["f"]
    assert told["properties"][0]["visibility"] == "PUBLIC"
    assert "alt=media" in told["downloadUrl"]
    old = space.ask("drive:v3", "drive.files.get", fileId="old")
    assert (old["name"], old["starred"], old["parents"]) == ("Old", True, ["f"])


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"q": "'f' in parents", "orderBy": "title"}, ["old", "plan"]),
        ({"q": "title = 'Plan'"}, ["plan"]),
        ({"q": "title contains 'title'"}, []),
        ({"q": "modifiedDate > '2026-02-15'"}, ["plan"]),
        ({"maxResults": 1, "orderBy": "title_natural desc"}, ["plan"]),
    ],
)
def test_lists_select_by_the_names_of_version_2(
    space: Workspace, params: Any, found: list[str]
) -> None:
    assert [each["id"] for each in ask(space, "files.list", **params)["items"]] == found


def test_files_are_made_changed_and_moved(space: Workspace) -> None:
    body = {"title": "New", "parents": [{"id": "f"}], "indexableText": {"text": "words"}}
    made = ask(space, "files.insert", body)
    where = {"fileId": made["id"]}
    assert space.ask("drive:v3", "drive.files.get", **where)["name"] == "New"
    assert ask(space, "files.update", {"title": "Newer", "parents": []}, **where)["parents"][0][
        "isRoot"
    ]
    assert ask(space, "files.patch", {"title": "Newest"}, **where)["title"] == "Newest"
    assert ask(space, "files.copy", {"title": "Twin"}, **where)["title"] == "Twin"
    ask(space, "parents.insert", {"id": "f"}, **where)
    assert [each["id"] for each in ask(space, "parents.list", **where)["items"]] == ["f"]
    assert ask(space, "parents.get", parentId="f", **where)["isRoot"] is False
    ask(space, "parents.delete", parentId="f", **where)
    with pytest.raises(ApiError, match="Parent not found"):
        ask(space, "parents.get", parentId="f", **where)
    child = {"folderId": "f", "childId": made["id"]}
    ask(space, "children.insert", {"id": made["id"]}, folderId="f")
    assert ask(space, "children.get", **child)["id"] == made["id"]
    found = ask(space, "children.list", folderId="f", q="title = 'Newest'")
    assert [each["id"] for each in found["items"]] == [made["id"]]
    ask(space, "children.delete", **child)
    with pytest.raises(ApiError, match="File not found"):
        ask(space, "children.get", **child)
    assert ask(space, "files.touch", **where)["modifiedDate"]
    ask(space, "files.delete", **where)
    with pytest.raises(ApiError, match="File not found"):
        ask(space, "files.get", **where)


def test_the_trash_and_about(space: Workspace) -> None:
    for verb, trashed in (("trash", True), ("untrash", False)):
        told = ask(space, f"files.{verb}", fileId="old")
        assert (told["labels"]["trashed"], told["explicitlyTrashed"]) == (trashed, trashed)
    ask(space, "files.trash", fileId="old")
    ask(space, "files.emptyTrash")
    with pytest.raises(ApiError, match="not found"):
        ask(space, "files.trash", fileId="old")
    assert len(ask(space, "files.generateIds", maxResults=3)["ids"]) == 10
    assert ask(space, "about.get")["user"]["emailAddress"] == "admin@example.com"


def test_permissions_have_values_and_additional_roles(space: Workspace) -> None:
    where = {"fileId": "plan"}
    body = {"type": "user", "role": "reader", "additionalRoles": ["commenter"], "value": BO}
    made = ask(space, "permissions.insert", body, **where)
    assert (made["role"], made["additionalRoles"], made["emailAddress"]) == (
        "reader", ["commenter"], BO
    )  # fmt: skip
    link = ask(space, "permissions.insert",
               {"type": "anyone", "role": "reader", "withLink": True}, **where)  # fmt: skip
    assert link["withLink"] is True
    told = ask(space, "permissions.list", **where)["items"]
    assert [each["role"] for each in told] == ["reader", "reader", "owner"]
    one = {**where, "permissionId": made["id"]}
    assert ask(space, "permissions.patch", {"role": "writer"}, **one)["role"] == "writer"
    assert ask(space, "permissions.get", **one)["name"] == "Bo Example"
    ask(space, "permissions.delete", **one)
    assert len(ask(space, "permissions.list", **where)["items"]) == 2


def test_properties_are_public_or_private(space: Workspace) -> None:
    where = {"fileId": "plan"}
    ask(space, "properties.insert", {"key": "own", "value": "1"}, **where)
    one = {**where, "propertyKey": "own"}
    assert ask(space, "properties.patch", {"value": "2"}, **one)["value"] == "2"
    held = ask(space, "properties.list", **where)["items"]
    assert [(each["key"], each["visibility"]) for each in held] == [
        ("team", "PUBLIC"), ("own", "PRIVATE"),
    ]  # fmt: skip
    ask(space, "properties.delete", **one)
    with pytest.raises(ApiError, match="Property not found"):
        ask(space, "properties.get", **one)
    with pytest.raises(ApiError, match="required"):
        ask(space, "properties.insert", {"value": "1"}, **where)


def test_comments_and_replies_have_older_names(space: Workspace) -> None:
    where = {"fileId": "plan"}
    context = {"type": "text/html", "value": "quoted"}
    made = ask(space, "comments.insert", {"content": "why?", "context": context}, **where)
    assert (made["status"], made["context"]["value"]) == ("open", "quoted")
    one = {**where, "commentId": made["commentId"]}
    reply = ask(space, "replies.insert", {"content": "so", "verb": "resolve"}, **one)
    assert (reply["verb"], "id" in reply) == ("resolve", False)
    [told] = ask(space, "comments.list", maxResults=5, **where)["items"]
    assert (told["status"], told["replies"][0]["replyId"]) == ("resolved", reply["replyId"])
    ask(space, "comments.delete", **one)
    assert ask(space, "revisions.list", **where)["items"] == ()
