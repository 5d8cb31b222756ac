"""Requests of `batchUpdate` about the spreadsheet, its sheets, their rows and columns."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mockserver.apis.sheets.book import (
    COLUMNS,
    ROWS,
    Book,
    Sheet,
    formula_of,
    new_properties,
    stored,
    with_entered,
)
from mockserver.apis.sheets.formulas import rename_references
from mockserver.apis.sheets.masks import changed, read_mask
from mockserver.apis.sheets.ranges import Dimension, map_corners
from mockserver.googleapi import invalid
from mockserver.googleapi.masks import EVERY
from mockserver.model import JsonMapping, JsonObject

Request = Callable[[Book, JsonMapping], JsonObject | None]
"""Does one request to a book; its reply, or None for an empty one. Raises ApiError (400)."""

_SPREADSHEET: Final = frozenset({
    "title", "locale", "autoRecalc", "timeZone", "defaultFormat", "spreadsheetTheme",
    "iterativeCalculationSettings", "importFunctionsExternalUrlAccessAllowed",
})  # fmt: skip
_SHEET: Final = frozenset({
    "sheetId", "title", "index", "sheetType", "gridProperties", "hidden", "tabColor",
    "tabColorStyle", "rightToLeft", "dataSourceSheetProperties",
})  # fmt: skip
_DIMENSION: Final = frozenset({"hiddenByUser", "pixelSize", "developerMetadata", "hiddenByFilter",
                               "dataSourceColumnReference"})  # fmt: skip
_MARGIN, _LETTER = 6, 7
"""Pixels of a column beside its text, and of a letter, about."""
_GROUPS: Mapping[str, str] = {"ROWS": "rowGroups", "COLUMNS": "columnGroups"}


def _change_spreadsheet(book: Book, asked: JsonMapping) -> None:
    paths = read_mask(asked, _SPREADSHEET)
    given = asked.get("properties") or {}
    if any(path[0] == EVERY for path in paths):
        paths = tuple((name,) for name in given)
    book.row = {**book.row, "properties": changed(book.row["properties"], given, paths)}


def _check_title(book: Book, title: str, but: Sheet | None = None) -> None:
    if any(each.title.casefold() == title.casefold() for each in book.sheets if each is not but):
        text = f'A sheet with the name "{title}" already exists. Please enter another name.'
        raise invalid(text)


def _free_id(book: Book, asked: object) -> int:
    known = {each.ident for each in book.sheets}
    if isinstance(asked, int):
        if asked in known:
            raise invalid(f"A sheet with the ID {asked} already exists. Please enter another ID.")
        return asked
    return int(book.world.ids.digits("sheet", 9))


def _properties_of(book: Book, sheet: Sheet) -> JsonObject:
    return {**sheet.properties, "index": book.sheets.index(sheet)}


def _add_sheet(book: Book, asked: JsonMapping) -> JsonObject:
    given = stored(asked.get("properties") or {})
    ident = _free_id(book, (asked.get("properties") or {}).get("sheetId"))
    number = len(book.sheets) + 1
    while f"Sheet{number}" in book.titles():
        number += 1
    title = str(given.get("title") or f"Sheet{number}")
    _check_title(book, title)
    usual = new_properties(title, ident)
    grid = {"rowCount": ROWS, "columnCount": COLUMNS, **given.get("gridProperties", {})}
    sheet = Sheet({**usual, **given, "sheetId": ident, "title": title, "gridProperties": grid})
    place = given.get("index", len(book.sheets))
    book.sheets.insert(min(int(place), len(book.sheets)), sheet)
    return {"properties": _properties_of(book, sheet)}


def _delete_sheet(book: Book, asked: JsonMapping) -> None:
    sheet = book.sheet(asked.get("sheetId"))
    if len(book.sheets) == 1:
        raise invalid("You can't remove all the sheets in a document.")
    book.sheets.remove(sheet)
    if "namedRanges" in book.row:
        left = [each for each in book.row["namedRanges"]
                if each.get("range", {}).get("sheetId", 0) != sheet.ident]  # fmt: skip
        book.row = {**book.row, "namedRanges": left}


def _duplicate_sheet(book: Book, asked: JsonMapping) -> JsonObject:
    source = book.sheet(asked.get("sourceSheetId"))
    title = str(asked.get("newSheetName") or _copy_title(book, source.title))
    _check_title(book, title)
    made = source.copied(title, _free_id(book, asked.get("newSheetId")))
    book.sheets.insert(int(asked.get("insertSheetIndex") or 0), made)
    return {"properties": _properties_of(book, made)}


def _copy_title(book: Book, title: str) -> str:
    number, made = 1, f"Copy of {title}"
    while made in book.titles():
        number += 1
        made = f"Copy of {title} {number}"
    return made


def add_copy(book: Book, source: Sheet) -> JsonObject:
    """Add a copy of another spreadsheet's sheet at the end; its properties."""
    made = source.copied(_copy_title(book, source.title), _free_id(book, None))
    book.sheets.append(made)
    return _properties_of(book, made)


