"""Each kind of request of `batchUpdate`: what it makes of a spreadsheet, and what it refuses."""

import json
from typing import Any

import pytest

from mockserver.apis.sheets import API
from mockserver.apis.sheets.functions import FUNCTIONS
from mockserver.apis.sheets.methods import REQUESTS
from mockserver.collections import Store
from mockserver.googleapi.catalog import installed_documents
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.documents import ROOT
from tests.tenants import NOW, ask, refused

VALUES = [["b", 2, "=B1*2"], ["a", 1, "=B2*2"], ["c", 3, "=SUM(B1:B3)"]]
A1_B2 = {"startRowIndex": 0, "endRowIndex": 2, "startColumnIndex": 0, "endColumnIndex": 2}
ALL = {"startRowIndex": 0, "endRowIndex": 3, "startColumnIndex": 0, "endColumnIndex": 3}
A1 = {"startRowIndex": 0, "endRowIndex": 1, "startColumnIndex": 0, "endColumnIndex": 1}
E1 = {"startRowIndex": 0, "endRowIndex": 1, "startColumnIndex": 4, "endColumnIndex": 5}
RED = {"red": 1.0, "green": 0.0}


def span(dimension: str, start: int, end: int) -> JsonObject:
    return {"sheetId": 0, "dimension": dimension, "startIndex": start, "endIndex": end}


@pytest.fixture
def world() -> World:
    grid = {"rowCount": 6, "columnCount": 5}
    sheets = [
        {"properties": {"sheetId": 0, "title": "One", "gridProperties": grid}},
        {"properties": {"sheetId": 7, "title": "It's two"}, "data": [{}]},
    ]
    tables = {
        "sheets:v4/spreadsheets": Store(
            {"spreadsheets/b": {"spreadsheetId": "b", "sheets": sheets}}
        ),
        "sheets:v4/values": Store({"spreadsheets/b/values/a": {"range": "One", "values": VALUES}}),
    }
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1")


def call(world: World, method: str, body: JsonObject | None = None, **params: Any) -> JsonObject:
    given = {"spreadsheetId": "b", **params}
    return ask(API, world, f"sheets.spreadsheets.{method}", given, body)


def change(world: World, *requests: JsonObject) -> list[JsonObject]:
    replies: list[JsonObject] = call(world, "batchUpdate", {"requests": list(requests)})["replies"]
    return replies


def values(world: World, text: str = "One", option: str = "FORMATTED_VALUE") -> Any:
    return call(world, "values.get", range=text, valueRenderOption=option).get("values")


def sheet(world: World, number: int = 0, **params: Any) -> Any:
    return call(world, "get", **params)["sheets"][number]


