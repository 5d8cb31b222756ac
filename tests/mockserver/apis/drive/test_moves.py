"""Files are made in a folder, moved into another, and say where they are."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from tests.mockserver.apis.workspace import ANN, BO, Workspace

KEY, GOOGLE = "drive:v3", "application/vnd.google-apps"
OWNED = [{"type": "user", "role": "owner", "emailAddress": BO}]


@pytest.fixture
def drive() -> Any:
    files = [
        {"id": "box", "name": "box", "mimeType": f"{GOOGLE}.folder"},
        {"id": "his", "name": "his", "mimeType": f"{GOOGLE}.folder", "permissions": OWNED},
        {"id": "old", "name": "old"},
    ]
    space = Workspace("drive", **{KEY: {"files": files}})
    return lambda name, body=None, **params: space.ask(KEY, f"drive.files.{name}", body, **params)


def test_a_file_that_is_made_says_whose_it_is_and_where(drive: Any) -> None:
    made = drive("create", {"name": "Plan", "mimeType": f"{GOOGLE}.document"})
    assert made["parents"] == ["root"]
    assert [each["emailAddress"] for each in made["owners"]] == [ANN]
    link = f"https://docs.google.com/document/d/{made['id']}/edit?usp=drivesdk"
    assert made["webViewLink"] == link
    assert drive("get", fileId="old")["parents"] == ["root"]


def test_a_file_is_moved_into_a_folder(drive: Any) -> None:
    where = {"addParents": "box", "removeParents": "root"}
    moved = drive("update", {"name": "new"}, fileId="old", **where)
    assert (moved["parents"], moved["name"]) == (["box"], "new")
    listed = drive("list", q="'box' in parents")["files"]
    assert [each["id"] for each in listed] == ["old"]


@pytest.mark.parametrize(
    ("where", "body", "status"),
    [
        ({"addParents": "none", "removeParents": "root"}, {}, 404),
        ({"addParents": "his", "removeParents": "root"}, {}, 404),
        ({"addParents": "box"}, {}, 403),
        ({}, {"parents": ["box"]}, 403),
    ],
)
def test_a_move_that_cannot_be_is_refused(
    drive: Any, where: dict[str, str], body: Any, status: int
) -> None:
    with pytest.raises(ApiError) as caught:
        drive("update", body, fileId="old", **where)
    assert caught.value.status == status
    assert "parents" not in drive("list")["files"][-1]
