"""Requests of `batchUpdate` about cells: their values, formats, notes, order and merges."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from itertools import pairwise
from typing import Final

from mockserver.apis.sheets.book import (
    NO_CELL,
    Book,
    Sheet,
    enter_value,
    entered_value,
    formula_of,
    has_value,
    stored,
    with_entered,
)
from mockserver.apis.sheets.formats import plain_number
from mockserver.apis.sheets.formulas import FormulaError, Value, shift_formula, sort_rank
from mockserver.apis.sheets.masks import Path, changed, read_mask
from mockserver.apis.sheets.ranges import Area
from mockserver.apis.sheets.sheet_requests import Request
from mockserver.googleapi import invalid
from mockserver.googleapi.masks import EVERY
from mockserver.model import Json, JsonMapping, JsonObject

Cells = list[list[JsonMapping]]

_CELL: Final = frozenset({
    "userEnteredValue", "userEnteredFormat", "note", "dataValidation", "hyperlink", "chipRuns",
    "textFormatRuns", "pivotTable", "effectiveValue", "effectiveFormat", "formattedValue",
    "dataSourceTable", "dataSourceFormula",
})  # fmt: skip
_READ_ONLY: Final = frozenset({"effectiveValue", "effectiveFormat", "formattedValue"})
_MERGES = "You must select all cells in a merged range to merge or unmerge them."


def _read(sheet: Sheet, area: Area) -> Cells:
    """The cells of a range, row by row."""
    return [
        [sheet.cell(row, column) for column in range(area.left, area.right)]
        for row in range(area.top, area.bottom)
    ]


def _write(
    book: Book, sheet: Sheet, top: int, left: int, cells: Sequence[Sequence[JsonMapping]]
) -> None:
    """Put cells into a sheet, which grows where they are beyond its end."""
    bottom, right = top + len(cells), left + max(map(len, cells), default=0)
    if bottom > sheet.size("ROWS") or right > sheet.size("COLUMNS"):
        sheet.resize(max(bottom, sheet.size("ROWS")), max(right, sheet.size("COLUMNS")))
    for down, line in enumerate(cells):
        sheet.put_cells(top + down, left, line)
    book.changed()


def _changed_cell(cell: JsonMapping, given: JsonMapping, paths: Sequence[Path]) -> JsonObject:
    """A cell with the named fields of a given one."""
    if any(path[0] == EVERY for path in paths):
        paths = tuple((name,) for name in sorted(_CELL - _READ_ONLY))
    made = dict(cell)
    if any(path[0] == "userEnteredValue" for path in paths):
        made = with_entered(cell, _entered(given))
    rest = tuple(path for path in paths if path[0] not in _READ_ONLY | {"userEnteredValue"})
    made = changed(made, given, rest)
    return {name: value for name, value in made.items() if value not in ("", {}, [])}


def _entered(given: JsonMapping) -> JsonObject | None:
    """The `userEnteredValue` of a cell of a request, whose values are of the types of its kinds."""
    entered = stored(given.get("userEnteredValue") or {})
    if (given.get("userEnteredValue") or {}).get("boolValue") is False:
        return {"boolValue": False}
    return entered or None


def _update_cells(book: Book, asked: JsonMapping) -> None:
    paths = read_mask(asked, _CELL)
    rows = asked.get("rows") or []
    if "start" in asked:
        start = asked["start"] or {}
        sheet = book.sheet(start.get("sheetId"), "grid")
        top, left = int(start.get("rowIndex") or 0), int(start.get("columnIndex") or 0)
        widths = [len(line.get("values") or ()) for line in rows]
    else:
        sheet, area = book.grid(asked.get("range") or {})
        top, left = area.top, area.left
        height, width = area.size
        if len(rows) > height or any(len(line.get("values") or ()) > width for line in rows):
            raise invalid("Attempting to write more cells than the range has.")
        held = sheet.used()
        height = min(
            height, max(len(rows), max(held.bottom if held else 0, len(sheet.lines)) - top)
        )
        widths = [min(width, max(len((rows[n].get("values") or ()) if n < len(rows) else ()),
                                 len(sheet.cells(top + n)) - left))
                  for n in range(height)]  # fmt: skip
    made: Cells = []
    for down, width in enumerate(widths):
        given = (rows[down].get("values") or []) if down < len(rows) else []
        made.append([
            _changed_cell(sheet.cell(top + down, left + across),
                          given[across] if across < len(given) else NO_CELL, paths)
            for across in range(width)
        ])  # fmt: skip
    _write(book, sheet, top, left, made)


def _repeat_cell(book: Book, asked: JsonMapping) -> None:
    paths = read_mask(asked, _CELL)
    sheet, area = book.grid(asked.get("range") or {})
    given = asked.get("cell") or {}
    for row in range(area.top, area.bottom):
        line = []
        for column in range(area.left, area.right):
            moved = _moved(given, row - area.top, column - area.left)
            line.append(_changed_cell(sheet.cell(row, column), moved, paths))
        sheet.put_cells(row, area.left, line)
    book.changed()


def _append_cells(book: Book, asked: JsonMapping) -> None:
    sheet = book.sheet(asked.get("sheetId"), "grid")
    paths = read_mask(asked, _CELL)
    made = [
        [_changed_cell(NO_CELL, cell, paths) for cell in line.get("values") or ()]
        for line in asked.get("rows") or ()
    ]
    used = sheet.used()
    _write(book, sheet, used.bottom if used else 0, 0, made)


def _moved(cell: JsonMapping, down: int, across: int) -> JsonMapping:
    """A cell as it is copied elsewhere: its formula refers to what is as far away."""
    formula = formula_of(cell)
    if not formula or not (down or across):
        return cell
    return {**with_entered(cell, {"formulaValue": shift_formula(formula, down, across)})}


def _plain(cell: JsonMapping, value: Json) -> JsonObject:
    return enter_value(value, "RAW", cell) if value is not None else with_entered(cell, None)


def _keep(names: Sequence[str], into: JsonMapping, source: JsonMapping) -> JsonObject:
    rest = {name: value for name, value in into.items() if name not in names}
    return rest | {name: source[name] for name in names if name in source}


_FORMATS = ("userEnteredFormat", "effectiveFormat")
_CONTENT = ("userEnteredValue", "effectiveValue", "formattedValue", "hyperlink", "textFormatRuns")
_PASTES: Mapping[str, Callable[[JsonMapping, JsonMapping], JsonObject]] = {
    "PASTE_NORMAL": lambda _, source: dict(source),
    "PASTE_VALUES": partial(_keep, _CONTENT),
    "PASTE_FORMAT": partial(_keep, _FORMATS),
    "PASTE_NO_BORDERS": lambda _, source: _without_borders(source),
    "PASTE_FORMULA": partial(_keep, _CONTENT),
    "PASTE_DATA_VALIDATION": partial(_keep, ("dataValidation",)),
}


def _without_borders(cell: JsonMapping) -> JsonObject:
    own = {k: v for k, v in cell.get("userEnteredFormat", {}).items() if k != "borders"}
    return {**cell, "userEnteredFormat": own} if own else _keep(_FORMATS, cell, {})


def _paste_kind(asked: JsonMapping) -> str:
    kind = str(asked.get("pasteType") or "PASTE_NORMAL")
    if kind not in _PASTES:
        raise invalid(f"pasteType {kind} is not emulated; those that are: {', '.join(_PASTES)}.")
    return kind


def _source_cells(book: Book, sheet: Sheet, area: Area, kind: str) -> Cells:
    """The cells that are copied; for values those that formulas come to."""
    cells = _read(sheet, area)
    if kind != "PASTE_VALUES":
        return cells
    return [
        [_plain(cell, _json(book.value(sheet, area.top + down, area.left + across)))
         if formula_of(cell) else cell for across, cell in enumerate(line)]
        for down, line in enumerate(cells)
    ]  # fmt: skip


def _json(value: Value) -> Json:
    return value.text if isinstance(value, FormulaError) else value


def _copy(book: Book, asked: JsonMapping) -> None:
    """Copies as often as the source fits into the destination, and at least once."""
    kind = _paste_kind(asked)
    source, area = book.grid(asked.get("source") or {})
    target, place = book.grid(asked.get("destination") or {})
    cells = _source_cells(book, source, area, kind)
    turned = asked.get("pasteOrientation") == "TRANSPOSE"
    if turned:
        cells = [list(line) for line in zip(*cells, strict=True)]
    height, width = len(cells), max(map(len, cells), default=0)
    if not height or not width:
        return
    times = [max(1, room // size) for room, size in zip(place.size, (height, width), strict=True)]
    made: Cells = []
    for down in range(height * times[0]):
        line: list[JsonMapping] = []
        for across in range(width * times[1]):
            row, column = down % height, across % width
            first = (column, row) if turned else (row, column)
            far = (
                place.top + down - area.top - first[0],
                place.left + across - area.left - first[1],
            )
            into = target.cell(place.top + down, place.left + across)
            line.append(_PASTES[kind](into, _moved(cells[row][column], *far)))
        made.append(line)
    _write(book, target, place.top, place.left, made)


def _cut(book: Book, asked: JsonMapping) -> None:
    kind = _paste_kind(asked)
    source, area = book.grid(asked.get("source") or {})
    start = asked.get("destination") or {}
    target = book.sheet(start.get("sheetId"), "grid")
    top, left = int(start.get("rowIndex") or 0), int(start.get("columnIndex") or 0)
    cells = _source_cells(book, source, area, kind)
    emptied = [[_keep(_CONTENT, cell, {}) if "VALUES" in kind else {} for cell in line]
               for line in cells]  # fmt: skip
    _write(book, source, area.top, area.left, emptied)
    made = [[_PASTES[kind](target.cell(top + down, left + across), cell)
             for across, cell in enumerate(line)] for down, line in enumerate(cells)]  # fmt: skip
    _write(book, target, top, left, made)


def _paste_text(book: Book, asked: JsonMapping) -> None:
    if asked.get("html"):
        raise invalid("pasteData of HTML is not emulated; text with a delimiter is.")
    start = asked.get("coordinate") or {}
    sheet = book.sheet(start.get("sheetId"), "grid")
    top, left = int(start.get("rowIndex") or 0), int(start.get("columnIndex") or 0)
    sign = str(asked.get("delimiter") or "\t")
    if len(sign) != 1:
        raise invalid("The delimiter must be one character.")
    lines = csv.reader(StringIO(str(asked.get("data") or ""), newline=""), delimiter=sign)
    made = [
        [enter_value(text, "USER_ENTERED", sheet.cell(top + down, left + across))
         for across, text in enumerate(line)]
        for down, line in enumerate(lines)
    ]  # fmt: skip
    _write(book, sheet, top, left, made)


def sort_range(book: Book, asked: JsonMapping) -> None:
    """Sort the rows of a range; empty cells come last."""
    sheet, area = book.grid(asked.get("range") or {})
    bottom = min(area.bottom, len(sheet.lines))
    rows = list(range(area.top, bottom))
    for spec in reversed(asked.get("sortSpecs") or ()):
        column = int(spec.get("dimensionIndex") or 0)
        if not area.left <= column < area.right:
            raise invalid("The dimensionIndex of a sort spec must be inside of the range.")
        values = {row: book.value(sheet, row, column) for row in rows}
        down = spec.get("sortOrder") == "DESCENDING"
        held = [row for row in rows if values[row] is not None]
        held.sort(key=lambda row, found=values: sort_rank(found[row]), reverse=down)  # type: ignore[misc]
        rows = held + [row for row in rows if values[row] is None]
    cells = _read(sheet, Area(area.sheet, area.top, area.left, bottom, area.right))
    made = [
        [_moved(cell, area.top + place - row, 0) for cell in cells[row - area.top]]
        for place, row in enumerate(rows)
    ]
    _write(book, sheet, area.top, area.left, made)


def _shuffle(book: Book, asked: JsonMapping) -> None:
    """Put the rows of a range into an order of the session's seed."""
    sheet, area = book.grid(asked.get("range") or {})
    bottom = min(area.bottom, len(sheet.lines))
    cells = _read(sheet, Area(area.sheet, area.top, area.left, bottom, area.right))
    keys = [book.world.ids.digits("row", 9) for _ in cells]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    _write(book, sheet, area.top, area.left, [cells[n] for n in order])