def _change_sheet(book: Book, asked: JsonMapping) -> None:
    given = asked.get("properties") or {}
    sheet = book.sheet(given.get("sheetId"))
    paths = read_mask(asked, _SHEET)
    if any(path[0] == EVERY for path in paths):
        paths = tuple((name,) for name in given)
    before = sheet.properties
    after = changed(before, given, paths, keep=("sheetId", "sheetType", "index"))
    title = str(after.get("title") or before["title"])
    _check_title(book, title, sheet)
    if after.get("hidden") and all(
        e.properties.get("hidden") for e in book.sheets if e is not sheet
    ):
        raise invalid("You can't hide all the sheets in a document.")
    if title != before["title"]:
        _rename(book, sheet.title, title)
    sheet.properties = {**after, "title": title}
    grid = {**before["gridProperties"], **(after.get("gridProperties") or {})}
    after_grid = after.get("gridProperties") or {}
    sheet.properties["gridProperties"] = after_grid
    if min(int(grid["rowCount"]), int(grid["columnCount"])) < 1:
        raise invalid("You can't delete all the rows on the sheet.")
    sheet.resize(int(grid["rowCount"]), int(grid["columnCount"]))
    if ("index",) in paths:
        _move_sheet(book, sheet, int(given.get("index") or 0))
    book.changed()


def _move_sheet(book: Book, sheet: Sheet, index: int) -> None:
    """Move a sheet before the one that is at an index now."""
    now = book.sheets.index(sheet)
    if index > len(book.sheets):
        raise invalid(f"Sheet index must be at most {len(book.sheets)}.")
    book.sheets.pop(now)
    book.sheets.insert(index - 1 if index > now else index, sheet)


def _rename(book: Book, old: str, new: str) -> None:
    for sheet in book.sheets:
        for row, line in enumerate(sheet.lines):
            for column, cell in enumerate(line.get("values", ())):
                formula = formula_of(cell)
                after = rename_references(formula, old, new) if "!" in formula else formula
                if after != formula:
                    sheet.put_cells(row, column, [with_entered(cell, {"formulaValue": after})])


def _span(book: Book, asked: JsonMapping) -> tuple[Sheet, Dimension, int, int]:
    """What a `DimensionRange` means."""
    sheet = book.sheet(asked.get("sheetId"), "grid")
    dimension = asked.get("dimension")
    if dimension not in _GROUPS:
        raise invalid("range.dimension must be ROWS or COLUMNS.")
    size = sheet.size(dimension)  # type: ignore[arg-type]
    start, end = int(asked.get("startIndex") or 0), int(asked.get("endIndex") or size)
    if not 0 <= start < end:
        raise invalid(f"range.endIndex {end} must be greater than range.startIndex {start}.")
    return sheet, dimension, start, end  # type: ignore[return-value]


def _insert(book: Book, asked: JsonMapping) -> None:
    sheet, dimension, start, end = _span(book, asked.get("range") or {})
    from_before = asked.get("inheritFromBefore") is True
    size = sheet.size(dimension)
    if from_before and start == 0:
        raise invalid("inheritFromBefore cannot be true when the range starts at index 0.")
    if start > size or (start == size and not from_before):
        raise invalid(f"range.startIndex {start} is beyond the {size} {dimension.lower()}.")
    book.insert(sheet, dimension, start, end - start)


def _remove(book: Book, asked: JsonMapping) -> None:
    sheet, dimension, start, end = _span(book, asked.get("range") or {})
    noun, size = dimension.lower(), sheet.size(dimension)
    if start >= size:
        raise invalid(f"Cannot delete {noun[:-1]} {start + 1}: there are {size} {noun}.")
    if end - start >= size:
        raise invalid(f"You can't delete all the {noun} on the sheet.")
    book.remove(sheet, dimension, start, min(end, size))


def _append(book: Book, asked: JsonMapping) -> None:
    sheet, dimension, _, _ = _span(book, {**asked, "endIndex": 1})
    book.insert(sheet, dimension, sheet.size(dimension), int(asked.get("length") or 0))


def _move(book: Book, asked: JsonMapping) -> None:
    sheet, dimension, start, end = _span(book, asked.get("source") or {})
    target, count = int(asked.get("destinationIndex") or 0), end - start
    if start < target < end:
        raise invalid("destinationIndex must not be inside of the source.")
    if dimension == "ROWS":
        sheet.lines += [{} for _ in range(max(end, target) - len(sheet.lines))]
        lists = [sheet.lines]
    else:
        width = max(end, target)
        lists = []
        for number, line in enumerate(sheet.lines):
            cells = [*line.get("values", ())]
            cells += [{}] * (width - len(cells))
            sheet.lines[number] = {"values": cells}
            lists.append(cells)
    held = sheet.dimensions[dimension]
    if held:
        held += [{} for _ in range(max(end, target) - len(held))]
        lists.append(held)
    for each in lists:
        moved = each[start:end]
        del each[start:end]
        place = target - count if target > start else target
        each[place:place] = moved

    def follow(kind: str, index: int, _: str) -> int:
        if kind != dimension:
            return index
        if start <= index < end:
            return index - start + (target - count if target > start else target)
        if end <= index < target:
            return index - count
        return index + count if target <= index < start else index

    # a range of several cells stays where it is, as it does when a part of it is dragged away
    book.rewrite(sheet, lambda each: each if ":" in each else map_corners(each, follow))


