"""Copies, exports and conversions of Drive, as a client meets them."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest
from openpyxl import load_workbook

from mockserver.model import JsonObject, SessionSpec
from mockserver.testing import EmulatorTransport

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
    made = client.post(f"{DRIVE}/book/copy", params={"fields": "*"}, json={}).json()
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
        ("book", "application/zip", 501, "not emulated"),
        ("book", "image/png", 400, "conversion is not supported"),
        ("text", "application/rtf", 501, "not emulated"),
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
    assert client.put(f"{OLD}/none", params=upload, **TABLE).status_code == 404  # type: ignore[arg-type]
    text = {"content": "one\ntwo", "headers": {"Content-Type": "text/plain"}}
    assert client.put(f"{OLD}/note", params=upload, **text).json()["exportLinks"]["text/plain"]  # type: ignore[arg-type]
    told = client.get(f"{DRIVE}/note/export", params={"mimeType": "text/plain"})
    assert told.content.decode("utf-8-sig") == "one\r\ntwo"


def test_other_uploads_are_left_to_conventions(client: httpx.Client) -> None:
    upload = {"uploadType": "media", "fields": "*"}
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


REQUESTS: list[JsonObject] = [
    {"insertText": {"text": "Plan\nbuy & sell\ntea\nend\n", "location": {"index": 1}}},
    {"updateParagraphStyle": {"range": {"startIndex": 1, "endIndex": 3}, "fields": "namedStyleType",
                              "paragraphStyle": {"namedStyleType": "HEADING_2"}}},
    {"updateTextStyle": {"range": {"startIndex": 6, "endIndex": 9}, "fields": "bold,link",
                         "textStyle": {"bold": True, "link": {"url": "https://example.com"}}}},
    {"createParagraphBullets": {"range": {"startIndex": 6, "endIndex": 18},
                                "bulletPreset": "NUMBERED_DECIMAL_ALPHA_ROMAN"}},
    {"insertTable": {"rows": 1, "columns": 2, "endOfSegmentLocation": {}}},
]  # fmt: skip
LINK = '<a href="https://example.com"><b>buy</b></a>'


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("text/markdown", "## Plan\n\n1. [**buy**](https://example.com) & sell\n1. tea\n\nend"),
        ("text/markdown", "|  |  |\n| :---- | :---- |"),
        ("text/html", f"<h2>Plan</h2><ol><li>{LINK} &amp; sell</li></ol>"),
        ("text/html", "<td><p></p></td>"),
        ("application/pdf", "(buy & sell) Tj"),
    ],
)
def test_a_document_is_exported_with_its_structure(
    client: httpx.Client, kind: str, found: str
) -> None:
    docs = "https://docs.googleapis.com/v1/documents/text:batchUpdate"
    assert client.post(docs, json={"requests": REQUESTS}).status_code == 200
    answer = client.get(f"{DRIVE}/text/export", params={"mimeType": kind})
    assert found in answer.text, answer.text


def test_a_workbook_has_all_sheets_with_their_formulas(client: httpx.Client) -> None:
    sheets = "https://sheets.googleapis.com/v4/spreadsheets/book:batchUpdate"
    titles = [{"addSheet": {"properties": {"title": each}}} for each in ("a/b", "A_B")]
    client.post(sheets, json={"requests": titles})
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    answer = client.get(f"{DRIVE}/book/export", params={"mimeType": kind})
    dates = {each.date_time[0] for each in ZipFile(BytesIO(answer.content)).infolist()}
    assert dates == {1980}  # none of the machine's clock: the same bytes each time
    book = load_workbook(BytesIO(answer.content))
    assert book.sheetnames == ["Sheet1", "a_b", "A_B (2)"]
    assert [*book["Sheet1"].values] == [("a", 'b,"c"'), ("=1+1", None)]
    computed = load_workbook(BytesIO(answer.content), data_only=True)["Sheet1"]
    assert computed["A2"].value == 2
    told = client.get(f"{DRIVE}/book/export", params={"mimeType": "application/pdf"})
    assert b"(Sheet1) Tj" in told.content
    sheets = f"{sheets.partition(':batch')[0]}/values/A1?valueInputOption=RAW"
    client.put(sheets, json={"values": [["\u6f22"]]})
    told = client.get(f"{DRIVE}/book/export", params={"mimeType": "application/pdf"})
    assert (told.status_code, "letters of Western Europe" in told.text) == (501, True)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("spreadsheets/export?id=book&exportFormat=csv", 'a,"b,""c"""\r\n2,'),
        ("spreadsheets/d/book/export?format=tsv&gid=0", 'a\t"b,""c"""\r\n2\t'),
        ("spreadsheets/d/book/export?format=csv&gid=7", "No sheet with id: 7"),
        ("document/d/text/export?format=txt", ""),
        ("feeds/download/documents/export/Export?id=text&exportFormat=gif", "not supported"),
    ],
)
def test_links_of_exports_are_served(client: httpx.Client, path: str, text: str) -> None:
    assert text in client.get(f"https://docs.google.com/{path}").text


