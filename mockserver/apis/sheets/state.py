"""Spreadsheets of fixtures and of Drive, and ranges of cells in A1 notation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from typing_extensions import override

from mockserver.googleapi import ApiError, Call, invalid, nearest, not_found
from mockserver.model import Json, JsonObject, Miss
from mockserver.state import World, rfc3339

_SHEET = re.compile(r"^(?:'((?:[^']|'')*)'|([^'!]+))!(.*)$", re.DOTALL)
_CORNER = re.compile(r"^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,7})?$")


@dataclass(frozen=True)
class Range:
    """A rectangle of cells, counted from 0; what ends nowhere ends with the sheet.

    Attributes:
        sheet: Title of the sheet.
        top: First row.
        left: First column.
        bottom: The row after the last, or None.
        right: The column after the last, or None.
        text: Its corners in A1 notation as asked for, or an empty string for a whole sheet.
    """

    sheet: str
    top: int = 0
    left: int = 0
    bottom: int | None = None
    right: int | None = None
    text: str = ""

    @property
    def is_cell(self) -> bool:
        """Whether it is one cell, which for a write is where it begins."""
        return self.bottom == self.top + 1 and self.right == self.left + 1

    def within(self, rows: int, columns: int) -> "Range":
        """The range with its ends, on a sheet of so many rows and columns."""
        bottom = rows if self.bottom is None else self.bottom
        right = columns if self.right is None else self.right
        return Range(self.sheet, self.top, self.left, bottom, right, self.text)

    @override
    def __str__(self) -> str:
        sheet = self.sheet if re.fullmatch(r"\w+", self.sheet) else _quote_sheet(self.sheet)
        if self.bottom is None or self.right is None:
            return sheet
        first = f"{column_name(self.left)}{self.top + 1}"
        if self.is_cell:
            return f"{sheet}!{first}"
        return f"{sheet}!{first}:{column_name(self.right - 1)}{self.bottom}"


def parse_range(text: str, sheets: Sequence[str]) -> Range:
    """A range of a request.

    Args:
        text: `Sheet1!A1:B2`, `A:C`, `'My sheet'!A2`, `Sheet1`.
        sheets: Titles of the sheets, the first of which is meant where none is named.

    Raises:
        ApiError: 400; no range, or of a sheet that is not there.
    """
    found = _SHEET.match(text)
    if found is None and text in sheets:
        return Range(text)
    if found:
        sheet, corners = (found[1] or found[2]).replace("''", "'"), found[3]
    else:
        sheet, corners = (sheets[0] if sheets else ""), text
    if sheet not in sheets:
        raise _bad_range(text)
    first, colon, last = corners.partition(":")
    start, end = _CORNER.match(first), _CORNER.match(last or first)
    if start is None or end is None or not first or (colon and not last):
        raise _bad_range(text)
    if not colon and (start[1] is None or start[2] is None):
        raise _bad_range(text)  # `A` alone would be a named range
    top, bottom = (int(each[2]) if each[2] else None for each in (start, end))
    left, right = (column_number(each[1]) if each[1] else None for each in (start, end))
    rows = sorted(each for each in (top, bottom) if each is not None)
    columns = sorted(each for each in (left, right) if each is not None)
    return Range(
        sheet,
        top=rows[0] - 1 if rows else 0,
        left=columns[0] if columns else 0,
        bottom=bottom if bottom is None else rows[-1],
        right=right if right is None else columns[-1] + 1,
        text=corners,
    )


def column_number(name: str) -> int:
    """The number of a column, from 0.

    >>> [column_number(name) for name in ("A", "Z", "AA")]
    [0, 25, 26]
    """
    number = 0
    for letter in name.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def column_name(number: int) -> str:
    """The name of a column, counted from 0.

    >>> [column_name(number) for number in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    name = ""
    while number >= 0:
        number, letter = divmod(number, 26)
        name = chr(ord("A") + letter) + name
        number -= 1
    return name


def _quote_sheet(sheet: str) -> str:
    return "'" + sheet.replace("'", "''") + "'"


def _bad_range(text: str) -> ApiError:
    return invalid(f"Unable to parse range: {text}")


SPREADSHEETS, VALUES = "sheets:v4/spreadsheets", "sheets:v4/values"
"""Tables of `resources`, by path."""
FILES = "drive:v3/files"
MIME_TYPE = "application/vnd.google-apps.spreadsheet"
ROWS, COLUMNS = 1000, 26

Grid = list[list[Json]]
"""Rows of values, each as it was entered: text, number, boolean, None for nothing."""

_ENTERED = ("numberValue", "stringValue", "boolValue", "formulaValue")


def find_file(world: World, ident: str) -> JsonObject | None:
    """The spreadsheet's file in Drive, or None."""
    for row in world.table(FILES).rows().values():
        if row.get("id") == ident and row.get("mimeType") == MIME_TYPE:
            return row
    return None


def rename_file(call: Call, ident: str, title: str) -> None:
    """Give a spreadsheet's file in Drive, where there is one, another name."""
    file = find_file(call.world, ident)
    for key, row in call.world.table(FILES).rows().items():
        if row is file:
            now = rfc3339(call.world.clock.now())
            call.world.put(FILES, key, {**row, "name": title, "modifiedTime": now})
            return


def find_spreadsheet(call: Call) -> JsonObject:
    """The spreadsheet that a call names, in the API's form.

    Raises:
        ApiError: 404; there is none of this id. 501 where the session holds nothing of the kind.
    """
    ident = str(call.params["spreadsheetId"])
    world = call.world
    row = _own_spreadsheets(world).get(ident)
    file = find_file(world, ident)
    if row is None and file is None:
        files = world.table(FILES).rows().values()
        known = [*_own_spreadsheets(world), *(str(each.get("id", "")) for each in files)]
        if not known and not {"sheets:v4", "drive:v3"} & set(world.table("resources").rows()):
            raise _spreadsheet_not_found(call, ident)
        raise not_found(name=ident, nearest=nearest(ident, known))
    if row is None:
        return {
            "spreadsheetId": ident,
            "properties": {"title": (file or {}).get("name", "Untitled spreadsheet")},
            "sheets": [new_sheet("Sheet1", 0, 0)],
        }
    return _complete_spreadsheet(row, ident, file)


def _complete_spreadsheet(row: JsonObject, ident: str, file: JsonObject | None) -> JsonObject:
    """A spreadsheet with the fields that a fixture may leave out, and its file's name as title."""
    properties = {"title": "Untitled spreadsheet", **row.get("properties", {})}
    if file is not None:
        properties["title"] = file.get("name", properties["title"])
    sheets = [
        {**sheet, "properties": {**new_sheet(f"Sheet{number + 1}", number, number)["properties"],
                                 **sheet.get("properties", {})}}
        for number, sheet in enumerate(row.get("sheets") or [{}])
    ]  # fmt: skip
    return {**row, "spreadsheetId": ident, "properties": properties, "sheets": sheets}


def _own_spreadsheets(world: World) -> dict[str, JsonObject]:
    """The spreadsheets that are not Drive's alone, by id."""
    found = {}
    for key, row in world.table(SPREADSHEETS).rows().items():
        found[str(row.get("spreadsheetId") or key.rpartition("/")[2])] = row
    return found


def _spreadsheet_not_found(call: Call, ident: str) -> ApiError:
    held = {
        "spreadsheets": [{"spreadsheetId": ident}],
        "values": [{"spreadsheetId": ident, "range": "Sheet1!A1:B1", "values": [["a", "b"]]}],
    }
    fixture = orjson.dumps({"resources": {"sheets:v4": held}}).decode()
    text = f"nothing in this session's snapshot answers {call.id}. A fixture that would: {fixture}"
    miss = Miss(blame="fixture_gap", reason=f"no fixture for {call.id}")
    return ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED", miss=miss)


def new_sheet(title: str, ident: int, index: int) -> JsonObject:
    """An empty sheet."""
    grid = {"rowCount": ROWS, "columnCount": COLUMNS}
    return {
        "properties": {
            "sheetId": ident,
            "title": title,
            "index": index,
            "sheetType": "GRID",
            "gridProperties": grid,
        }
    }


def put_spreadsheet(world: World, row: JsonObject) -> None:
    """Keep a spreadsheet."""
    ident = row["spreadsheetId"]
    for key, each in world.table(SPREADSHEETS).rows().items():
        if each.get("spreadsheetId", key.rpartition("/")[2]) == ident:
            world.put(SPREADSHEETS, key, row)
            return
    world.put(SPREADSHEETS, f"spreadsheets/{ident}", row)


def sheet_titles(row: JsonObject) -> list[str]:
    """The titles of a spreadsheet's sheets, in order."""
    return [str(sheet["properties"]["title"]) for sheet in row["sheets"]]


def read_range(row: JsonObject, text: str) -> Range:
    """A range of a spreadsheet with its ends.

    Raises:
        ApiError: 400; no range, or beyond the sheet.
    """
    asked = parse_range(text, sheet_titles(row))
    grid = _properties(row, asked.sheet)["gridProperties"]
    rows, columns = int(grid["rowCount"]), int(grid["columnCount"])
    if asked.top >= rows or asked.left >= columns:
        raise invalid(
            f"Range ({text}) exceeds grid limits. Max rows: {rows}, max columns: {columns}"
        )
    bounded = asked.within(rows, columns)
    return Range(
        bounded.sheet,
        bounded.top,
        bounded.left,
        min(bounded.bottom or rows, rows),
        min(bounded.right or columns, columns),
    )


def _properties(row: JsonObject, title: str) -> JsonObject:
    sheet = next(each for each in row["sheets"] if each["properties"]["title"] == title)
    properties: JsonObject = sheet["properties"]
    return properties


def grid_of(world: World, row: JsonObject, title: str) -> Grid:
    """The values of a sheet: of its grid data, and of the fixtures that hold ranges alone."""
    sheet = next(each for each in row["sheets"] if each["properties"]["title"] == title)
    grid: Grid = []
    for block in sheet.get("data", ()):
        lines = block.get("rowData", ())
        cells = [[_entered_value(cell) for cell in line.get("values", ())] for line in lines]
        put_cells(grid, cells, block.get("startRow", 0), block.get("startColumn", 0))
    if "data" in sheet:
        return grid
    for key, each in world.table(VALUES).rows().items():
        owner = each.get("spreadsheetId") or key.split("/")[1]
        if owner not in {row["spreadsheetId"], "-"}:
            continue
        text = str(each.get("range", "A1"))
        try:
            place = parse_range(text, sheet_titles(row))
        except ApiError as error:
            said = f"the snapshot holds values of {text!r}, a sheet that {owner!r} does not have"
            raise ApiError(501, said, reason="notImplemented", code_name="UNIMPLEMENTED") from error
        if place.sheet == title:
            put_cells(grid, turned_to_rows(each), place.top, place.left)
    return grid


def with_own_values(world: World, row: JsonObject) -> JsonObject:
    """A spreadsheet that holds its values itself, so that its sheets may change their names."""
    for title in sheet_titles(row):
        row = with_grid(row, title, grid_of(world, row, title))
    return row


def turned_to_rows(values: Mapping[str, Any]) -> Grid:
    """The values of a `ValueRange`, row by row."""
    rows: Grid = [list(line) for line in values.get("values") or ()]
    if values.get("majorDimension") == "COLUMNS":
        deepest = max(map(len, rows), default=0)
        return [[line[n] if n < len(line) else None for line in rows] for n in range(deepest)]
    return rows


def put_cells(grid: Grid, cells: Sequence[Sequence[Json]], top: int, left: int) -> int:
    """Put values into a grid that is ours; None leaves a cell as it is. Returns how many were."""
    count = 0
    for down, line in enumerate(cells):
        while len(grid) <= top + down:
            grid.append([])
        row = grid[top + down]
        for across, value in enumerate(line):
            if value is None:
                continue
            row += [None] * (left + across + 1 - len(row))
            row[left + across] = None if value == "" else value
            count += 1
    return count


def with_grid(row: JsonObject, title: str, grid: Grid) -> JsonObject:
    """A spreadsheet whose sheet holds these values."""
    lines = [{"values": [_make_cell(value) for value in line]} for line in grid]
    sheets = [
        {**sheet, "data": [{"rowData": lines}]} if sheet["properties"]["title"] == title else sheet
        for sheet in row["sheets"]
    ]
    return {**row, "sheets": sheets}


def _entered_value(cell: JsonObject) -> Json:
    entered = cell.get("userEnteredValue") or cell.get("effectiveValue") or {}
    for name in _ENTERED:
        if name in entered:
            return entered[name]
    return cell.get("formattedValue")


def _make_cell(value: Json) -> JsonObject:
    if value is None:
        return {}
    if is_formula(value):
        return {"userEnteredValue": {"formulaValue": value}}
    kind = "boolValue" if isinstance(value, bool) else (
        "numberValue" if isinstance(value, int | float) else "stringValue"
    )  # fmt: skip
    entered = {kind: value}
    return {
        "userEnteredValue": entered,
        "effectiveValue": entered,
        "formattedValue": format_value(value),
    }


def is_formula(value: Json) -> bool:
    """Whether a value is a formula, which nothing here computes."""
    return isinstance(value, str) and len(value) > 1 and value.startswith("=")


def format_value(value: Json) -> str:
    """A value as a sheet shows it without a format of its own.

    >>> [format_value(value) for value in (True, 5.0, 2.5, "x", None)]
    ['TRUE', '5', '2.5', 'x', '']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