def _fill(book: Book, asked: JsonMapping) -> None:
    """Answers `autoFill`: what the cells of a source begin goes on beside or below them."""
    given = asked.get("sourceAndDestination")
    if given is None:
        sheet, whole = book.grid(asked.get("range") or {})
        rows = [row for row, _, _ in _each_text(sheet, whole)]
        if not rows:
            return
        source = Area(whole.sheet, whole.top, whole.left, rows[-1] + 1, whole.right)
        dimension, length = "ROWS", whole.bottom - source.bottom
    else:
        sheet, source = book.grid(given.get("source") or {})
        dimension, length = str(given.get("dimension")), int(given.get("fillLength") or 0)
    if dimension not in {"ROWS", "COLUMNS"}:
        raise invalid("The dimension must be ROWS or COLUMNS.")
    cells = _read(sheet, source)
    lines = cells if dimension == "COLUMNS" else [list(each) for each in zip(*cells, strict=True)]
    alternate = asked.get("useAlternateSeries") is True
    made = [
        _series(line, length, alternate=alternate, across=dimension == "COLUMNS") for line in lines
    ]
    top, left = source.top, source.left
    if dimension == "ROWS":
        made = [list(each) for each in zip(*made, strict=True)]
        top = source.bottom if length > 0 else source.top + length
    else:
        left = source.right if length > 0 else source.left + length
    if min(top, left) < 0:
        raise invalid("The fill goes beyond the sheet.")
    _write(book, sheet, top, left, made)


