"""Where spreadsheets are: in tables of their own, in fixtures of ranges, and as files of Drive."""

from collections.abc import Mapping
from typing import Any

import orjson

from mockserver.apis.sheets.book import SPREADSHEET_DEFAULTS, Book, Sheet, enter_value, sheet_of
from mockserver.apis.sheets.ranges import parse_range
from mockserver.collections import Index
from mockserver.googleapi import ApiError, Call, nearest, not_found
from mockserver.googleapi.editor_files import EditorFiles
from mockserver.model import Json, Miss
from mockserver.state import World

SPREADSHEETS, VALUES = "sheets:v4/spreadsheets", "sheets:v4/values"
"""Tables of `resources`, by path."""

Grid = list[list[Json]]
"""Rows of values, each as it was entered: text, number, boolean, None for what stays as it is."""


_BY_OWNER = Index(lambda key, row: (str(row.get("spreadsheetId") or key.split("/")[1]),))


def open_book(call: Call, ident: str = "") -> Book:
    """The spreadsheet that a call names.

    Args:
        call: The call.
        ident: The id of another one, instead.

    Raises:
        ApiError: 404; there is none of this id. 501 where the session holds nothing of the kind.
    """
    ident, world = ident or str(call.params["spreadsheetId"]), call.world
    row, file = FILES.open(call, ident)
    given = row or {}
    properties = {**SPREADSHEET_DEFAULTS, **given.get("properties", {})}
    if file is not None:
        properties["title"] = file.get("name", properties["title"])
    kept = {**given, "spreadsheetId": ident, "properties": properties}
    held = kept.pop("sheets", None) or [{}]
    sheets = [sheet_of(each, number) for number, each in enumerate(held)]
    book = Book(world, kept, sheets, call.caller.email)
    for sheet, each in zip(book.sheets, held, strict=True):
        if "data" not in each:
            _fill_from_values(book, sheet)
    return book


def _fill_from_values(book: Book, sheet: Sheet) -> None:
    """Put the values of fixtures of ranges into a sheet."""
    for owner in (book.ident, "-"):
        for each in book.world.table(VALUES).find(_BY_OWNER, owner):
            text = str(each.get("range", "A1"))
            try:
                place = parse_range(text, book.titles())
            except ApiError as error:
                said = (
                    f"the snapshot holds values of {text!r}, a sheet that {book.ident!r} does"
                    " not have"
                )
                raise ApiError(
                    501, said, reason="notImplemented", code_name="UNIMPLEMENTED"
                ) from error
            if place.sheet == sheet.title:
                put_values(sheet, turned_to_rows(each), place.top, place.left, "SNAPSHOT")


def _missing_spreadsheet(call: Call, ident: str) -> ApiError:
    world = call.world
    known = [
        *world.table(SPREADSHEETS).values(FILES.by_id),
        *(str(each.get("id", "")) for each in world.table("drive:v3/files").rows().values()),
    ]
    told = {"sheets:v4", "drive:v3"} & set(world.table("resources").rows())
    if known or told or world.written_collections():
        return not_found(name=ident, nearest=nearest(ident, map(str, known)))
    held = {
        "spreadsheets": [{"spreadsheetId": ident}],
        "values": [{"spreadsheetId": ident, "range": "Sheet1!A1:B1", "values": [["a", "b"]]}],
    }
    fixture = orjson.dumps({"resources": {"sheets:v4": held}}).decode()
    text = f"nothing in this session's snapshot answers {call.id}. A fixture that would: {fixture}"
    miss = Miss(blame="fixture_gap", reason=f"no fixture for {call.id}")
    return ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED", miss=miss)


FILES = EditorFiles(
    SPREADSHEETS,
    "spreadsheetId",
    "application/vnd.google-apps.spreadsheet",
    ("get", "batchGet", "search"),
    _missing_spreadsheet,
)


def save_book(world: World, book: Book) -> None:
    """Keep a spreadsheet; its file in Drive, where there is one, has its title and its time."""
    FILES.save(world, book.to_row(), name=book.row["properties"]["title"])


def turned_to_rows(values: Mapping[str, Any]) -> Grid:
    """The values of a `ValueRange`, row by row."""
    rows: Grid = [list(line) for line in values.get("values") or ()]
    if values.get("majorDimension") == "COLUMNS":
        deepest = max(map(len, rows), default=0)
        return [[line[n] if n < len(line) else None for line in rows] for n in range(deepest)]
    return rows


def put_values(sheet: Sheet, lines: Grid, top: int, left: int, option: str) -> None:
    """Enter values into cells; None leaves a cell as it is.

    Args:
        sheet: Where.
        lines: The values, row by row.
        top: The row of the first.
        left: The column of the first.
        option: `RAW`, `USER_ENTERED`, or `SNAPSHOT`: raw, and formulas are formulas.
    """
    for down, line in enumerate(lines):
        cells = [sheet.cell(top + down, left + across) for across in range(len(line))]
        for across, value in enumerate(line):
            if value is None:
                continue
            formula = option == "SNAPSHOT" and isinstance(value, str) and value.startswith("=")
            how = "USER_ENTERED" if formula else "RAW" if option == "SNAPSHOT" else option
            cells[across] = enter_value(value, how, cells[across])
        sheet.put_cells(top + down, left, cells)
