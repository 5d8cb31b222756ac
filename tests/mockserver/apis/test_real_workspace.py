"""Mail and spreadsheets by the real Google client, against a real server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from tests.mockserver.apis.gmail.test_mailboxes import RESOURCES
from tests.mockserver.apis.test_real_transfers import Server

SHEET = "application/vnd.google-apps.spreadsheet"
PRICES = [["Item", "Price"], ["Tea", 2.5], ["Cake", 4]]
SNAPSHOT = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": "C03x", "customerDomain": "example.com"},
    "resources": {
        **RESOURCES,
        "drive:v3": {"files": [{"id": "plan", "name": "Plan", "mimeType": SHEET}]},
        "sheets:v4": {
            "spreadsheets": [
                {"spreadsheetId": "shop", "sheets": [{"properties": {"title": "My prices"}}]}
            ],
            "values": [{"spreadsheetId": "shop", "range": "'My prices'!A1:B3", "values": PRICES}],
        },
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "base").mkdir()
    (folder / "base" / "tenant.json").write_bytes(orjson.dumps(SNAPSHOT))
    with asyncio.Runner() as runner:
        opened = Server(runner, runner.run(MockServer.start(Path(folder))))
        yield opened
        opened.close()


@pytest.fixture
def google(server: Server) -> Any:
    session = server.open()
    return lambda name, version: server.service(session, name, version)


def test_an_inbox_by_fixture_is_read_and_answered(google: Any) -> None:
    users = google("gmail", "v1").users()
    listed = users.messages().list(userId="me", labelIds=["INBOX"]).execute()
    assert [each["id"] for each in listed["messages"]] == ["m4", "m2", "m1"]
    read = users.messages().get(userId="me", id="m4").execute()
    (part,) = [each for each in read["payload"]["parts"] if each["filename"]]
    attached = {"messageId": "m4", "id": part["body"]["attachmentId"]}
    assert users.messages().attachments().get(userId="me", **attached).execute()["size"] == 4
    threads = users.threads().list(userId="me", q="subject:first").execute()["threads"]
    assert [each["id"] for each in threads] == ["t1"]
    names = [each["name"] for each in users.labels().list(userId="me").execute()["labels"]]
    assert {"INBOX", "Bills"} <= set(names)
    users.messages().modify(userId="me", id="m1", body={"removeLabelIds": ["UNREAD"]}).execute()
    assert users.labels().get(userId="me", id="INBOX").execute()["messagesUnread"] == 0


def test_a_room_made_in_the_directory_answers_invitations(google: Any) -> None:
    rooms = google("admin", "directory_v1").resources().calendars()
    new = {"resourceId": "r1", "resourceName": "Oak"}
    room = rooms.insert(customer="my_customer", body=new).execute()["resourceEmail"]
    calendar = google("calendar", "v3")
    assert calendar.calendars().get(calendarId=room).execute()["summary"] == "Oak"
    times = {name: {"dateTime": f"2026-03-05T{hour}:00:00Z"}
             for name, hour in (("start", 10), ("end", 11))}  # fmt: skip
    answers = [
        calendar.events()
        .insert(calendarId="primary", body={**times, "attendees": [{"email": room}]})
        .execute()["attendees"][0]["responseStatus"]
        for _ in range(2)
    ]
    assert answers == ["accepted", "declined"]
    events = calendar.events().list(calendarId=room).execute()["items"]
    assert len(events) == 2


def test_a_spreadsheet_made_through_drive_is_one_of_sheets(google: Any) -> None:
    files, sheets = google("drive", "v3").files(), google("sheets", "v4").spreadsheets()
    ident = files.create(body={"name": "Budget", "mimeType": SHEET}).execute()["id"]
    assert sheets.get(spreadsheetId=ident).execute()["properties"]["title"] == "Budget"
    where = {"spreadsheetId": ident, "range": "Sheet1!A1"}
    body = {"values": [["Month", "Sum"], ["May", "12.5"]]}
    written = sheets.values().update(**where, valueInputOption="USER_ENTERED", body=body).execute()
    assert (written["updatedRange"], written["updatedCells"]) == ("Sheet1!A1:B2", 4)
    more = {"values": [["June", "TRUE"]]}
    added = sheets.values().append(**where, valueInputOption="USER_ENTERED", body=more).execute()
    assert added["updates"]["updatedRange"] == "Sheet1!A3:B3"
    assert added["tableRange"] == "Sheet1!A1:B2"
    found = sheets.values().get(spreadsheetId=ident, range="Sheet1!A:B").execute()
    assert found["values"] == [["Month", "Sum"], ["May", "12.5"], ["June", "TRUE"]]
    asked = {"valueRenderOption": "UNFORMATTED_VALUE", "majorDimension": "COLUMNS"}
    raw = sheets.values().get(spreadsheetId=ident, range="B2:B3", **asked).execute()
    assert raw["values"] == [[12.5, True]]
    files.update(fileId=ident, body={"name": "Costs"}).execute()
    assert sheets.get(spreadsheetId=ident).execute()["properties"]["title"] == "Costs"
    assert (
        sheets.get(spreadsheetId="plan").execute()["sheets"][0]["properties"]["title"] == "Sheet1"
    )


def test_a_spreadsheet_made_through_sheets_is_a_file_of_drive(google: Any) -> None:
    files, sheets = google("drive", "v3").files(), google("sheets", "v4").spreadsheets()
    made = sheets.create(body={"properties": {"title": "New"}}).execute()
    ident = made["spreadsheetId"]
    assert files.get(fileId=ident).execute()["name"] == "New"
    requests = [
        {"addSheet": {"properties": {"title": "Second"}}},
        {"updateSpreadsheetProperties": {"properties": {"title": "Renamed"}, "fields": "title"}},
    ]
    done = sheets.batchUpdate(spreadsheetId=ident, body={"requests": requests}).execute()
    assert done["replies"][0]["addSheet"]["properties"]["index"] == 1
    assert files.get(fileId=ident).execute()["name"] == "Renamed"
    data = [{"range": "Second!A1", "values": [["x"]]}, {"range": "Sheet1!B2", "values": [["y"]]}]
    both = {"valueInputOption": "RAW", "data": data}
    written = sheets.values().batchUpdate(spreadsheetId=ident, body=both).execute()
    assert (written["totalUpdatedSheets"], written["totalUpdatedCells"]) == (2, 2)
    read = sheets.values().batchGet(spreadsheetId=ident, ranges=["Second", "B2"]).execute()
    assert [each.get("values") for each in read["valueRanges"]] == [[["x"]], [["y"]]]
    with pytest.raises(HttpError, match="addDataSource"):
        sheets.batchUpdate(
            spreadsheetId=ident, body={"requests": [{"addDataSource": {}}]}
        ).execute()


def test_values_that_a_fixture_holds_are_read_and_cleared(google: Any) -> None:
    sheets = google("sheets", "v4").spreadsheets()
    where = {"spreadsheetId": "shop", "range": "'My prices'!A2:B3"}
    found = sheets.values().get(**where).execute()
    assert found == {
        "range": "'My prices'!A2:B3",
        "majorDimension": "ROWS",
        "values": [["Tea", "2.5"], ["Cake", "4"]],
    }
    whole = sheets.get(spreadsheetId="shop", includeGridData=True).execute()
    cells = whole["sheets"][0]["data"][0]["rowData"][1]["values"]
    assert [cell["formattedValue"] for cell in cells] == ["Tea", "2.5"]
    cleared = sheets.values().clear(**where, body={}).execute()
    assert cleared["clearedRange"] == "'My prices'!A2:B3"
    assert "values" not in sheets.values().get(**where).execute()


@pytest.mark.parametrize(
    ("ident", "place", "status", "text"),
    [
        ("shop", "Nowhere!A1", 400, "Unable to parse range: Nowhere!A1"),
        ("shop", "A", 400, "Unable to parse range: A"),
        ("shop", "ZZ1", 400, "exceeds grid limits"),
        ("none", "A1", 404, "not found"),
    ],
)
def test_what_cannot_be_read_is_refused(
    google: Any, ident: str, place: str, status: int, text: str
) -> None:
    values = google("sheets", "v4").spreadsheets().values()
    with pytest.raises(HttpError, match=text) as caught:
        values.get(spreadsheetId=ident, range=place).execute()
    assert caught.value.status_code == status


def test_what_cannot_be_written_changes_nothing(google: Any) -> None:
    values = google("sheets", "v4").spreadsheets().values()
    where = {"spreadsheetId": "shop", "range": "A1:A1"}
    with pytest.raises(HttpError, match="valueInputOption"):
        values.update(**where, body={"values": [["x"]]}).execute()
    wide = {**where, "range": "A1:B1", "valueInputOption": "RAW"}
    with pytest.raises(HttpError, match=r"tried writing to column \[C\]"):
        values.update(**wide, body={"values": [["x", "y", "z"]]}).execute()
    formula = {**where, "valueInputOption": "USER_ENTERED"}
    values.update(**formula, body={"values": [["=QUERY(B:B)"]]}).execute()
    with pytest.raises(HttpError, match="not computed"):
        values.get(**where).execute()
    asked = values.get(**where, valueRenderOption="FORMULA").execute()
    assert asked["values"] == [["=QUERY(B:B)"]]