def _series(
    line: Sequence[JsonMapping], length: int, *, alternate: bool, across: bool
) -> list[JsonMapping]:
    """The cells that go on with a line: numbers by their step, others again and again."""
    size, count, down = len(line), abs(length), length > 0
    values = [entered_value(cell) for cell in line]
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    plain = [float(v) for v in values if isinstance(v, int | float)] if numeric else []
    steps = {b - a for a, b in pairwise(plain)}
    step = steps.pop() if len(steps) == 1 else 1.0 if len(plain) == 1 and alternate else None
    made: list[JsonMapping] = []
    for number in range(1, count + 1):
        place = size - 1 + number if down else -number
        cell = line[place % size]
        if step is not None:
            cell = _plain(cell, plain_number(plain[0] + step * place))
        far = place - place % size
        made.append(_moved(cell, 0, far) if across else _moved(cell, far, 0))
    return made if down else made[::-1]


def _merge(book: Book, asked: JsonMapping) -> None:
    sheet, area = book.grid(asked.get("range") or {})
    kind = str(asked.get("mergeType") or "MERGE_ALL")
    left = _without_merges(sheet, area)
    if kind == "MERGE_ROWS":
        found = [Area(area.sheet, row, area.left, row + 1, area.right)
                 for row in range(area.top, area.bottom)]  # fmt: skip
    elif kind == "MERGE_COLUMNS":
        found = [Area(area.sheet, area.top, column, area.bottom, column + 1)
                 for column in range(area.left, area.right)]  # fmt: skip
    else:
        found = [area]
    found = [each for each in found if not each.is_cell]
    for each in found:
        for row in range(each.top, min(each.bottom, len(sheet.lines))):
            kept = 1 if row == each.top else 0
            span = range(each.left + kept, min(each.right, len(sheet.cells(row))))
            sheet.put_cells(row, span.start, [with_entered(sheet.cell(row, c), None) for c in span])
    sheet.set_merges([*left, *found])
    book.changed()