@pytest.mark.parametrize(
    ("request_", "option", "expected"),
    [
        (
            {"sortRange": {"range": ALL, "sortSpecs": [{"dimensionIndex": 0}]}},
            "FORMULA",
            [["a", 1, "=B1*2"], ["b", 2, "=B2*2"], ["c", 3, "=SUM(B1:B3)"]],
        ),
        (
            {"sortRange": {"range": A1_B2, "sortSpecs": [
                {"dimensionIndex": 1, "sortOrder": "DESCENDING"}]}},
            "FORMATTED_VALUE",
            [["b", "2", "4"], ["a", "1", "2"], ["c", "3", "6"]],
        ),
        (
            {"autoFill": {"sourceAndDestination": {
                "source": {**ALL, "startRowIndex": 1, "startColumnIndex": 1},
                "dimension": "ROWS", "fillLength": 2}}},
            "FORMULA",
            [["b", 2, "=B1*2"], ["a", 1, "=B2*2"], ["c", 3, "=SUM(B1:B3)"],
             ["", 5, "=B4*2"], ["", 7, "=SUM(B3:B5)"]],
        ),
        (
            {"autoFill": {"range": {**ALL, "endRowIndex": 4, "endColumnIndex": 1}}},
            "FORMULA",
            [["b", 2, "=B1*2"], ["a", 1, "=B2*2"], ["c", 3, "=SUM(B1:B3)"], ["b"]],
        ),
        (
            {"autoFill": {"useAlternateSeries": True, "sourceAndDestination": {
                "source": {**A1_B2, "startRowIndex": 1, "startColumnIndex": 1},
                "dimension": "ROWS", "fillLength": -1}}},
            "FORMATTED_VALUE",
            [["b", "0", "0"], ["a", "1", "2"], ["c", "3", "4"]],
        ),
        (
            {"setBasicFilter": {"filter": {"range": {**ALL, "endColumnIndex": 2}, "sortSpecs": [
                {"dimensionIndex": 0, "sortOrder": "DESCENDING"}]}}},
            "FORMATTED_VALUE",
            [["b", "2", "4"], ["c", "3", "6"], ["a", "1", "6"]],
        ),
        (
            {"insertDimension": {"range": span("ROWS", 1, 2)}},
            "FORMULA",
            [["b", 2, "=B1*2"], [], ["a", 1, "=B3*2"], ["c", 3, "=SUM(B1:B4)"]],
        ),
        (
            {"deleteDimension": {"range": span("ROWS", 0, 1)}},
            "FORMULA",
            [["a", 1, "=B1*2"], ["c", 3, "=SUM(B1:B2)"]],
        ),
        (
            {"deleteDimension": {"range": span("COLUMNS", 1, 2)}},
            "FORMULA",
            [["b", "=#REF!*2"], ["a", "=#REF!*2"], ["c", "=SUM(#REF!)"]],
        ),
        (
            {"moveDimension": {"source": span("ROWS", 0, 1), "destinationIndex": 3}},
            "UNFORMATTED_VALUE",
            [["a", 1, 2], ["c", 3, 6], ["b", 2, 4]],
        ),
        (
            {"copyPaste": {"source": ALL, "destination": {"startRowIndex": 3, "endRowIndex": 4}}},
            "FORMULA",
            [*VALUES, ["b", 2, "=B4*2"], ["a", 1, "=B5*2"], ["c", 3, "=SUM(B4:B6)"]],
        ),
        (
            {"copyPaste": {"source": {**ALL, "startColumnIndex": 2}, "destination": ALL,
                           "pasteType": "PASTE_VALUES"}},
            "FORMULA",
            [[4, 4, 4], [2, 2, 2], [6, 6, 6]],
        ),
        (
            {"cutPaste": {"source": A1_B2, "destination": {"rowIndex": 4}}},
            "FORMULA",
            [["", "", "=B1*2"], ["", "", "=B2*2"], ["c", 3, "=SUM(B1:B3)"], [], ["b", 2], ["a", 1]],
        ),
        (
            {"pasteData": {"coordinate": {"rowIndex": 3}, "delimiter": ",",
                           "data": "x,$5\n2020-01-02"}},
            "FORMATTED_VALUE",
            [["b", "2", "4"], ["a", "1", "2"], ["c", "3", "6"], ["x", "$5"], ["2020-01-02"]],
        ),
        (
            {"mergeCells": {"range": A1_B2, "mergeType": "MERGE_ALL"}},
            "UNFORMATTED_VALUE",
            [["b", "", 0], ["", "", 0], ["c", 3, 3]],
        ),
        (
            {"updateCells": {"start": {"rowIndex": 4}, "fields": "userEnteredValue",
                             "rows": [{"values": [{"userEnteredValue": {"boolValue": False}}]}]}},
            "UNFORMATTED_VALUE",
            [["b", 2, 4], ["a", 1, 2], ["c", 3, 6], [], [False]],
        ),
        (
            {"updateCells": {"range": ALL, "fields": "userEnteredValue", "rows": []}},
            "FORMULA",
            None,
        ),
        (
            {"repeatCell": {"range": {"startColumnIndex": 4, "endColumnIndex": 5, "endRowIndex": 2},
                            "cell": {"userEnteredValue": {"formulaValue": "=B1+$B$3"}},
                            "fields": "userEnteredValue"}},
            "UNFORMATTED_VALUE",
            [["b", 2, 4, "", 5], ["a", 1, 2, "", 4], ["c", 3, 6]],
        ),
        (
            {"appendCells": {"sheetId": 0, "fields": "*", "rows": [
                {"values": [{"userEnteredValue": {"stringValue": "last"}}]}]}},
            "UNFORMATTED_VALUE",
            [["b", 2, 4], ["a", 1, 2], ["c", 3, 6], ["last"]],
        ),
        (
            {"insertRange": {"range": A1, "shiftDimension": "COLUMNS"}},
            "FORMULA",
            [["", *VALUES[0]], *VALUES[1:]],
        ),
        (
            {"deleteRange": {"range": A1, "shiftDimension": "ROWS"}},
            "FORMULA",
            [["a", *VALUES[0][1:]], ["c", *VALUES[1][1:]], ["", *VALUES[2][1:]]],
        ),
        (
            {"deleteDuplicates": {"range": ALL, "comparisonColumns": [span("COLUMNS", 3, 4)]}},
            "FORMULA",
            VALUES[:1],
        ),
    ],
)  # fmt: skip
def test_a_request_changes_cells(
    world: World, request_: JsonObject, option: str, expected: Any
) -> None:
    change(world, request_)
    assert values(world, option=option) == expected