def upload(client: httpx.Client, verb: str, path: str, content: str) -> Any:
    headers, params = {"Content-Type": "text/plain"}, {"uploadType": "media"}
    return client.request(verb, path, params=params, content=content, headers=headers).json()


def test_revisions_are_kept_of_what_is_uploaded(client: httpx.Client) -> None:
    made = upload(client, "POST", "/upload/drive/v3/files", "one")
    path = f"{DRIVE}/{made['id']}"
    upload(client, "PATCH", f"/upload{path}", "second")
    told = client.get(f"{path}/revisions").json()["revisions"]
    assert [each["size"] for each in told] == ["3", "6"]
    first = client.get(f"{path}/revisions/{told[0]['id']}", params={"alt": "media"})
    assert (first.text, client.get(path, params={"alt": "media"}).text) == ("one", "second")
    copy = client.post(f"{path}/copy", json={}).json()
    assert client.get(f"{DRIVE}/{copy['id']}", params={"alt": "media"}).text == "second"


def test_comments_have_replies_that_resolve_them(client: httpx.Client) -> None:
    path = f"{DRIVE}/note/comments"
    assert client.post(path, json={}).status_code == 400
    made = client.post(path, json={"content": "why?"}).json()
    assert (made["resolved"], made["author"]["me"]) == (False, True)
    replies = f"{path}/{made['id']}/replies"
    for body in ({}, {"action": "burn"}):
        assert client.post(replies, json=body).status_code == 400
    client.post(replies, json={"content": "done", "action": "resolve"})
    [told] = client.get(path).json()["comments"]
    assert (told["resolved"], [each["content"] for each in told["replies"]]) == (True, ["done"])
    assert client.get(f"{path}/{made['id']}").json()["replies"][0]["action"] == "resolve"


def test_changes_tell_what_happened_since_a_token(client: httpx.Client) -> None:
    token = client.get("/drive/v3/changes/startPageToken").json()["startPageToken"]
    made = client.post(DRIVE, json={"name": "new"}).json()["id"]
    client.patch(f"{DRIVE}/note", json={"name": "renamed"})
    client.delete(f"{DRIVE}/gone")
    page = client.get("/drive/v3/changes", params={"pageToken": token, "pageSize": 2}).json()
    assert [each["fileId"] for each in page["changes"]] == [made, "note"]
    last = client.get("/drive/v3/changes", params={"pageToken": page["nextPageToken"]}).json()
    assert [(each["fileId"], each["removed"]) for each in last["changes"]] == [("gone", True)]
    now = {"pageToken": last["newStartPageToken"]}
    assert client.get("/drive/v3/changes", params=now).json()["changes"] == []
    for wrong in ("x", "999"):
        assert client.get("/drive/v3/changes", params={"pageToken": wrong}).status_code == 400


def test_the_root_is_a_folder(client: httpx.Client) -> None:
    assert client.get(f"{DRIVE}/root").json()["name"] == "My Drive"


FEW = {"kind", "id", "name", "mimeType"}


@pytest.mark.parametrize(
    ("verb", "path", "found"),
    [
        ("POST", "", FEW),
        ("GET", "/book", FEW - {"kind"}),  # its fixture tells none
        ("PATCH", "/book", FEW - {"kind"}),
        ("POST", "/book/copy", FEW),
        ("GET", "/book?fields=parents", {"parents"}),
        ("GET", "/book?fields=id,parents", {"id", "parents"}),
        ("POST", "/book/permissions", {"kind", "id", "type", "role"}),
    ],
)
def test_answers_without_fields_have_few(
    client: httpx.Client, verb: str, path: str, found: set[str]
) -> None:
    body = {"type": "user", "role": "reader", "emailAddress": "bo@example.com"}
    given = body if "permissions" in path else {"name": "n"}
    sent = client.request(verb, f"{DRIVE}{path}", json=None if verb == "GET" else given)
    assert set(sent.json()) == found


def test_lists_without_fields_have_few(client: httpx.Client) -> None:
    shown = client.get(DRIVE).json()
    assert [set(each) | FEW for each in shown["files"]] == [FEW] * len(shown["files"])
    assert set(client.get(f"{DRIVE}/book/permissions").json()["permissions"][0]) == {
        "kind", "id", "type", "role"}  # fmt: skip
    assert {"parents", "name"} <= set(client.get(f"{DRIVE}/book", params={"fields": "*"}).json())
