"""`spreadsheets.values.*`: reading and writing ranges."""

import re
from collections.abc import Mapping

from mockserver.apis.sheets.state import (
    Grid,
    Range,
    column_name,
    find_spreadsheet,
    format_value,
    grid_of,
    is_formula,
    put_cells,
    put_spreadsheet,
    read_range,
    turned_to_rows,
    with_grid,
)
from mockserver.googleapi import ApiError, Call, Handler, invalid
from mockserver.model import Json, JsonObject

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_INPUT = frozenset({"RAW", "USER_ENTERED"})


def _get_values(call: Call) -> JsonObject:
    return _read_values(call, find_spreadsheet(call), str(call.params["range"]))


def _get_many_ranges(call: Call) -> JsonObject:
    row = find_spreadsheet(call)
    found = [_read_values(call, row, str(each)) for each in call.params.get("ranges", ())]
    return {"spreadsheetId": row["spreadsheetId"], "valueRanges": found}


def _read_values(call: Call, row: JsonObject, text: str) -> JsonObject:
    place = read_range(row, text)
    grid = grid_of(call.world, row, place.sheet)
    option = str(call.params.get("valueRenderOption", "FORMATTED_VALUE"))
    lines = _cut_grid(grid, place)
    shown = [[_render_value(value, option, place) for value in line] for line in lines]
    by_columns = call.params.get("majorDimension") == "COLUMNS"
    if by_columns:
        deepest = max(map(len, shown), default=0)
        shown = [[line[n] if n < len(line) else "" for line in shown] for n in range(deepest)]
    shown = _trim_rows(shown)
    answer: JsonObject = {
        "range": str(place),
        "majorDimension": "COLUMNS" if by_columns else "ROWS",
    }
    return {**answer, **({"values": shown} if shown else {})}


def _cut_grid(grid: Grid, place: Range) -> Grid:
    return [line[place.left : place.right] for line in grid[place.top : place.bottom]]


def _render_value(value: Json, option: str, place: Range) -> Json:
    if is_formula(value) and option != "FORMULA":
        text = (
            f"{place} holds the formula {value!r}, and formulas are not computed: hold its value"
            " in the snapshot, or ask for valueRenderOption=FORMULA"
        )
        raise ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
    return format_value(value) if option == "FORMATTED_VALUE" or value is None else value


def _trim_rows(lines: Grid) -> Grid:
    """Lines without what is empty at their ends, as the API leaves it out."""
    found = []
    for line in lines:
        while line and line[-1] == "":
            line = line[:-1]
        found.append(line)
    while found and not found[-1]:
        found.pop()
    return found


def _enter_value(value: Json, option: str) -> Json:
    """A value of a request as a cell keeps it."""
    if option == "RAW" or not isinstance(value, str):
        return value
    if value.upper() in {"TRUE", "FALSE"}:
        return value.upper() == "TRUE"
    if _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return int(number) if number.is_integer() and "e" not in value.lower() else number
    return value.removeprefix("'")


def _read_option(value: object) -> str:
    if value not in _INPUT:
        raise invalid("'valueInputOption' is required but not specified")
    return str(value)


def _update_values(call: Call) -> JsonObject:
    row = find_spreadsheet(call)
    option = _read_option(call.params.get("valueInputOption"))
    row, answer = _write_values(call, row, call.body, str(call.params["range"]), option)
    put_spreadsheet(call.world, row)
    return answer


def _update_many_ranges(call: Call) -> JsonObject:
    """Answers `values.batchUpdate`: all ranges, or none."""
    row = find_spreadsheet(call)
    option = _read_option(call.body.get("valueInputOption"))
    answers = []
    for each in call.body.get("data") or ():
        row, answer = _write_values(call, row, each, str(each.get("range", "")), option)
        answers.append(answer)
    put_spreadsheet(call.world, row)
    totals = {
        f"totalUpdated{name}": sum(each.get(f"updated{name}", 0) for each in answers)
        for name in ("Rows", "Columns", "Cells")
    }
    sheets = {str(each["updatedRange"]).rpartition("!")[0] for each in answers}
    return {
        "spreadsheetId": row["spreadsheetId"],
        **totals,
        "totalUpdatedSheets": len(sheets),
        "responses": answers,
    }