@pytest.mark.parametrize(
    ("request_", "field", "expected"),
    [
        ({"mergeCells": {"range": A1_B2, "mergeType": "MERGE_ROWS"}}, "merges",
         [{**A1_B2, "endRowIndex": 1}, {**A1_B2, "startRowIndex": 1}]),
        ({"mergeCells": {"range": A1_B2, "mergeType": "MERGE_COLUMNS"}}, "merges",
         [{**A1_B2, "endColumnIndex": 1}, {**A1_B2, "startColumnIndex": 1}]),
        ({"setBasicFilter": {"filter": {"range": {"sheetId": 0}}}}, "basicFilter",
         {"range": {"startRowIndex": 0, "endRowIndex": 6,
                    "startColumnIndex": 0, "endColumnIndex": 5}}),
        ({"addDimensionGroup": {"range": span("ROWS", 0, 2)}}, "rowGroups",
         [{"range": {"dimension": "ROWS", "startIndex": 0, "endIndex": 2}, "depth": 1}]),
        ({"addConditionalFormatRule": {"rule": {"ranges": [A1_B2], "booleanRule": {
            "format": {"backgroundColor": RED}}}}}, "conditionalFormats",
         [{"ranges": [A1_B2], "booleanRule": {"format": {
             "backgroundColor": {"red": 1}, "backgroundColorStyle": {"rgbColor": {"red": 1}}}}}]),
    ],
)  # fmt: skip
def test_a_request_changes_what_lies_over_cells(
    world: World, request_: JsonObject, field: str, expected: Any
) -> None:
    change(world, request_)
    assert sheet(world)[field] == expected


@pytest.mark.parametrize(
    ("kind", "field", "list_key", "ident", "given"),
    [
        (
            "ProtectedRange",
            "protectedRange",
            "protectedRanges",
            "protectedRangeId",
            {"range": A1_B2},
        ),
        ("FilterView", "filter", "filterViews", "filterViewId", {"range": A1_B2, "title": "v"}),
        ("Banding", "bandedRange", "bandedRanges", "bandedRangeId", {"range": A1_B2}),
        ("Table", "table", "tables", "tableId", {"range": A1_B2, "name": "t"}),
    ],
)
def test_an_object_is_added_follows_its_cells_is_changed_and_deleted(
    world: World, kind: str, field: str, list_key: str, ident: str, given: JsonObject
) -> None:
    [added] = change(world, {f"add{kind}": {field: given}})
    number = added[f"add{kind}"][field][ident]
    change(world, {"insertDimension": {"range": span("ROWS", 0, 1)}})
    [held] = sheet(world)[list_key]
    assert held["range"] == {**A1_B2, "startRowIndex": 1, "endRowIndex": 3}
    change(world, {f"update{kind}": {field: {ident: number, "range": E1}, "fields": "range"}})
    assert sheet(world)[list_key] == [{**held, "range": E1}]
    deleted_by = "filterId" if kind == "FilterView" else ident
    change(world, {f"delete{kind}": {deleted_by: number}})
    assert list_key not in sheet(world)


