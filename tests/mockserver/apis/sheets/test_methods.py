from typing import Any

import pytest

from mockserver.apis.sheets import API
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.tenants import NOW, ask, refused

CELLS = [
    {"userEnteredValue": {"numberValue": 4}},
    {"effectiveValue": {"boolValue": True}},
    {"formattedValue": "shown"},
    {"userEnteredValue": {"formulaValue": "=QUERY(A1)"}},
]
BOOK: JsonObject = {
    "spreadsheetId": "book",
    "sheets": [
        {
            "properties": {"sheetId": 0, "title": "First"},
            "data": [{"startRow": 1, "startColumn": 1, "rowData": [{"values": CELLS}, {}]}],
        },
        {"properties": {"sheetId": 5, "title": "Second"}},
    ],
}
RANGES = {
    "spreadsheets/book/values/a": {
        "range": "Second!A1",
        "majorDimension": "COLUMNS",
        "values": [["a", "b"], ["c"]],
    },
    "spreadsheets/other/values/a": {"range": "Gone!A1", "values": [["x"]]},
}


@pytest.fixture
def world() -> World:
    tables = {
        "sheets:v4/spreadsheets": Store({"spreadsheets/book": BOOK}),
        "sheets:v4/values": Store(RANGES),
        "resources": Store({"sheets:v4": {}}),
    }
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1")


def call(world: World, method: str, body: JsonObject | None = None, **params: Any) -> JsonObject:
    given = {"spreadsheetId": "book", **params}
    return ask(API, world, f"sheets.spreadsheets.{method}", given, body)


def refusal(world: World, method: str, body: JsonObject | None = None, **params: Any) -> Any:
    given = {"spreadsheetId": "book", **params}
    return refused(API, world, f"sheets.spreadsheets.{method}", given, body)


def test_grid_data_of_a_fixture_are_its_values(world: World) -> None:
    read = call(world, "values.get", range="First!B2:D2", valueRenderOption="UNFORMATTED_VALUE")
    assert read["values"] == [[4, True, "shown"]]
    formulas = call(world, "values.get", range="First!B2:E2", valueRenderOption="FORMULA")
    assert formulas["values"][0][-1] == "=QUERY(A1)"
    error = refusal(world, "values.get", range="First!E2")
    assert (error.status, "QUERY() is not computed here" in error.message) == (501, True)


def test_a_range_of_a_fixture_may_stand_by_columns(world: World) -> None:
    assert call(world, "values.get", range="Second")["values"] == [["a", "c"], ["b"]]
    columns = call(world, "values.get", range="Second", majorDimension="COLUMNS")
    assert columns["values"] == [["a", "b"], ["c"]]


def test_writing_skips_what_is_null_and_empties_what_is_empty(world: World) -> None:
    body = {"values": [[None, ""], ["'5", "1e3", "FALSE", "-2", "x"]]}
    options = {"valueInputOption": "USER_ENTERED", "includeValuesInResponse": True}
    written = call(world, "values.update", body, range="Second!A1", **options)
    assert written["updatedData"]["values"] == [["a"], ["5", "1.00E+03", "FALSE", "-2", "x"]]
    nothing = call(world, "values.update", {}, range="Second!A1", valueInputOption="RAW")
    assert nothing == {"spreadsheetId": "book", "updatedRange": "Second!A1"}
    deep = {"values": [["x"], ["y"]]}
    error = refusal(world, "values.update", deep, range="Second!A1:B1", valueInputOption="RAW")
    assert "tried writing to row [2]" in error.message


def test_what_is_appended_to_an_empty_sheet_begins_the_table(world: World) -> None:
    call(world, "values.batchClear", {"ranges": ["Second"]})
    added = call(
        world, "values.append", {"values": [["x"]]}, range="Second!B3", valueInputOption="RAW"
    )
    assert "tableRange" not in added
    assert added["updates"]["updatedRange"] == "Second!B3"


def test_sheets_are_added_renamed_and_deleted(world: World) -> None:
    rename = {"properties": {"sheetId": 5, "title": "Last"}, "fields": "title"}
    requests = [{"updateSheetProperties": rename}, {"deleteSheet": {"sheetId": 0}}]
    body = {"requests": requests, "includeSpreadsheetInResponse": True}
    done = call(world, "batchUpdate", body)
    sheets = done["updatedSpreadsheet"]["sheets"]
    assert [sheet["properties"]["title"] for sheet in sheets] == ["Last"]
    whole = {"updateSheetProperties": {"properties": {"sheetId": 5, "title": "All"}, "fields": "*"}}
    call(world, "batchUpdate", {"requests": [whole]})
    title = {"updateSpreadsheetProperties": {"properties": {"title": "Named"}, "fields": "title"}}
    call(world, "batchUpdate", {"requests": [title]})
    found = call(world, "get", ranges=["All!A1"], includeGridData=True)
    assert (found["properties"]["title"], len(found["sheets"])) == ("Named", 1)
    assert call(world, "get", ranges=["All"])["sheets"][0]["properties"]["sheetId"] == 5
    assert call(world, "values.get", range="All")["values"] == [["a", "c"], ["b"]]


def test_a_range_of_a_sheet_that_is_not_there_is_the_fixtures_mistake(world: World) -> None:
    world.put("sheets:v4/values", "spreadsheets/book/values/b", {"range": "Gone!A1"})
    error = refusal(world, "values.get", range="Second")
    assert (error.status, "'Gone!A1'" in error.message) == (501, True)


@pytest.mark.parametrize(
    ("request_", "status", "text"),
    [
        ({"addSheet": {"properties": {"title": "First"}}}, 400, "already exists"),
        ({"deleteSheet": {"sheetId": 9}}, 400, "No sheet with id: 9"),
        ({"updateSheetProperties": {"properties": {"sheetId": 5}}}, 400, "At least one field"),
        ({"refreshDataSource": {}}, 501, "'refreshDataSource'"),
    ],
)
def test_a_change_that_does_not_fit_changes_nothing(
    world: World, request_: JsonObject, status: int, text: str
) -> None:
    error = refusal(world, "batchUpdate", {"requests": [{"addSheet": {}}, request_]})
    assert error.status == status
    assert text in error.message


def test_the_last_sheet_stays(world: World) -> None:
    both = [{"deleteSheet": {"sheetId": ident}} for ident in (0, 5)]
    assert "all the sheets" in refusal(world, "batchUpdate", {"requests": both}).message


def test_a_spreadsheet_that_is_not_there_is_told_with_the_fixture_that_would_be(
    world: World,
) -> None:
    assert refusal(world, "get", spreadsheetId="boo").status == 404
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    empty = World(Base({}, {}, NOW), clock=clock, ids=Ids(1), session="s2")
    error = refusal(empty, "get", spreadsheetId="new")
    assert error.status == 501
    assert '{"spreadsheetId":"new"}' in error.message
