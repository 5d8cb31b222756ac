"""`spreadsheets.values.*`: reading and writing ranges.

Source: the guide on reading and writing values, and recordings of the live service; not verified:
which table `append` takes where several touch a range.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from mockserver.apis.sheets.book import Book, Sheet, entered_value, formula_of, has_value
from mockserver.apis.sheets.formulas import FormulaError
from mockserver.apis.sheets.ranges import Area, column_name
from mockserver.apis.sheets.state import Grid, open_book, put_values, save_book, turned_to_rows
from mockserver.googleapi import Call, Handler, invalid
from mockserver.model import Json, JsonMapping, JsonObject

_INPUT = frozenset({"RAW", "USER_ENTERED"})
_CALENDAR = frozenset({"DATE", "TIME", "DATE_TIME"})


def ranges_of(book: Book, data_filter: JsonMapping) -> list[tuple[Sheet, Area]]:
    """The ranges that a `DataFilter` means.

    Raises:
        ApiError: 400; no range.
    """
    if "a1Range" in data_filter:
        return [book.read_range(str(data_filter["a1Range"]))]
    if "gridRange" in data_filter:
        return [book.grid(data_filter["gridRange"])]
    return [
        (sheet, sheet.area)
        for sheet in book.sheets
        if any(meets(each, data_filter) for each in sheet.further.get("developerMetadata", ()))
    ]


def meets(metadata: JsonMapping, data_filter: JsonMapping) -> bool:
    """Whether developer metadata are those that a `DataFilter` looks for."""
    asked = data_filter.get("developerMetadataLookup")
    if asked is None:
        return False
    names = ("metadataId", "metadataKey", "metadataValue", "visibility")
    location = (metadata.get("location") or {}).get("locationType")
    return asked.get("locationType", location) == location and all(
        asked[name] == metadata.get(name) for name in names if name in asked
    )


def _read_values(
    book: Book, sheet: Sheet, area: Area, options: JsonMapping, prefix: str = ""
) -> JsonObject:
    """A `ValueRange`.

    Args:
        book: The spreadsheet.
        sheet: The sheet.
        area: The range.
        options: Parameters that say how values are shown.
        prefix: `response` where the answer to a write has them.
    """

    def option(name: str, usual: str) -> str:
        full = f"{prefix}{name[0].upper()}{name[1:]}" if prefix else name
        return str(options.get(full, usual))

    how = option("valueRenderOption", "FORMATTED_VALUE")
    dates = option("dateTimeRenderOption", "SERIAL_NUMBER")
    shown = []
    for row in range(area.top, min(area.bottom, len(sheet.lines))):
        columns = range(area.left, min(area.right, len(sheet.cells(row))))
        shown.append([_render_cell(book, sheet, row, column, how, dates) for column in columns])
    by_columns = not prefix and options.get("majorDimension") == "COLUMNS"
    if by_columns:
        deepest = max(map(len, shown), default=0)
        shown = [[line[n] if n < len(line) else "" for line in shown] for n in range(deepest)]
    shown = _trim_rows(shown)
    answer: JsonObject = {
        "range": str(area),
        "majorDimension": "COLUMNS" if by_columns else "ROWS",
    }
    return {**answer, "values": shown} if shown else answer


def _render_cell(book: Book, sheet: Sheet, row: int, column: int, how: str, dates: str) -> Json:
    cell = sheet.cell(row, column)
    if not has_value(cell):
        return ""
    if how == "FORMULA" and formula_of(cell):
        return formula_of(cell)
    kind = (book.number_format(cell) or {}).get("type")
    if how == "FORMATTED_VALUE" or (dates == "FORMATTED_STRING" and kind in _CALENDAR):
        return book.display_text(sheet, row, column)
    value = entered_value(cell) if how == "FORMULA" else book.value(sheet, row, column)
    return value.text if isinstance(value, FormulaError) else value


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


def _get_values(call: Call) -> JsonObject:
    book = open_book(call)
    return _read_values(book, *book.read_range(str(call.params["range"])), call.params)


def _get_many_ranges(call: Call) -> JsonObject:
    book = open_book(call)
    places = [book.read_range(str(each)) for each in call.params.get("ranges", ())]
    found = [_read_values(book, *each, call.params) for each in places]
    return {"spreadsheetId": book.ident, "valueRanges": found}


def _get_filtered_ranges(call: Call) -> JsonObject:
    book = open_book(call)
    found = [
        {"valueRange": _read_values(book, *place, call.body), "dataFilters": [each]}
        for each in call.body.get("dataFilters") or ()
        for place in ranges_of(book, each)
    ]
    return {"spreadsheetId": book.ident, "valueRanges": found}


def _read_option(value: object) -> str:
    if value not in _INPUT:
        raise invalid("'valueInputOption' is required but not specified")
    return str(value)


def _lines_of(values: Mapping[str, Json]) -> Grid:
    """The values of a request, row by row.

    Raises:
        ApiError: 400; a value is no plain one.
    """
    for number, line in enumerate(values.get("values") or ()):
        for column, value in enumerate(line):
            if isinstance(value, dict | list):
                kind = "struct_value" if isinstance(value, dict) else "list_value"
                raise invalid(f"Invalid values[{number}][{column}]: {kind} {{ }}")
    return turned_to_rows(values)


def _write_range(
    call: Call, book: Book, place: tuple[Sheet, Area], lines: Grid, options: JsonMapping
) -> JsonObject:
    """Put values into a range of a book; the answer about it.

    Raises:
        ApiError: 400; more values than the range has room for.
    """
    sheet, area = place
    rows, columns = len(lines), max(map(len, lines), default=0)
    room = area.size
    if not area.is_cell and (rows > room[0] or columns > room[1]):
        over = (
            f"row [{area.top + room[0] + 1}]"
            if rows > room[0]
            else f"column [{column_name(area.left + room[1])}]"
        )
        raise invalid(f"Requested writing within range [{area}], but tried writing to {over}")
    ends = Area(area.sheet, area.top, area.left, area.top + rows, area.left + columns)
    height, width = sheet.size("ROWS"), sheet.size("COLUMNS")
    if ends.bottom > height or ends.right > width:
        sheet.resize(max(ends.bottom, height), max(ends.right, width))
    put_values(sheet, lines, area.top, area.left, _read_option(options.get("valueInputOption")))
    book.changed()
    answer: JsonObject = {
        "spreadsheetId": book.ident,
        "updatedRange": str(ends if rows and columns else area),
    }
    held = [[n for n, value in enumerate(line) if value is not None] for line in lines]
    if any(held):
        answer["updatedRows"] = sum(map(bool, held))
        answer["updatedColumns"] = len({n for line in held for n in line})
        answer["updatedCells"] = sum(map(len, held))
    if options.get("includeValuesInResponse") and rows and columns:
        answer["updatedData"] = _read_values(book, sheet, ends, options, "response")
    return answer


def _update_values(call: Call) -> JsonObject:
    book = open_book(call)
    _read_option(call.params.get("valueInputOption"))
    lines = _lines_of(call.body)
    place = book.written_range(str(call.params["range"]))
    answer = _write_range(call, book, place, lines, call.params)
    save_book(call.world, book)
    return answer


def _update_many(call: Call, *, filtered: bool) -> JsonObject:
    """Answers `values.batchUpdate` and `batchUpdateByDataFilter`: all ranges, or none."""
    book = open_book(call)
    _read_option(call.body.get("valueInputOption"))
    answers = []
    for each in call.body.get("data") or ():
        lines = _lines_of(each)
        places = (
            ranges_of(book, each.get("dataFilter") or {})
            if filtered
            else [book.written_range(str(each.get("range", "")))]
        )
        for place in places:
            answer = _write_range(call, book, place, lines, call.body)
            answers.append({**answer, "dataFilter": each["dataFilter"]} if filtered else answer)
    save_book(call.world, book)
    if filtered:
        for each in answers:
            each.pop("spreadsheetId")
    totals = {
        f"totalUpdated{name}": sum(each.get(f"updated{name}", 0) for each in answers)
        for name in ("Rows", "Columns", "Cells")
    }
    sheets = {str(each["updatedRange"]).rpartition("!")[0] for each in answers}
    return {
        "spreadsheetId": book.ident,
        **totals,
        "totalUpdatedSheets": len(sheets),
        "responses": answers,
    }


def _append_values(call: Call) -> JsonObject:
    """Answers `values.append`: below the table that the range leads to."""
    book = open_book(call)
    _read_option(call.params.get("valueInputOption"))
    sheet, area = book.read_range(str(call.params["range"]))
    lines = _lines_of(call.body)
    table = table_within(sheet, area)
    top, left = (table.bottom, table.left) if table else (area.top, area.left)
    if call.params.get("insertDataOption") == "INSERT_ROWS":
        book.insert(sheet, "ROWS", top, len(lines))
    first = Area(sheet.title, top, left, top + 1, left + 1)
    made: JsonObject = {"spreadsheetId": book.ident}
    if table:
        made["tableRange"] = str(table)
    made["updates"] = _write_range(call, book, (sheet, first), lines, call.params)
    save_book(call.world, book)
    return made


def table_within(sheet: Sheet, area: Area) -> Area | None:
    """The last table of which a cell is in a range; None when the range is empty.

    A table are cells with values that touch each other, also at their corners.
    """
    seed = next(
        (
            (row, column)
            for row in range(min(area.bottom, len(sheet.lines)) - 1, area.top - 1, -1)
            for column in range(min(area.right, len(sheet.cells(row))) - 1, area.left - 1, -1)
            if has_value(sheet.cell(row, column))
        ),
        None,
    )
    if seed is None:
        return None
    top, left, bottom, right = seed[0], seed[1], seed[0] + 1, seed[1] + 1
    before = None
    while before != (top, left, bottom, right):
        before = (top, left, bottom, right)
        columns = range(left - 1, right + 1)
        while _row_holds(sheet, top - 1, columns):
            top -= 1
        while _row_holds(sheet, bottom, columns):
            bottom += 1
        left -= _column_holds(sheet, top - 1, bottom + 1, left - 1)
        right += _column_holds(sheet, top - 1, bottom + 1, right)
    return Area(sheet.title, top, left, bottom, right)


def _row_holds(sheet: Sheet, row: int, columns: range) -> bool:
    return any(has_value(sheet.cell(row, column)) for column in columns)


def _column_holds(sheet: Sheet, top: int, bottom: int, column: int) -> bool:
    if column < 0:
        return False
    lines = (line.get("values", ()) for line in sheet.lines[max(top, 0) : bottom])
    return any(len(cells) > column and has_value(cells[column]) for cells in lines)


def _clear(book: Book, places: Sequence[tuple[Sheet, Area]]) -> list[str]:
    for sheet, area in places:
        for row in range(area.top, min(area.bottom, len(sheet.lines))):
            width = min(area.right, len(sheet.cells(row))) - area.left
            if width > 0:
                put_values(sheet, [[""] * width], row, area.left, "RAW")
    return [str(area) for _, area in places]


def _clear_values(call: Call) -> JsonObject:
    book = open_book(call)
    [cleared] = _clear(book, [book.read_range(str(call.params["range"]))])
    save_book(call.world, book)
    return {"spreadsheetId": book.ident, "clearedRange": cleared}


def _clear_many(
    places_of: Callable[[Book, Json], list[tuple[Sheet, Area]]], key: str, call: Call
) -> JsonObject:
    book = open_book(call)
    places = [place for each in call.body.get(key) or () for place in places_of(book, each)]
    cleared = _clear(book, places)
    save_book(call.world, book)
    return {"spreadsheetId": book.ident, "clearedRanges": cleared}


_VALUES = "sheets.spreadsheets.values"

VALUE_HANDLERS: Mapping[str, Handler] = {
    f"{_VALUES}.get": _get_values,
    f"{_VALUES}.batchGet": _get_many_ranges,
    f"{_VALUES}.batchGetByDataFilter": _get_filtered_ranges,
    f"{_VALUES}.update": _update_values,
    f"{_VALUES}.batchUpdate": partial(_update_many, filtered=False),
    f"{_VALUES}.batchUpdateByDataFilter": partial(_update_many, filtered=True),
    f"{_VALUES}.append": _append_values,
    f"{_VALUES}.clear": _clear_values,
    f"{_VALUES}.batchClear": partial(
        _clear_many, lambda book, text: [book.read_range(str(text))], "ranges"
    ),
    f"{_VALUES}.batchClearByDataFilter": partial(_clear_many, ranges_of, "dataFilters"),
}