def test_a_named_range_stands_for_its_cells(world: World) -> None:
    [added] = change(world, {"addNamedRange": {"namedRange": {"name": "Sums", "range": A1_B2}}})
    ident = added["addNamedRange"]["namedRange"]["namedRangeId"]
    assert values(world, "Sums") == values(world, "One!Sums") == [["b", "2"], ["a", "1"]]
    call(world, "values.update", {"values": [["=SUM(Sums)"]]}, range="E5",
         valueInputOption="USER_ENTERED")  # fmt: skip
    assert values(world, "E5") == [["3"]]
    update = {"namedRange": {"namedRangeId": ident, "name": "Other"}, "fields": "name"}
    change(world, {"updateNamedRange": update})
    assert call(world, "get")["namedRanges"][0]["name"] == "Other"
    change(world, {"deleteNamedRange": {"namedRangeId": ident}})
    assert "namedRanges" not in call(world, "get")


def test_charts_and_slicers_are_placed_respecified_and_deleted(world: World) -> None:
    position = {"overlayPosition": {"anchorCell": {"sheetId": 7}, "widthPixels": 5}}
    [chart, slicer, own] = change(
        world,
        {"addChart": {"chart": {"spec": {"title": "a"}, "position": position}}},
        {"addSlicer": {"slicer": {"spec": {"title": "s"}, "position": position}}},
        {"addChart": {"chart": {"spec": {"title": "b"}, "position": {"newSheet": True}}}},
    )
    ident = chart["addChart"]["chart"]["chartId"]
    moved = {"objectId": ident, "fields": "widthPixels",
             "newPosition": {"overlayPosition": {"widthPixels": 9}}}  # fmt: skip
    change(world, {"updateChartSpec": {"chartId": ident, "spec": {"title": "c"}}},
           {"updateEmbeddedObjectPosition": moved})  # fmt: skip
    [held] = sheet(world, 1)["charts"]
    assert (held["spec"], held["position"]["overlayPosition"]["widthPixels"]) == ({"title": "c"}, 9)
    for each in (ident, slicer["addSlicer"]["slicer"]["slicerId"]):
        change(world, {"deleteEmbeddedObject": {"objectId": each}})
    assert not {"charts", "slicers"} & set(sheet(world, 1))
    assert sheet(world, 2)["properties"]["sheetType"] == "OBJECT"
    assert own["addChart"]["chart"]["position"]["sheetId"]


def test_rules_of_formats_are_changed_by_their_place(world: World) -> None:
    rules = [{"ranges": [A1_B2], "booleanRule": {"condition": {"type": kind}}} for kind in "ab"]
    change(world, *({"addConditionalFormatRule": {"rule": rule, "index": 0}} for rule in rules))
    moved, gone = change(
        world,
        {"updateConditionalFormatRule": {"sheetId": 0, "index": 1, "newIndex": 0}},
        {"deleteConditionalFormatRule": {"sheetId": 0, "index": 1}},
    )
    assert moved["updateConditionalFormatRule"]["newRule"] == rules[0]
    assert gone["deleteConditionalFormatRule"]["rule"] == rules[1]
    assert sheet(world)["conditionalFormats"] == rules[:1]


