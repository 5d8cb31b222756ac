"""Methods of the Sheets API: Discovery id to handler. Source: Discovery document and its guides."""

from collections.abc import Callable, Mapping

from mockserver.apis.sheets.state import (
    MIME_TYPE,
    find_spreadsheet,
    grid_of,
    new_sheet,
    put_spreadsheet,
    read_range,
    rename_file,
    sheet_titles,
    with_grid,
    with_own_values,
)
from mockserver.apis.sheets.values import VALUE_HANDLERS
from mockserver.googleapi import ApiError, Call, Handler, invalid
from mockserver.model import JsonObject

_URL = "https://docs.google.com/spreadsheets/d/{}/edit"
_TITLE = "Untitled spreadsheet"


def _create_spreadsheet(call: Call) -> JsonObject:
    """Answers `spreadsheets.create`: the file is in Drive, too."""
    title = str((call.body.get("properties") or {}).get("title") or _TITLE)
    file = call.ask("drive.files.create", {}, {"name": title, "mimeType": MIME_TYPE})
    given = call.body.get("sheets") or [{}]
    sheets = []
    for number, each in enumerate(given):
        made = new_sheet(f"Sheet{number + 1}", number, number)
        own = {**made["properties"], **(each.get("properties") or {})}
        sheets.append({**made, **each, "properties": own})
    row = {
        "spreadsheetId": file["id"],
        "properties": {"locale": "en_US", **(call.body.get("properties") or {}), "title": title},
        "sheets": sheets,
    }
    put_spreadsheet(call.world, row)
    return _spreadsheet_answer(call, row)


def _get_spreadsheet(call: Call) -> JsonObject:
    return _spreadsheet_answer(call, find_spreadsheet(call))


def _spreadsheet_answer(call: Call, row: JsonObject) -> JsonObject:
    """A spreadsheet as answered: with its values where they are asked for."""
    wanted = [read_range(row, str(each)).sheet for each in call.params.get("ranges", ())]
    shown = {**row, "spreadsheetUrl": _URL.format(row["spreadsheetId"])}
    if call.params.get("includeGridData"):
        if wanted:
            call.ignored.append("ranges (whole sheets are answered)")
        for title in sheet_titles(row):
            shown = with_grid(shown, title, grid_of(call.world, row, title))
    else:
        shown["sheets"] = [
            {name: value for name, value in sheet.items() if name != "data"}
            for sheet in row["sheets"]
        ]
    if wanted:
        shown["sheets"] = [
            sheet for sheet in shown["sheets"] if sheet["properties"]["title"] in wanted
        ]
    return shown


def _apply_requests(call: Call) -> JsonObject:
    """Answers `spreadsheets.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that does not fit, 501 for a kind that is not emulated.
    """
    row = with_own_values(call.world, find_spreadsheet(call))
    replies: list[JsonObject] = []
    renames: list[str] = []
    for request in call.body.get("requests") or ():
        for kind, asked in request.items():
            if kind == "updateSpreadsheetProperties":
                renames.append(str(asked.get("properties", {}).get("title", "")))
                replies.append({})
                continue
            if kind not in _REQUESTS:
                text = (
                    f"the request {kind!r} of {call.id} is not emulated; those that are:"
                    f" {', '.join(sorted((*_REQUESTS, 'updateSpreadsheetProperties')))}"
                )
                raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
            row, reply = _REQUESTS[kind](row, asked)
            replies.append(reply)
    for title in filter(None, renames):
        row = {**row, "properties": {**row["properties"], "title": title}}
        rename_file(call, row["spreadsheetId"], title)
    put_spreadsheet(call.world, row)
    answer: JsonObject = {"spreadsheetId": row["spreadsheetId"], "replies": replies}
    if call.body.get("includeSpreadsheetInResponse"):
        answer["updatedSpreadsheet"] = _spreadsheet_answer(call, row)
    return answer


def _add_sheet(row: JsonObject, request: JsonObject) -> tuple[JsonObject, JsonObject]:
    known = [sheet["properties"]["sheetId"] for sheet in row["sheets"]]
    given = request.get("properties") or {}
    title = str(given.get("title") or f"Sheet{len(known) + 1}")
    if title in sheet_titles(row):
        text = f'A sheet with the name "{title}" already exists. Please enter another name.'
        raise invalid(f"Invalid requests[0].addSheet: {text}")
    ident = int(given.get("sheetId", max(known, default=-1) + 1))
    made = new_sheet(title, ident, len(known))
    made["properties"] |= {name: value for name, value in given.items() if name != "index"}
    after = {**row, "sheets": [*row["sheets"], made]}
    return after, {"addSheet": {"properties": made["properties"]}}


def _delete_sheet(row: JsonObject, request: JsonObject) -> tuple[JsonObject, JsonObject]:
    place = _sheet_index(row, request.get("sheetId", 0))
    if len(row["sheets"]) == 1:
        raise invalid("You can't remove all the sheets in a document.")
    left = [sheet for number, sheet in enumerate(row["sheets"]) if number != place]
    return {**row, "sheets": left}, {}


def _change_sheet(row: JsonObject, request: JsonObject) -> tuple[JsonObject, JsonObject]:
    given = request.get("properties") or {}
    place = _sheet_index(row, given.get("sheetId", 0))
    mask = {name.strip().partition(".")[0] for name in str(request.get("fields", "")).split(",")}
    names = set(given) if "*" in mask else mask & set(given)
    if not names:
        raise invalid("At least one field must be listed in 'fields'. (use '*' to indicate all)")
    sheets = list(row["sheets"])
    changed = {name: given[name] for name in sorted(names)}
    own = {**sheets[place]["properties"], **changed}
    sheets[place] = {**sheets[place], "properties": own}
    return {**row, "sheets": sheets}, {}


def _sheet_index(row: JsonObject, ident: object) -> int:
    for number, sheet in enumerate(row["sheets"]):
        if sheet["properties"]["sheetId"] == ident:
            return number
    raise invalid(f"No sheet with id: {ident}")


_REQUESTS: Mapping[str, Callable[[JsonObject, JsonObject], tuple[JsonObject, JsonObject]]] = {
    "addSheet": _add_sheet,
    "deleteSheet": _delete_sheet,
    "updateSheetProperties": _change_sheet,
}

HANDLERS: Mapping[str, Handler] = {
    "sheets.spreadsheets.create": _create_spreadsheet,
    "sheets.spreadsheets.get": _get_spreadsheet,
    "sheets.spreadsheets.batchUpdate": _apply_requests,
    **VALUE_HANDLERS,
}
