"""Methods of the Sheets API: Discovery id to handler. Source: Discovery document and its guides."""

from collections.abc import Mapping, Sequence

from mockserver.apis.sheets.book import Book, Sheet, sheet_of
from mockserver.apis.sheets.cell_requests import CELL_REQUESTS
from mockserver.apis.sheets.object_requests import OBJECT_REQUESTS, all_metadata, found_metadata
from mockserver.apis.sheets.ranges import Area
from mockserver.apis.sheets.sheet_requests import SHEET_REQUESTS, Request, add_copy
from mockserver.apis.sheets.state import FILES, open_book, save_book
from mockserver.apis.sheets.values import VALUE_HANDLERS, ranges_of
from mockserver.googleapi import Call, Handler, not_found
from mockserver.googleapi.batch_updates import apply_requests
from mockserver.model import JsonObject

_URL = "https://docs.google.com/spreadsheets/d/{}/edit"
_PIXELS = {"ROWS": 21, "COLUMNS": 100}

REQUESTS: Mapping[str, Request] = {**SHEET_REQUESTS, **CELL_REQUESTS, **OBJECT_REQUESTS}
"""Kind of a request of `batchUpdate` to what does it."""


def _create_spreadsheet(call: Call) -> JsonObject:
    """Answers `spreadsheets.create`: the file is in Drive, too."""
    given = call.body.get("properties") or {}
    title = str(given.get("title") or "Untitled spreadsheet")
    book = open_book(call, FILES.create(call, title))
    book.row["properties"] |= {**given, "title": title}
    if call.body.get("namedRanges"):
        book.row["namedRanges"] = call.body["namedRanges"]
    sheets = call.body.get("sheets") or [{}]
    book.sheets = [sheet_of(each, number) for number, each in enumerate(sheets)]
    save_book(call.world, book)
    return _answer(call, book)


def _get_spreadsheet(call: Call) -> JsonObject:
    book = open_book(call)
    ranges = [book.read_range(str(each)) for each in call.params.get("ranges", ())]
    with_data = call.params.get("includeGridData") is True
    if call.mask is not None:
        with_data = call.mask.selects("sheets", "data")
    return _answer(call, book, ranges or None, with_data=with_data)


def _get_by_filter(call: Call) -> JsonObject:
    book = open_book(call)
    filters = call.body.get("dataFilters") or ()
    ranges = [place for each in filters for place in ranges_of(book, each)]
    with_data = call.body.get("includeGridData") is True
    return _answer(call, book, ranges if filters else None, with_data=with_data)


def _answer(
    call: Call,
    book: Book,
    ranges: Sequence[tuple[Sheet, Area]] | None = None,
    *,
    with_data: bool = False,
) -> JsonObject:
    """A spreadsheet as answered.

    Args:
        call: The call.
        book: The spreadsheet.
        ranges: Ranges whose sheets alone are shown; None for all.
        with_data: Whether cells are shown, of the ranges where there are any.
    """
    answer = {**book.row, "spreadsheetUrl": _URL.format(book.ident)}
    sheets = []
    for index, sheet in enumerate(book.sheets):
        if ranges is not None and all(each is not sheet for each, _ in ranges):
            continue
        shown = {"properties": {**sheet.properties, "index": index}, **sheet.further}
        if with_data:
            areas = [area for each, area in ranges if each is sheet] if ranges else [sheet.area]
            shown["data"] = [_grid_data(book, sheet, area) for area in areas]
        sheets.append(shown)
    further = {name: answer.pop(name) for name in ("namedRanges", "developerMetadata")
               if answer.get(name)}  # fmt: skip
    ident, properties = answer.pop("spreadsheetId"), answer.pop("properties")
    return {"spreadsheetId": ident, "properties": properties, "sheets": sheets, **further, **answer}


def _grid_data(book: Book, sheet: Sheet, area: Area) -> JsonObject:
    lines: list[JsonObject] = []
    for row in range(area.top, min(area.bottom, len(sheet.lines))):
        columns = range(area.left, min(area.right, len(sheet.cells(row))))
        cells = [book.cell_data(sheet, row, column) for column in columns]
        while cells and not cells[-1]:
            cells.pop()
        lines.append({"values": cells} if cells else {})
    while lines and not lines[-1]:
        lines.pop()
    data: JsonObject = {"startRow": area.top} if area.top else {}
    data |= {"startColumn": area.left} if area.left else {}
    data |= {"rowData": lines} if lines else {}
    spans = (("ROWS", "rowMetadata", area.top, area.bottom),
             ("COLUMNS", "columnMetadata", area.left, area.right))  # fmt: skip
    for dimension, name, start, end in spans:
        held = sheet.dimensions[dimension]  # type: ignore[index]
        usual = {"pixelSize": _PIXELS[dimension]}
        data[name] = [{**usual, **(held[n] if n < len(held) else {})} for n in range(start, end)]
    return data


def _update_spreadsheet(call: Call) -> JsonObject:
    """Answers `spreadsheets.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that does not fit, 501 for a kind that is not emulated.
    """
    book = open_book(call)
    replies = apply_requests(call, REQUESTS, book, book.check_size)
    save_book(call.world, book)
    answer: JsonObject = {"spreadsheetId": book.ident, "replies": replies}
    if call.body.get("includeSpreadsheetInResponse"):
        texts = call.body.get("responseRanges") or ()
        ranges = [book.read_range(str(each)) for each in texts]
        with_data = call.body.get("responseIncludeGridData") is True
        answer["updatedSpreadsheet"] = _answer(call, book, ranges or None, with_data=with_data)
    return answer


def _copy_sheet(call: Call) -> JsonObject:
    """Answers `sheets.copyTo`: the sheet is the last of the other spreadsheet."""
    source = open_book(call).sheet(int(call.params["sheetId"]))
    target = open_book(call, str(call.body.get("destinationSpreadsheetId") or ""))
    properties = add_copy(target, source)
    save_book(call.world, target)
    return properties


def _get_metadata(call: Call) -> JsonObject:
    ident = int(call.params["metadataId"])
    for _, each in all_metadata(open_book(call)):
        if each["metadataId"] == ident:
            return each
    raise not_found(name=str(ident))


def _search_metadata(call: Call) -> JsonObject:
    book = open_book(call)
    found = [
        {"developerMetadata": each, "dataFilters": [data_filter]}
        for data_filter in call.body.get("dataFilters") or ()
        for _, each in found_metadata(book, data_filter)
    ]
    return {"matchedDeveloperMetadata": found} if found else {}


_SPREADSHEETS = "sheets.spreadsheets"

HANDLERS: Mapping[str, Handler] = {
    f"{_SPREADSHEETS}.create": _create_spreadsheet,
    f"{_SPREADSHEETS}.get": _get_spreadsheet,
    f"{_SPREADSHEETS}.getByDataFilter": _get_by_filter,
    f"{_SPREADSHEETS}.batchUpdate": _update_spreadsheet,
    f"{_SPREADSHEETS}.sheets.copyTo": _copy_sheet,
    f"{_SPREADSHEETS}.developerMetadata.get": _get_metadata,
    f"{_SPREADSHEETS}.developerMetadata.search": _search_metadata,
    **VALUE_HANDLERS,
}