def test_formats_and_notes_are_shown_with_the_grid(world: World) -> None:
    cell = {"userEnteredFormat": {"backgroundColor": RED, "numberFormat": {"type": "PERCENT"}}}
    change(
        world,
        {"repeatCell": {"range": A1_B2, "cell": cell, "fields": "userEnteredFormat(backgroundColor,"
                                                               "numberFormat)"}},
        {"updateCells": {"range": {**A1_B2, "endRowIndex": 1}, "fields": "note",
                         "rows": [{"values": [{"note": "n"}, {}]}]}},
        {"updateBorders": {"range": A1_B2, "top": {"style": "SOLID"}, "left": {"style": "NONE"}}},
        {"setDataValidation": {"range": E1, "rule": {"strict": True}}},
        {"updateDimensionProperties": {"range": span("ROWS", 1, 2), "fields": "pixelSize",
                                       "properties": {"pixelSize": 40}}},
    )  # fmt: skip
    [data] = sheet(world, ranges=["One!A1:E2"], includeGridData=True)["data"]
    first, second, *_ = data["rowData"][0]["values"]
    assert (first["note"], first["formattedValue"], second["formattedValue"]) == (
        "n",
        "b",
        "200.00%",
    )
    own = second["userEnteredFormat"]
    assert own["backgroundColorStyle"] == {"rgbColor": {"red": 1}}
    assert own["borders"] == {"top": {"style": "SOLID"}}
    assert second["effectiveFormat"]["textFormat"]["fontSize"] == 10
    assert data["rowData"][0]["values"][4]["dataValidation"] == {"strict": True}
    assert [each["pixelSize"] for each in data["rowMetadata"]] == [21, 40]
    change(world, {"autoResizeDimensions": {"dimensions": span("ROWS", 1, 2)}},
           {"setDataValidation": {"range": E1}})  # fmt: skip
    [data] = sheet(world, ranges=["One!B2:E2"], includeGridData=True)["data"]
    assert (data["startRow"], data["startColumn"], data["rowMetadata"]) == (
        1,
        1,
        [{"pixelSize": 21}],
    )


def test_sheets_are_copied_moved_and_resized(world: World) -> None:
    change(world, {"duplicateSheet": {"sourceSheetId": 0, "newSheetId": 9}})
    grid = {"sheetId": 9, "gridProperties": {"rowCount": 1, "hideGridlines": True}, "index": 3,
            "tabColorStyle": {"rgbColor": RED}}  # fmt: skip
    mask = "gridProperties/rowCount,gridProperties.hideGridlines,index,tabColorStyle"
    change(world, {"updateSheetProperties": {"properties": grid, "fields": mask}},
           {"appendDimension": {"sheetId": 9, "dimension": "COLUMNS", "length": 2}})  # fmt: skip
    shown = sheet(world, 2)["properties"]
    assert (shown["title"], shown["index"], shown["tabColor"]) == ("Copy of One", 2, {"red": 1})
    assert shown["gridProperties"] == {"rowCount": 1, "columnCount": 7, "hideGridlines": True}
    assert values(world, "Copy of One") == [["b", "2", "4"]]
    copied = call(world, "sheets.copyTo", {"destinationSpreadsheetId": "b"}, sheetId=7)
    assert (copied["title"], copied["index"]) == ("Copy of It's two", 3)


def test_a_sheet_that_gets_another_title_keeps_its_formulas(world: World) -> None:
    body = {"values": [["='It''s two'!A1", '=One!A1&"!"']]}
    call(world, "values.update", body, range="D1", valueInputOption="USER_ENTERED")
    change(world, {"updateSheetProperties": {"properties": {"sheetId": 7, "title": "Three"},
                                             "fields": "title"}})  # fmt: skip
    assert values(world, "D1:E1", "FORMULA") == [["='Three'!A1", '=One!A1&"!"']]
    assert values(world, "D1:E1") == [["0", "b!"]]


def test_groups_lie_in_each_other_and_close(world: World) -> None:
    change(world, {"addDimensionGroup": {"range": span("COLUMNS", 0, 3)}})
    [added] = change(world, {"addDimensionGroup": {"range": span("COLUMNS", 1, 2)}})
    assert [each["depth"] for each in added["addDimensionGroup"]["dimensionGroups"]] == [1, 2]
    group = {"range": span("COLUMNS", 1, 2), "depth": 2, "collapsed": True}
    change(world, {"updateDimensionGroup": {"dimensionGroup": group, "fields": "collapsed"}})
    assert sheet(world)["columnGroups"][1]["collapsed"] is True
    for _ in range(2):
        change(world, {"deleteDimensionGroup": {"range": span("COLUMNS", 0, 3)}})
    assert "columnGroups" not in sheet(world)


