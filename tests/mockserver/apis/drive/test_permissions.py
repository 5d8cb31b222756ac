"""Who may see, change and share a file: in Drive, in Sheets, in Docs."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

FOLDER, DOCUMENT, SHEET = (
    f"application/vnd.google-apps.{name}" for name in ("folder", "document", "spreadsheet")
)
OWNER = {"type": "user", "role": "owner", "emailAddress": ANN}
READER = {"type": "user", "role": "reader", "emailAddress": BO}
GROUP = {"type": "group", "role": "commenter", "emailAddress": "sre@example.com"}
LINK = {"type": "anyone", "role": "reader"}
FILES: list[JsonObject] = [
    {"id": "mine", "name": "mine", "mimeType": SHEET, "permissions": [OWNER]},
    {"id": "text", "name": "text", "mimeType": DOCUMENT, "permissions": [OWNER, READER, GROUP]},
    {"id": "link", "name": "link", "permissions": [OWNER, LINK]},
    {"id": "house", "name": "house",
     "permissions": [{"type": "domain", "domain": "example.com", "role": "writer",
                      "allowFileDiscovery": True}]},
    {"id": "box", "name": "box", "mimeType": FOLDER, "permissions": [OWNER]},
    {"id": "inside", "name": "inside", "parents": ["box"]},
    {"id": "open", "name": "open"},
]  # fmt: skip


DENIED = "The caller does not have permission"
TOO_LOW = "The user does not have sufficient permissions for this file."


class Drive:
    def __init__(self) -> None:
        held = {"files": FILES, "files/text/permissions": [{"id": "9", **LINK}]}
        self.space = Workspace("drive", "sheets", "docs", **{"drive:v3": held})

    def __call__(self, name: str, body: Any = None, who: str = ANN, **params: Any) -> Any:
        api = name.partition(".")[0]
        key = {"sheets": "sheets:v4", "docs": "docs:v1"}.get(api, "drive:v3")
        return self.space.ask(key, name, body, who, **params)

    def listed(self, who: str) -> set[str]:
        return {each["id"] for each in self("drive.files.list", who=who)["files"]}


@pytest.fixture
def drive() -> Drive:
    return Drive()


def test_a_list_has_what_is_shared_with_whoever_asks(drive: Drive) -> None:
    assert drive.listed(ANN) == {each["id"] for each in FILES}
    assert drive.listed(BO) == {"text", "house", "open"}
    assert drive.listed(CY) == {"text", "house", "open"}
    assert drive.listed("di@example.net") == {"open"}


@pytest.mark.parametrize(
    ("method", "who", "params", "status", "text"),
    [
        ("drive.files.get", BO, {"fileId": "mine"}, 404, "File not found: mine."),
        ("drive.files.get", BO, {"fileId": "inside"}, 404, "File not found: inside."),
        ("drive.files.get", BO, {"fileId": "none"}, 404, "File not found: none."),
        ("drive.files.copy", BO, {"fileId": "mine"}, 404, "File not found: mine."),
        ("drive.files.delete", BO, {"fileId": "house"}, 403, TOO_LOW),
        ("drive.files.update", BO, {"fileId": "text"}, 403, TOO_LOW),
        ("drive.comments.list", BO, {"fileId": "mine"}, 404, "File not found: mine."),
        ("drive.revisions.list", BO, {"fileId": "mine"}, 404, "File not found: mine."),
        ("drive.replies.create", BO, {"fileId": "link", "commentId": "1"}, 403, TOO_LOW),
        ("drive.permissions.list", CY, {"fileId": "text"}, 403, TOO_LOW),
        ("drive.permissions.list", ANN, {"fileId": "none"}, 404, "File not found: none."),
        (
            "sheets.spreadsheets.get",
            BO,
            {"spreadsheetId": "mine"},
            403,
            DENIED,
        ),
        (
            "docs.documents.batchUpdate",
            BO,
            {"documentId": "text"},
            403,
            DENIED,
        ),
    ],
)
def test_what_is_not_allowed_is_refused_in_the_words_of_the_service(
    drive: Drive, method: str, who: str, params: Any, status: int, text: str
) -> None:
    with pytest.raises(ApiError) as caught:
        drive(method, {}, who, **params)
    assert (caught.value.status, caught.value.message) == (status, text)


def test_what_is_allowed_is_done(drive: Drive) -> None:
    assert drive("docs.documents.get", who=BO, documentId="text")["title"] == "text"
    assert drive("drive.files.get", who=CY, fileId="link")["name"] == "link"
    assert drive("drive.files.update", {"name": "home"}, BO, fileId="house")["name"] == "home"


def test_permissions_are_given_changed_and_taken_away(drive: Drive) -> None:
    made = drive("drive.permissions.create", READER, fileId="box")
    assert (made["id"], made["displayName"], drive.listed(BO)) == (
        "1", "Bo Example", {"text", "house", "open", "box", "inside"},
    )  # fmt: skip
    one = {"fileId": "box", "permissionId": made["id"]}
    changed = drive("drive.permissions.update", {"role": "writer"}, **one)
    assert (changed["role"], drive("drive.permissions.get", who=BO, **one)["role"]) == (
        "writer", "writer",
    )  # fmt: skip
    new = drive("drive.files.create", {"name": "new", "parents": ["box"]}, BO)
    assert len(drive("drive.permissions.list", fileId=new["id"])["permissions"]) == 2
    drive("drive.permissions.delete", who=BO, **one)
    assert drive.listed(BO) == {"text", "house", "open"}
    assert [each["role"] for each in drive("drive.files.get", fileId="box")["permissions"]] == [
        "owner"
    ]


def test_a_file_that_tells_no_permissions_is_its_owners(drive: Drive) -> None:
    (told,) = drive("drive.permissions.list", fileId="open")["permissions"]
    assert (told["role"], told["emailAddress"]) == ("owner", ANN)
    drive("drive.permissions.create", {**READER, "role": "owner"}, fileId="open",
          transferOwnership=True)  # fmt: skip
    roles = {x["emailAddress"]: x["role"]
             for x in drive("drive.permissions.list", fileId="open")["permissions"]}  # fmt: skip
    assert roles == {ANN: "writer", BO: "owner"}
    assert drive("drive.permissions.get", fileId="text", permissionId="9")["type"] == "anyone"


@pytest.mark.parametrize(
    ("method", "body", "status"),
    [
        ("create", {"role": "reader"}, 400),
        ("create", {"type": "user"}, 400),
        ("create", {"type": "user", "role": "king"}, 400),
        ("create", {"type": "user", "role": "reader"}, 400),
        ("create", {**READER, "role": "owner"}, 403),
        ("update", {"role": "king"}, 403),
        ("delete", {}, 403),
    ],
)
def test_a_permission_that_cannot_be_is_refused(
    drive: Drive, method: str, body: Any, status: int
) -> None:
    (owner,) = drive("drive.permissions.list", fileId="mine")["permissions"]
    named = {} if method == "create" else {"permissionId": owner["id"]}
    with pytest.raises(ApiError) as caught:
        drive(f"drive.permissions.{method}", body, fileId="mine", **named)
    assert caught.value.status == status
    with pytest.raises(ApiError, match="Permission not found"):
        drive("drive.permissions.get", fileId="mine", permissionId="7")