def _change_dimensions(book: Book, asked: JsonMapping) -> None:
    sheet, dimension, start, end = _span(book, asked.get("range") or {})
    paths = read_mask(asked, _DIMENSION)
    held = sheet.dimensions[dimension]
    held += [{} for _ in range(end - len(held))]
    for number in range(start, end):
        held[number] = changed(held[number], asked.get("properties") or {}, paths)


def _resize_automatically(book: Book, asked: JsonMapping) -> None:
    """Give rows their usual height, and columns the estimated width of their longest text."""
    sheet, dimension, start, end = _span(book, asked.get("dimensions") or {})
    held = sheet.dimensions[dimension]
    held += [{} for _ in range(end - len(held))]
    for number in range(start, end):
        held[number] = {name: each for name, each in held[number].items() if name != "pixelSize"}
        if dimension == "COLUMNS":
            rows = range(len(sheet.lines))
            longest = max((len(book.display_text(sheet, row, number)) for row in rows), default=0)
            held[number] |= {"pixelSize": _MARGIN + _LETTER * longest} if longest else {}


def _regroup(book: Book, asked: JsonMapping, change: int) -> JsonObject:
    """Put rows or columns one group deeper, or less deep; the groups that are there then."""
    sheet, dimension, start, end = _span(book, asked.get("range") or {})
    key = _GROUPS[dimension]
    groups = sheet.further.pop(key, [])
    size = sheet.size(dimension)
    depths, collapsed = [0] * size, set()
    for each in groups:
        bounds = each["range"].get("startIndex", 0), each["range"]["endIndex"]
        for number in range(*bounds):
            depths[number] = max(depths[number], each.get("depth", 1))
        if each.get("collapsed"):
            collapsed.add(bounds)
    span = range(start, min(end, size))
    if change < 0 and not any(depths[number] for number in span):
        raise invalid(f"There is no group of {dimension.lower()} in the range.")
    for number in span:
        depths[number] = max(0, depths[number] + change)
    made = []
    for depth in range(1, max(depths, default=0) + 1):
        first: int | None = None
        for number, each in enumerate([*depths, 0]):
            if each >= depth and first is None:
                first = number
            elif each < depth and first is not None:
                held: JsonObject = {"sheetId": sheet.ident} if sheet.ident else {}
                held |= {"dimension": dimension, "startIndex": first, "endIndex": number}
                is_closed = (first, number) in collapsed
                closed = {"collapsed": True} if is_closed else {}
                made.append({"range": held, "depth": depth, **closed})
                first = None
    if made:
        sheet.further[key] = made
    return {"dimensionGroups": made} if made else {}


def _change_group(book: Book, asked: JsonMapping) -> None:
    given = asked.get("dimensionGroup") or {}
    sheet, dimension, start, end = _span(book, given.get("range") or {})
    paths = read_mask(asked, {"collapsed"})
    groups = list(sheet.further.get(_GROUPS[dimension], ()))
    for number, each in enumerate(groups):
        held = each["range"]
        is_meant = (held.get("startIndex", 0), held["endIndex"]) == (start, end)
        if is_meant and each["depth"] == given.get("depth", each["depth"]):
            groups[number] = changed(each, given, paths)
            sheet.further[_GROUPS[dimension]] = groups
            hidden = {"properties": {"hiddenByUser": bool(given.get("collapsed"))}}
            _change_dimensions(book, {**hidden, "range": given["range"], "fields": "hiddenByUser"})
            return
    raise invalid("No dimension group exists at the range and depth.")


SHEET_REQUESTS: Mapping[str, Request] = {
    "updateSpreadsheetProperties": _change_spreadsheet,
    "addSheet": _add_sheet,
    "deleteSheet": _delete_sheet,
    "duplicateSheet": _duplicate_sheet,
    "updateSheetProperties": _change_sheet,
    "insertDimension": _insert,
    "deleteDimension": _remove,
    "appendDimension": _append,
    "moveDimension": _move,
    "updateDimensionProperties": _change_dimensions,
    "autoResizeDimensions": _resize_automatically,
    "addDimensionGroup": partial(_regroup, change=1),
    "deleteDimensionGroup": partial(_regroup, change=-1),
    "updateDimensionGroup": _change_group,
}
