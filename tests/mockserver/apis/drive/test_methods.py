"""Copies, exports and conversions of Drive, as a client meets them."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mockserver.googleapi import ApiError
from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.workspace import Workspace

SHEET = "application/vnd.google-apps.spreadsheet"
FILES = [
    {"id": "book", "name": "It's sums", "mimeType": SHEET, "parents": ["p"]},
    {"id": "note", "name": "note", "mimeType": "text/plain", "size": "7"},
    {"id": "text", "name": "text", "mimeType": "application/vnd.google-apps.document"},
    {"id": "gone", "name": "gone", "trashed": True},
]
VALUES = [{"spreadsheetId": "book", "range": "A1:B2", "values": [["a", 'b,"c"'], ["=1+1"]]}]
CSV = {"mimeType": "text/csv"}
DRIVE, OLD = "/drive/v3/files", "/upload/drive/v2/files"
TABLE = {"content": 'x,1\n"y\nz",2', "headers": {"Content-Type": "text/csv; charset=utf-8"}}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    resources = {"drive:v3": {"files": FILES}, "sheets:v4": {"values": VALUES}}
    transport = EmulatorTransport(spec=SessionSpec(overrides=[{"resources": resources}]))
    headers = {"Authorization": "Bearer t"}
    with httpx.Client(transport=transport, base_url="https://www.googleapis.com") as made:
        made.headers.update(headers)
        yield made


def values(client: httpx.Client, ident: str) -> Any:
    sheets = f"https://sheets.googleapis.com/v4/spreadsheets/{ident}"
    shown = client.get(sheets).json()
    title = shown["sheets"][0]["properties"]["title"].replace("'", "''")
    read = client.get(f"{sheets}/values/'{title}'").json()
    return title, read["values"]


def test_a_copy_of_a_spreadsheet_has_its_cells(client: httpx.Client) -> None:
    made = client.post(f"{DRIVE}/book/copy", json={}).json()
    assert (made["name"], made["parents"]) == ("Copy of It's sums", ["p"])
    assert values(client, made["id"]) == ("Sheet1", [["a", 'b,"c"'], ["2"]])
    again = client.post(f"{DRIVE}/{made['id']}/copy", json={"name": "again"}).json()
    assert values(client, again["id"])[1] == [["a", 'b,"c"'], ["2"]]
    note = client.post(f"{DRIVE}/note/copy", json={}).json()
    assert note["mimeType"] == "text/plain"
    assert client.post(f"{DRIVE}/nothing/copy", json={}).status_code == 404


@pytest.mark.parametrize(
    ("ident", "kind", "status", "text"),
    [
        ("book", "text/csv", 200, 'a,"b,""c"""\r\n2,'),
        ("book", "text/tab-separated-values", 200, 'a\t"b,""c"""\r\n2\t'),
        ("book", "application/pdf", 501, "not emulated"),
        ("book", "image/png", 400, "conversion is not supported"),
        ("text", "text/html", 501, "not emulated"),
        ("note", "text/csv", 403, "only supports Docs Editors"),
    ],
)
def test_an_export_is_the_first_sheet(
    client: httpx.Client, ident: str, kind: str, status: int, text: str
) -> None:
    answer = client.get(f"{DRIVE}/{ident}/export", params={"mimeType": kind})
    assert (answer.status_code, text in answer.text) == (status, True), answer.text
    if status == 200:
        assert (answer.text, answer.headers["content-type"]) == (text, kind)


def test_a_table_is_converted_into_a_spreadsheet(client: httpx.Client) -> None:
    upload = {"uploadType": "media", "convert": True}
    old = client.put(f"{OLD}/book", params=upload, **TABLE).json()  # type: ignore[arg-type]
    assert (old["title"], old["exportLinks"]["text/csv"][-4:]) == ("It's sums", "=csv")
    expected = [["x", "1"], ["y\nz", "2"]]
    assert values(client, "book") == ("It''s sums", expected)
    new = client.patch(
        "/upload/drive/v3/files/book", params={"uploadType": "media"},
        content="n\t3", headers={"Content-Type": "text/tab-separated-values"},
    )  # fmt: skip
    assert (new.status_code, values(client, "book")[1]) == (200, [["n", "3"]])
    parts = (
        f'--b\r\nContent-Type: application/json\r\n\r\n{{"name":"new","mimeType":"{SHEET}"}}\r\n'
        "--b\r\nContent-Type: text/csv\r\n\r\n5\r\n--b--"
    )
    made = client.post(
        "/upload/drive/v3/files", params={"uploadType": "multipart"}, content=parts,
        headers={"Content-Type": "multipart/related; boundary=b"},
    ).json()  # fmt: skip
    assert values(client, made["id"]) == ("new", [["5"]])
    image = {"content": b"x", "headers": {"Content-Type": "image/png"}}
    assert client.put(f"{OLD}/book", params=upload, **image).status_code == 400  # type: ignore[arg-type]
    assert client.put(f"{OLD}/note", params=upload, **TABLE).status_code == 404  # type: ignore[arg-type]


def test_other_uploads_are_left_to_conventions(client: httpx.Client) -> None:
    upload = {"uploadType": "media"}
    made = client.post("/upload/drive/v3/files", params=upload, **TABLE).json()  # type: ignore[arg-type]
    assert made["mimeType"].startswith("text/csv")
    changed = client.patch("/upload/drive/v3/files/note", params=upload, **TABLE)  # type: ignore[arg-type]
    assert changed.json()["size"] == "11"


def test_the_trash_is_emptied_and_empty_lists_are_lists(client: httpx.Client) -> None:
    assert client.delete(f"{DRIVE}/trash").status_code == 204
    gone = client.get(DRIVE, params={"q": "trashed = true"}).json()
    assert gone["files"] == []
    assert client.get(f"{DRIVE}/book/comments", params={"fields": "comments"}).json() == {
        "comments": []
    }


def test_about_tells_who_asks_and_what_is_used(client: httpx.Client) -> None:
    refused = client.get("/drive/v3/about").json()["error"]
    assert (refused["code"], refused["errors"][0]["reason"]) == (400, "required")
    about = client.get("/drive/v3/about", params={"fields": "user,storageQuota"}).json()
    assert (about["user"]["me"], about["storageQuota"]["usage"]) == (True, "7")


@pytest.mark.parametrize(("count", "found"), [(None, 10), (3, 3), (0, 400), (1001, 400)])
def test_ids_are_made(client: httpx.Client, count: int | None, found: int) -> None:
    answer = client.get(f"{DRIVE}/generateIds", params={} if count is None else {"count": count})
    assert found == (len(answer.json()["ids"]) if answer.status_code == 200 else answer.status_code)


def test_a_file_of_version_2_goes_into_the_trash_and_comes_back() -> None:
    space = Workspace("drive", **{"drive:v2": {"files": [{"id": "old", "title": "Old"}]}})
    file = {"fileId": "old"}
    assert space.ask("drive:v2", "drive.files.get", **file)["labels"]["trashed"] is False
    for verb, trashed in (("trash", True), ("untrash", False)):
        told = space.ask("drive:v2", f"drive.files.{verb}", **file)
        assert (told["labels"]["trashed"], told["explicitlyTrashed"]) == (trashed, trashed)
    assert space.ask("drive:v2", "drive.about.get")["user"]["emailAddress"] == "admin@example.com"
    with pytest.raises(ApiError, match="not found"):
        space.ask("drive:v2", "drive.files.trash", fileId="none")