def _without_merges(sheet: Sheet, area: Area) -> list[Area]:
    """The merged ranges outside of a range, which may cut none."""
    merges = sheet.merges()
    if any(each.overlaps(area) and not area.contains(each) for each in merges):
        raise invalid(_MERGES)
    return [each for each in merges if not each.overlaps(area)]


def _unmerge(book: Book, asked: JsonMapping) -> None:
    sheet, area = book.grid(asked.get("range") or {})
    sheet.set_merges(_without_merges(sheet, area))


def _validate(book: Book, asked: JsonMapping) -> None:
    cell = {"dataValidation": asked.get("rule")} if asked.get("rule") else {}
    _repeat_cell(book, {"range": asked.get("range"), "cell": cell, "fields": "dataValidation"})


def _set_borders(book: Book, asked: JsonMapping) -> None:
    sheet, area = book.grid(asked.get("range") or {})
    for row in range(area.top, area.bottom):
        line = []
        for column in range(area.left, area.right):
            sides = {
                "top": "top" if row == area.top else "innerHorizontal",
                "bottom": "bottom" if row == area.bottom - 1 else "innerHorizontal",
                "left": "left" if column == area.left else "innerVertical",
                "right": "right" if column == area.right - 1 else "innerVertical",
            }
            cell = sheet.cell(row, column)
            own = cell.get("userEnteredFormat", {})
            given = {side: stored(asked[name]) for side, name in sides.items() if name in asked}
            borders = {k: v for k, v in {**own.get("borders", {}), **given}.items()
                       if v.get("style") != "NONE"}  # fmt: skip
            line.append({**cell, "userEnteredFormat": {**own, "borders": borders}})
        sheet.put_cells(row, area.left, line)