def test_texts_are_replaced_trimmed_and_split(world: World) -> None:
    body = {"values": [[" x  y "], ["1;2020-01-02"]]}
    call(world, "values.update", body, range="A4", valueInputOption="RAW")
    column = {"startRowIndex": 3, "startColumnIndex": 0, "endColumnIndex": 1}
    replies = change(
        world,
        {"trimWhitespace": {"range": column}},
        {"textToColumns": {"source": column, "delimiterType": "SEMICOLON"}},
        {"findReplace": {"find": "X", "replacement": "z", "allSheets": True}},
        {"findReplace": {"find": "B", "replacement": "A", "includeFormulas": True, "sheetId": 0,
                         "matchCase": True}},
    )  # fmt: skip
    assert replies[0] == {"trimWhitespace": {"cellsChangedCount": 1}}
    assert replies[2]["findReplace"] == {
        "valuesChanged": 1, "occurrencesChanged": 1, "rowsChanged": 1, "sheetsChanged": 1,
    }  # fmt: skip
    assert replies[3]["findReplace"]["formulasChanged"] == 3
    assert values(world, "A4:B5") == [["z y"], ["1", "2020-01-02"]]


def test_developer_metadata_are_found_by_what_they_say(world: World) -> None:
    made = {"metadataKey": "k", "visibility": "DOCUMENT", "location": {"sheetId": 7}}
    spread = {"metadataKey": "s", "visibility": "DOCUMENT", "location": {"spreadsheet": True}}
    [one, _] = change(world, {"createDeveloperMetadata": {"developerMetadata": made}},
                      {"createDeveloperMetadata": {"developerMetadata": spread}})  # fmt: skip
    ident = one["createDeveloperMetadata"]["developerMetadata"]["metadataId"]
    lookup = {"developerMetadataLookup": {"metadataKey": "k"}}
    found = call(world, "developerMetadata.search", {"dataFilters": [lookup]})
    [match] = found["matchedDeveloperMetadata"]
    assert match["developerMetadata"]["location"] == {"locationType": "SHEET", "sheetId": 7}
    assert call(world, "developerMetadata.get", metadataId=ident)["metadataKey"] == "k"
    body = {"valueInputOption": "RAW", "data": [{"dataFilter": lookup, "values": [["v"]]}]}
    call(world, "values.batchUpdateByDataFilter", body)
    read = call(world, "values.batchGetByDataFilter", {"dataFilters": [lookup]})
    assert read["valueRanges"][0]["valueRange"]["values"] == [["v"]]
    call(world, "values.batchClearByDataFilter", {"dataFilters": [{"a1Range": "'It''s two'!A1"}]})
    shown = call(world, "getByDataFilter", {"dataFilters": [{"gridRange": {"sheetId": 7}}],
                                            "includeGridData": True})  # fmt: skip
    assert "rowData" not in shown["sheets"][0]["data"][0]
    update = {"dataFilters": [lookup], "fields": "*", "developerMetadata": {
        "metadataKey": "k", "metadataValue": "v", "visibility": "DOCUMENT"}}  # fmt: skip
    [_, gone] = change(world, {"updateDeveloperMetadata": update},
                       {"deleteDeveloperMetadata": {"dataFilter": lookup}})  # fmt: skip
    deleted = gone["deleteDeveloperMetadata"]["deletedDeveloperMetadata"]
    assert [each["metadataValue"] for each in deleted] == ["v"]
    assert call(world, "get")["developerMetadata"][0]["metadataKey"] == "s"


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"mergeCells": {"range": {**A1_B2, "startRowIndex": 1, "endRowIndex": 4}}}, "select all"),
        ({"unmergeCells": {"range": {**A1_B2, "endRowIndex": 1}}}, "select all"),
        ({"repeatCell": {"range": {"sheetId": 3}, "fields": "note"}}, "No grid with id: 3"),
        ({"repeatCell": {"range": A1_B2, "fields": "nots"}}, "Invalid field: nots"),
        ({"addNamedRange": {"namedRange": {"name": "no name", "range": A1_B2}}}, "is invalid"),
        ({"deleteNamedRange": {"namedRangeId": "9"}}, "No namedRange with id: 9"),
        ({"updateSheetProperties": {"properties": {"title": "it's TWO"}, "fields": "title"}},
         "already exists"),
        ({"addSheet": {"properties": {"sheetId": 7}}}, "ID 7 already exists"),
        ({"addSheet": {"properties": {"gridProperties": {"rowCount": 9_000_000}}}},
         "10000000 cells"),
        ({"insertDimension": {"range": span("ROWS", 0, 1), "inheritFromBefore": True}}, "inherit"),
        ({"insertDimension": {"range": span("ROWS", 9, 10)}}, "beyond the 6 rows"),
        ({"insertDimension": {"range": span("ROWS", 2, 2)}}, "must be greater"),
        ({"insertDimension": {"range": {"sheetId": 0}}}, "ROWS or COLUMNS"),
        ({"deleteDimension": {"range": span("ROWS", 0, 6)}}, "delete all the rows"),
        ({"deleteDimension": {"range": span("COLUMNS", 8, 9)}}, "there are 5 columns"),
        ({"moveDimension": {"source": span("ROWS", 0, 3), "destinationIndex": 1}}, "inside"),
        ({"deleteDimensionGroup": {"range": span("ROWS", 0, 1)}}, "no group"),
        ({"updateDimensionGroup": {"dimensionGroup": {"range": span("ROWS", 0, 1)},
                                   "fields": "collapsed"}}, "No dimension group"),
        ({"deleteConditionalFormatRule": {"sheetId": 0}}, "No conditional format"),
        ({"addConditionalFormatRule": {"rule": {"ranges": [A1_B2]}, "index": 4}}, "beyond the 0"),
        ({"findReplace": {"find": "(", "searchByRegex": True}}, "not emulated"),
        ({"findReplace": {}}, "must not be empty"),
        ({"copyPaste": {"pasteType": "PASTE_CONDITIONAL_FORMATTING"}}, "not emulated"),
        ({"pasteData": {"html": True}}, "not emulated"),
        ({"pasteData": {"delimiter": "ab"}}, "one character"),
        ({"textToColumns": {"source": A1_B2}}, "one column"),
        ({"sortRange": {"range": A1_B2, "sortSpecs": [{"dimensionIndex": 3}]}}, "inside"),
        ({"updateCells": {"range": A1, "fields": "note", "rows": [{}, {}]}}, "more cells"),
        ({"createDeveloperMetadata": {"developerMetadata": {"metadataKey": "k"}}}, "visibility"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_its_number_and_kind(
    world: World, request_: JsonObject, text: str
) -> None:
    change(world, {"mergeCells": {"range": A1_B2}})
    body = {"requests": [{"addSheet": {}}, request_]}
    error = refused(API, world, "sheets.spreadsheets.batchUpdate", {"spreadsheetId": "b"}, body)
    [kind] = request_
    assert error.message.startswith(f"Invalid requests[1].{kind}: ")
    assert (error.status, text in error.message) == (400, True), error.message


def test_every_kind_of_request_is_one_of_the_document_and_told() -> None:

    page = (ROOT / "docs/reference/spreadsheets.md").read_text(encoding="utf-8")
    assert {name for name in [*REQUESTS, *FUNCTIONS] if f"`{name}`" not in page} == set()
    document = json.loads(installed_documents().read("sheets", "v4") or b"")
    assert set(REQUESTS) <= set(document["schemas"]["Request"]["properties"])