def _write_values(
    call: Call, row: JsonObject, values: Mapping[str, Json], text: str, option: str
) -> tuple[JsonObject, JsonObject]:
    """The spreadsheet with values put into a range, and the answer about it.

    Raises:
        ApiError: 400; no range, or more values than it has room for.
    """
    place = read_range(row, text)
    cells = [[_enter_value(value, option) for value in line] for line in turned_to_rows(values)]
    return _put_values(call, row, place, cells)


def _put_values(
    call: Call, row: JsonObject, place: Range, cells: Grid
) -> tuple[JsonObject, JsonObject]:
    rows, columns = len(cells), max(map(len, cells), default=0)
    room = (place.bottom or 0) - place.top, (place.right or 0) - place.left
    if not place.is_cell and (rows > room[0] or columns > room[1]):
        over = (
            f"row [{place.top + rows}]"
            if rows > room[0]
            else f"column [{column_name(place.left + columns - 1)}]"
        )
        raise invalid(f"Requested writing within range [{place}], but tried writing to {over}")
    grid = [list(line) for line in grid_of(call.world, row, place.sheet)]
    count = put_cells(grid, cells, place.top, place.left)
    answer: JsonObject = {"spreadsheetId": row["spreadsheetId"]}
    ends = Range(place.sheet, place.top, place.left, place.top + rows, place.left + columns)
    answer["updatedRange"] = str(ends if rows and columns else place)
    if count:
        answer |= {"updatedRows": rows, "updatedColumns": columns, "updatedCells": count}
    after = with_grid(row, place.sheet, grid)
    if call.params.get("includeValuesInResponse") and rows and columns:
        answer["updatedData"] = _read_values(call, after, str(ends))
    return after, answer


def _append_values(call: Call) -> JsonObject:
    """Answers `values.append`: below the last row of the sheet that holds anything."""
    row = find_spreadsheet(call)
    option = _read_option(call.params.get("valueInputOption"))
    asked = read_range(row, str(call.params["range"]))
    grid = grid_of(call.world, row, asked.sheet)
    used = [n for n, line in enumerate(grid) if any(value is not None for value in line)]
    below = max(used) + 1 if used else asked.top
    cells = [[_enter_value(value, option) for value in line] for line in turned_to_rows(call.body)]
    first = Range(asked.sheet, below, asked.left, below + 1, asked.left + 1)
    row, answer = _put_values(call, row, first, cells)
    put_spreadsheet(call.world, row)
    made: JsonObject = {"spreadsheetId": row["spreadsheetId"], "updates": answer}
    if used:
        widest = max(len(grid[n]) for n in used)
        made["tableRange"] = str(Range(asked.sheet, min(used), asked.left, below, widest))
    return made


def _clear_values(call: Call) -> JsonObject:
    row, place = _clear_range(call, find_spreadsheet(call), str(call.params["range"]))
    put_spreadsheet(call.world, row)
    return {"spreadsheetId": row["spreadsheetId"], "clearedRange": str(place)}


def _clear_many_ranges(call: Call) -> JsonObject:
    row, places = find_spreadsheet(call), []
    for text in call.body.get("ranges") or ():
        row, place = _clear_range(call, row, str(text))
        places.append(str(place))
    put_spreadsheet(call.world, row)
    return {"spreadsheetId": row["spreadsheetId"], "clearedRanges": places}


def _clear_range(call: Call, row: JsonObject, text: str) -> tuple[JsonObject, Range]:
    place = read_range(row, text)
    grid = [list(line) for line in grid_of(call.world, row, place.sheet)]
    for line in grid[place.top : place.bottom]:
        line[place.left : place.right] = [None] * len(line[place.left : place.right])
    return with_grid(row, place.sheet, grid), place


_VALUES = "sheets.spreadsheets.values"

VALUE_HANDLERS: Mapping[str, Handler] = {
    f"{_VALUES}.get": _get_values,
    f"{_VALUES}.batchGet": _get_many_ranges,
    f"{_VALUES}.update": _update_values,
    f"{_VALUES}.batchUpdate": _update_many_ranges,
    f"{_VALUES}.append": _append_values,
    f"{_VALUES}.clear": _clear_values,
    f"{_VALUES}.batchClear": _clear_many_ranges,
}