def _each_text(sheet: Sheet, area: Area) -> Iterator[tuple[int, int, JsonMapping]]:
    for row in range(area.top, min(area.bottom, len(sheet.lines))):
        for column in range(area.left, min(area.right, len(sheet.cells(row)))):
            cell = sheet.cell(row, column)
            if has_value(cell):
                yield row, column, cell


def _find_and_replace(book: Book, asked: JsonMapping) -> JsonObject:
    text = str(asked.get("find") or "")
    if not text:
        raise invalid("find must not be empty.")
    places = [(sheet, sheet.area) for sheet in book.sheets]
    if "range" in asked:
        places = [book.grid(asked["range"])]
    elif not asked.get("allSheets"):
        sheet = book.sheet(asked.get("sheetId"), "grid")
        places = [(sheet, sheet.area)]
    sought, replacement = _pattern(asked, text), str(asked.get("replacement") or "")
    counts = {"values": 0, "formulas": 0, "occurrences": 0}
    rows, sheets = set(), set()
    for sheet, area in places:
        for row, column, cell in list(_each_text(sheet, area)):
            formula = formula_of(cell)
            if formula and not asked.get("includeFormulas"):
                continue
            before = formula or book.display_text(sheet, row, column)
            after, count = sought.subn(replacement, before)
            if not count:
                continue
            counts["occurrences"] += count
            counts["formulas" if formula else "values"] += 1
            rows.add((sheet.ident, row))
            sheets.add(sheet.ident)
            sheet.put_cells(row, column, [enter_value(after, "USER_ENTERED", cell)])
    book.changed()
    told = {f"{name}Changed": count for name, count in counts.items()}
    told |= {"rowsChanged": len(rows), "sheetsChanged": len(sheets)}
    return {name: count for name, count in told.items() if count}


def _pattern(asked: JsonMapping, text: str) -> re.Pattern[str]:
    """What is sought; a regular expression of a request is not run, since it may never end."""
    if asked.get("searchByRegex"):
        raise invalid("searchByRegex is not emulated; find a plain text.")
    whole = rf"\A{re.escape(text)}\Z" if asked.get("matchEntireCell") else re.escape(text)
    return re.compile(whole, 0 if asked.get("matchCase") else re.IGNORECASE)


def _trim(book: Book, asked: JsonMapping) -> JsonObject:
    sheet, area = book.grid(asked.get("range") or {})
    count = 0
    for row, column, cell in list(_each_text(sheet, area)):
        text = entered_value(cell)
        if (
            isinstance(text, str)
            and not formula_of(cell)
            and text != (to := " ".join(text.split()))
        ):
            sheet.put_cells(row, column, [enter_value(to, "RAW", cell)])
            count += 1
    return {"cellsChangedCount": count} if count else {}


def _delete_duplicates(book: Book, asked: JsonMapping) -> JsonObject:
    sheet, area = book.grid(asked.get("range") or {})
    columns = [
        column
        for each in asked.get("comparisonColumns")
        or [{"startIndex": area.left, "endIndex": area.right}]
        for column in range(
            int(each.get("startIndex") or 0), int(each.get("endIndex") or area.right)
        )
    ]
    bottom = min(area.bottom, len(sheet.lines))
    seen, kept = set(), []
    for row in range(area.top, bottom):
        key = tuple(sort_rank(book.value(sheet, row, column)) for column in columns)
        if key not in seen:
            seen.add(key)
            kept.append([sheet.cell(row, c) for c in range(area.left, area.right)])
    count = bottom - area.top - len(kept)
    empty: Cells = [[NO_CELL] * (area.right - area.left) for _ in range(count)]
    _write(book, sheet, area.top, area.left, [*kept, *empty])
    return {"duplicatesRemovedCount": count} if count else {}


def _shift_range(book: Book, asked: JsonMapping, *, insert: bool) -> None:
    """Insert or delete cells of a range; those behind it in its rows or columns move."""
    sheet, area = book.grid(asked.get("range") or {})
    by_rows = asked.get("shiftDimension") == "ROWS"
    rest = (
        Area(area.sheet, area.top, area.left, len(sheet.lines), area.right)
        if by_rows
        else Area(area.sheet, area.top, area.left, area.bottom, sheet.size("COLUMNS"))
    )
    cells, (height, width) = _read(sheet, rest), area.size
    blank: Cells = [[NO_CELL] * width for _ in range(height)]
    if by_rows:
        made = [*blank, *cells] if insert else [*cells[height:], *blank]
    elif insert:
        made = [[*[NO_CELL] * width, *line][: len(line)] for line in cells]
    else:
        made = [[*line[width:], *[NO_CELL] * width] for line in cells]
    _write(book, sheet, area.top, area.left, made)


def _split_texts(book: Book, asked: JsonMapping) -> None:
    signs = {"COMMA": ",", "SEMICOLON": ";", "PERIOD": ".", "SPACE": " ",
             "CUSTOM": str(asked.get("delimiter") or "")}  # fmt: skip
    sign = signs.get(str(asked.get("delimiterType") or "COMMA"), "")
    sheet, area = book.grid(asked.get("source") or {})
    if not sign or area.size[1] != 1:
        raise invalid("textToColumns needs a delimiter and a source of one column.")
    for row, column, cell in list(_each_text(sheet, area)):
        parts = str(entered_value(cell)).split(sign)
        made = [enter_value(part, "USER_ENTERED", sheet.cell(row, column + n))
                for n, part in enumerate(parts)]  # fmt: skip
        _write(book, sheet, row, column, [made])


CELL_REQUESTS: Mapping[str, Request] = {
    "updateCells": _update_cells,
    "repeatCell": _repeat_cell,
    "appendCells": _append_cells,
    "copyPaste": _copy,
    "cutPaste": _cut,
    "pasteData": _paste_text,
    "sortRange": sort_range,
    "randomizeRange": _shuffle,
    "autoFill": _fill,
    "mergeCells": _merge,
    "unmergeCells": _unmerge,
    "setDataValidation": _validate,
    "updateBorders": _set_borders,
    "findReplace": _find_and_replace,
    "trimWhitespace": _trim,
    "deleteDuplicates": _delete_duplicates,
    "insertRange": partial(_shift_range, insert=True),
    "deleteRange": partial(_shift_range, insert=False),
    "textToColumns": _split_texts,
}
