"""A spreadsheet as a call reads and changes it: sheets, their cells, and what formulas come to."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.apis.sheets.formats import USUAL_PATTERNS, enter_text, serial_of, show_value
from mockserver.apis.sheets.formulas import (
    ERROR_TYPES,
    REF_ERROR,
    Cells,
    Computation,
    FormulaError,
    UncomputedError,
    Value,
    move_references,
)
from mockserver.apis.sheets.functions import FUNCTIONS
from mockserver.apis.sheets.ranges import (
    Area,
    Dimension,
    Range,
    Shift,
    grid_of_area,
    is_grid_range,
    parse_range,
    quote_sheet,
    range_of_grid,
)
from mockserver.googleapi import ApiError, invalid
from mockserver.model import Json, JsonMapping, JsonObject
from mockserver.state import World

ROWS, COLUMNS = 1000, 26
MOST_CELLS = 10_000_000
_MOST_DEPTH = 20
"""How many formulas wait for one another at once."""
NO_CELL: JsonMapping = {}
_VALUES = ("userEnteredValue", "effectiveValue", "formattedValue", "hyperlink", "textFormatRuns")
_ENTERED = ("numberValue", "stringValue", "boolValue", "formulaValue")
_COLOURS = frozenset({
    "backgroundColor", "foregroundColor", "tabColor", "color",
    "headerColor", "firstBandColor", "secondBandColor", "footerColor",
})  # fmt: skip
_KEPT_FALSE = frozenset({"bold", "italic", "strikethrough", "underline", "requestingUserCanEdit"})
_LEFT_OUT_AT_0 = frozenset({"sheetId", "frozenRowCount", "frozenColumnCount"})
_RESULT_TYPES = {"=TODAY(": "DATE", "=NOW(": "DATE_TIME", "=DATE(": "DATE"}
_BLACK: JsonObject = {}
_WHITE: JsonObject = {"red": 1, "green": 1, "blue": 1}

DEFAULT_FORMAT: JsonObject = {
    "backgroundColor": _WHITE,
    "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3},
    "verticalAlignment": "BOTTOM",
    "wrapStrategy": "OVERFLOW_CELL",
    "textFormat": {
        "foregroundColor": _BLACK,
        "fontFamily": "arial,sans,sans-serif",
        "fontSize": 10,
        "bold": False,
        "italic": False,
        "strikethrough": False,
        "underline": False,
        "foregroundColorStyle": {"rgbColor": _BLACK},
    },
    "backgroundColorStyle": {"rgbColor": _WHITE},
}
_EFFECTIVE: JsonObject = {**DEFAULT_FORMAT, "hyperlinkDisplayType": "PLAIN_TEXT"}
_THEME = {
    "TEXT": (0, 0, 0),
    "BACKGROUND": (255, 255, 255),
    "ACCENT1": (66, 133, 244),
    "ACCENT2": (234, 67, 53),
    "ACCENT3": (251, 188, 4),
    "ACCENT4": (52, 168, 83),
    "ACCENT5": (255, 109, 1),
    "ACCENT6": (70, 189, 198),
    "LINK": (17, 85, 204),
}


def _single_precision(number: float) -> float:
    """A number as the API writes one of 32 bits: with the fewest digits that tell it apart."""
    rounded = struct.unpack("f", struct.pack("f", number))[0]
    shortest = next(
        each for digits in range(1, 10) if struct.pack("f", each := float(f"{rounded:.{digits}g}"))
        == struct.pack("f", rounded)
    )  # fmt: skip
    return int(shortest) if shortest.is_integer() else shortest


def _colour(parts: JsonMapping) -> JsonObject:
    """A `Color` as the API writes it: without what is 0."""
    return {name: _single_precision(value) for name, value in parts.items() if value}


SPREADSHEET_DEFAULTS: JsonObject = {
    "title": "Untitled spreadsheet",
    "locale": "en_US",
    "autoRecalc": "ON_CHANGE",
    "timeZone": "Etc/GMT",
    "defaultFormat": DEFAULT_FORMAT,
    "spreadsheetTheme": {
        "primaryFontFamily": "Arial",
        "themeColors": [
            {
                "colorType": name,
                "color": {
                    "rgbColor": _colour(
                        dict(zip(("red", "green", "blue"), (n / 255 for n in parts), strict=True))
                    )
                },
            }
            for name, parts in _THEME.items()
        ],
    },
}
"""What the service says of a new spreadsheet."""


def stored(value: Any) -> Any:
    """An object of a request as the API gives it back.

    Without what is null or false, the first sheet's id, no frozen rows; colours also as styles.
    """
    if isinstance(value, list):
        return [stored(each) for each in value]
    if not isinstance(value, dict):
        return value
    made: JsonObject = {}
    for name, each in value.items():
        plain = name.removesuffix("Style")
        if each is None or (each is False and name not in _KEPT_FALSE):
            continue
        if not each and name in _LEFT_OUT_AT_0:
            continue
        if plain not in _COLOURS or not isinstance(each, dict):
            made[name] = stored(each)
        elif name != plain:
            rgb = each.get("rgbColor")
            if rgb is not None:
                made |= {plain: _colour(rgb), name: {**each, "rgbColor": _colour(rgb)}}
            elif each.get("themeColor"):
                made[name] = each
        else:
            made |= {name: _colour(each), f"{name}Style": {"rgbColor": _colour(each)}}
    return made


def new_properties(title: str, ident: int) -> JsonObject:
    """Properties of an empty sheet; its place is told when it is shown."""
    grid = {"rowCount": ROWS, "columnCount": COLUMNS}
    return {"sheetId": ident, "title": title, "index": 0, "sheetType": "GRID",
            "gridProperties": grid}  # fmt: skip


@dataclass
class Sheet:
    """One sheet, whose lists are its own and whose cells are shared and never changed in place.

    Attributes:
        properties: `SheetProperties`.
        lines: `RowData` of its rows, as far as they hold anything.
        dimensions: `DimensionProperties` of rows and columns, as far as any is set.
        further: Its other fields: merges, protected ranges, filters, charts.
    """

    properties: JsonObject
    lines: list[JsonObject] = field(default_factory=list)
    dimensions: dict[Dimension, list[JsonObject]] = field(
        default_factory=lambda: {"ROWS": [], "COLUMNS": []}
    )
    further: JsonObject = field(default_factory=dict)

    def copied(self, title: str, ident: int) -> "Sheet":
        """A copy of it with a title and an id of its own."""
        properties = {**self.properties, "title": title, "sheetId": ident}
        dimensions = {name: list(each) for name, each in self.dimensions.items()}
        further = {
            name: _of_sheet(each, ident) for name, each in self.further.items()
        }  # fmt: skip
        return Sheet(properties, list(self.lines), dimensions, further)

    @property
    def title(self) -> str:
        """Its title."""
        return str(self.properties["title"])

    @property
    def ident(self) -> int:
        """Its id."""
        return int(self.properties["sheetId"])

    def size(self, dimension: Dimension) -> int:
        """How many rows or columns it has."""
        grid = self.properties.get("gridProperties") or {}
        return int(grid.get("rowCount" if dimension == "ROWS" else "columnCount", 0))

    def resize(self, rows: int, columns: int) -> None:
        """Give it so many rows and columns; cells beyond them are gone."""
        grid = {**self.properties.get("gridProperties", {}), "rowCount": rows,
                "columnCount": columns}  # fmt: skip
        self.properties = {**self.properties, "gridProperties": grid}
        del self.lines[rows:]
        for number, line in enumerate(self.lines):
            if len(line.get("values", ())) > columns:
                self.lines[number] = {**line, "values": line["values"][:columns]}
        for dimension, size in (("ROWS", rows), ("COLUMNS", columns)):
            del self.dimensions[dimension][size:]  # type: ignore[index]

    @property
    def area(self) -> Area:
        """All of its cells."""
        return Area(self.title, 0, 0, self.size("ROWS"), self.size("COLUMNS"))

    def area_of(self, grid: JsonMapping) -> Area:
        """The cells that a `GridRange` of it means."""
        return range_of_grid(grid, self.title).within(self.size("ROWS"), self.size("COLUMNS"))

    def cells(self, row: int) -> Sequence[JsonObject]:
        """The cells of a row, as far as they hold anything."""
        found: Sequence[JsonObject] = (
            self.lines[row].get("values", ()) if 0 <= row < len(self.lines) else ()
        )
        return found

    def cell(self, row: int, column: int) -> JsonMapping:
        """A cell."""
        cells = self.cells(row)
        return cells[column] if 0 <= column < len(cells) else NO_CELL

    def put_cells(self, row: int, column: int, cells: Sequence[JsonMapping]) -> None:
        """Put cells side by side into a row, which is copied once."""
        if row >= len(self.lines):
            if not any(cells):
                return
            self.lines += [{} for _ in range(row + 1 - len(self.lines))]
        values = [*self.cells(row)]
        values += [{}] * (column + len(cells) - len(values))
        values[column : column + len(cells)] = map(dict, cells)
        while values and not values[-1]:
            values.pop()
        self.lines[row] = {"values": values} if values else {}

    def used(self) -> Area | None:
        """The smallest range from the first cell that holds every value, or None."""
        bottom = right = 0
        for number, line in enumerate(self.lines):
            held = [n for n, cell in enumerate(line.get("values", ())) if has_value(cell)]
            if held:
                bottom, right = number + 1, max(right, held[-1] + 1)
        return Area(self.title, 0, 0, bottom, right) if bottom else None

    def merges(self) -> list[Area]:
        """Its merged ranges."""
        return [self.area_of(each) for each in self.further.get("merges", ())]

    def set_merges(self, merges: Sequence[Area]) -> None:
        """Give it these merged ranges."""
        self.further.pop("merges", None)
        if merges:
            self.further["merges"] = [grid_of_area(each, self.ident) for each in merges]


def _of_sheet(value: Json, ident: int) -> Json:
    """A value whose ranges are on another sheet."""
    if isinstance(value, list):
        return [_of_sheet(each, ident) for each in value]
    if not isinstance(value, dict):
        return value
    if is_grid_range(value) or "dimension" in value or "rowIndex" in value:
        return {"sheetId": ident, **{k: each for k, each in value.items() if k != "sheetId"}}
    return {name: _of_sheet(each, ident) for name, each in value.items()}


def has_value(cell: JsonMapping) -> bool:
    """Whether a cell holds a value, not only a format or a note."""
    return any(name in cell for name in _VALUES[:3])


def entered_value(cell: JsonMapping) -> Json:
    """What was entered into a cell: text, number, truth value, a formula, or None."""
    entered = cell.get("userEnteredValue") or cell.get("effectiveValue") or {}
    for name in _ENTERED:
        if name in entered:
            return entered[name]
    return cell.get("formattedValue")


def formula_of(cell: JsonMapping) -> str:
    """The formula of a cell, or an empty string."""
    return str((cell.get("userEnteredValue") or {}).get("formulaValue", ""))


def with_entered(cell: JsonMapping, entered: JsonObject | None) -> JsonObject:
    """A cell with another `userEnteredValue`; its format and note stay."""
    rest = {name: value for name, value in cell.items() if name not in _VALUES}
    return rest if entered is None else {"userEnteredValue": entered, **rest}


def enter_value(value: Json, option: str, cell: JsonMapping = NO_CELL) -> JsonObject:
    """A cell into which a value of a request is entered.

    Args:
        value: The value; an empty text empties the cell.
        option: `RAW` or `USER_ENTERED`.
        cell: The cell as it is.
    """
    if isinstance(value, str) and option == "RAW":
        return with_entered(cell, {"stringValue": value} if value else None)
    if isinstance(value, str):
        entered, suggested = enter_text(value)
        made = with_entered(cell, entered)
        own = made.get("userEnteredFormat", {})
        if suggested and "numberFormat" not in own:
            made["userEnteredFormat"] = {**own, "numberFormat": suggested}
        return made
    kind = "boolValue" if isinstance(value, bool) else "numberValue"
    return with_entered(cell, {kind: value})


class _DeferredError(Exception):
    """A cell has to be computed before those that wait for it, since they are too many."""

    def __init__(self, place: tuple[Sheet, int, int]) -> None:
        super().__init__()
        self.place = place


@dataclass
class Book:
    """A spreadsheet.

    Attributes:
        world: The session's state.
        row: Its fields beside its sheets.
        sheets: Its sheets, in order.
        editor: Address of who changes it, or an empty string.
    """

    world: World
    row: JsonObject
    sheets: list[Sheet]
    editor: str = ""
    _computed: dict[tuple[int, int, int], Value] = field(default_factory=dict)

    @property
    def ident(self) -> str:
        """Its id."""
        return str(self.row["spreadsheetId"])

    def titles(self) -> list[str]:
        """The titles of its sheets."""
        return [each.title for each in self.sheets]

    def titled(self, title: str) -> Sheet:
        """The sheet of a title, which is there."""
        return next(each for each in self.sheets if each.title == title)

    def sheet(self, ident: object, noun: str = "sheet") -> Sheet:
        """The sheet of an id.

        Raises:
            ApiError: 400; there is none.
        """
        for each in self.sheets:
            if each.ident == (ident or 0):
                return each
        raise invalid(f"No {noun} with id: {ident or 0}")

    def grid(self, asked: JsonMapping) -> tuple[Sheet, Area]:
        """The sheet and the cells that a `GridRange` means.

        Raises:
            ApiError: 400; there is no such sheet.
        """
        sheet = self.sheet(asked.get("sheetId"), "grid")
        return sheet, sheet.area_of(asked)

    def named_ranges(self) -> Mapping[str, Range]:
        """Its named ranges, by their names."""
        titles = {each.ident: each.title for each in self.sheets}
        return {
            str(each["name"]): range_of_grid(each["range"], titles[each["range"].get("sheetId", 0)])
            for each in self.row.get("namedRanges", ())
            if each.get("range", {}).get("sheetId", 0) in titles
        }

    def read_range(self, text: str) -> tuple[Sheet, Area]:
        """The sheet and the cells that a range of a request means.

        Raises:
            ApiError: 400; no range, or beyond the sheet.
        """
        sheet, asked = self._range(text)
        return sheet, asked.within(sheet.size("ROWS"), sheet.size("COLUMNS"))

    def written_range(self, text: str) -> tuple[Sheet, Area]:
        """The sheet and the cells of a range to write to, which may end beyond the sheet.

        Raises:
            ApiError: 400; no range, or one that begins beyond the sheet.
        """
        sheet, asked = self._range(text)
        rows = max(asked.bottom or 0, sheet.size("ROWS"))
        return sheet, asked.within(rows, max(asked.right or 0, sheet.size("COLUMNS")))

    def _range(self, text: str) -> tuple[Sheet, Range]:
        asked = parse_range(text, self.titles(), self.named_ranges())
        sheet = self.titled(asked.sheet)
        rows, columns = sheet.size("ROWS"), sheet.size("COLUMNS")
        if asked.top >= rows or asked.left >= columns:
            raise invalid(
                f"Range ({text}) exceeds grid limits. Max rows: {rows}, max columns: {columns}"
            )
        return sheet, asked

    def check_size(self) -> None:
        """Refuse a spreadsheet of more cells than the service allows.

        Raises:
            ApiError: 400.
        """
        if sum(each.size("ROWS") * each.size("COLUMNS") for each in self.sheets) > MOST_CELLS:
            raise invalid(
                "This action would increase the number of cells in the workbook above the limit of"
                f" {MOST_CELLS} cells."
            )

    def changed(self) -> None:
        """Note that cells have changed: formulas are computed again."""
        self._computed.clear()

    def value(self, sheet: Sheet, row: int, column: int) -> Value:
        """What a cell comes to.

        Raises:
            ApiError: 501; its formula is not computed here, and the snapshot does not hold what it
                comes to.
        """
        waiting = [(sheet, row, column)]
        while True:
            try:
                found = self._value(*waiting[-1], 0)
            except _DeferredError as deferred:
                if deferred.place in waiting:
                    other, *place = deferred.place
                    self._computed[other.ident, place[0], place[1]] = REF_ERROR
                else:
                    waiting.append(deferred.place)
                continue
            waiting.pop()
            if not waiting:
                return found

    def _value(self, sheet: Sheet, row: int, column: int, depth: int) -> Value:
        cell = sheet.cell(row, column)
        formula, key = formula_of(cell), (sheet.ident, row, column)
        if not formula:
            plain: Value = entered_value(cell)
            return plain
        if key in self._computed:
            return self._computed[key]
        if depth > _MOST_DEPTH:
            raise _DeferredError((sheet, row, column))
        self._computed[key] = REF_ERROR  # what a formula finds that leads back to itself
        try:
            self._computed[key] = self._compute(sheet, formula, depth)
        except _DeferredError:
            del self._computed[key]
            raise
        except (UncomputedError, RecursionError, ApiError) as error:
            del self._computed[key]
            known = cell.get("effectiveValue") or {}
            found = next((known[name] for name in _ENTERED if name in known), None)
            if found is None:
                if isinstance(error, ApiError):
                    raise
                place = Area(sheet.title, row, column, row + 1, column + 1)
                raise _uncomputed(place, formula, error) from error
            self._computed[key] = found
        return self._computed[key]

    def _compute(self, sheet: Sheet, formula: str, depth: int) -> Value:
        def read(text: str) -> Cells:
            own = text if "!" in text else f"{quote_sheet(sheet.title)}!{text}"
            try:
                other, area = self.read_range(text if text in self.named_ranges() else own)
            except ApiError as error:
                raise LookupError(text) from error
            rows = range(area.top, max(min(area.bottom, len(other.lines)), area.top + 1))
            columns = range(area.left, area.right)
            return [[self._value(other, r, c, depth + 1) for c in columns] for r in rows]

        now = serial_of(self.world.clock.now())
        clock = {"TODAY": lambda: int(now), "NOW": lambda: now}
        return Computation(read, {**FUNCTIONS, **clock}).value(formula)

    def number_format(self, cell: JsonMapping) -> JsonMapping | None:
        """The number format by which a cell is shown, or None."""
        own: JsonMapping | None = cell.get("userEnteredFormat", {}).get("numberFormat")
        if own is None and (formula := formula_of(cell)):
            kind = next((k for start, k in _RESULT_TYPES.items()
                         if formula.upper().startswith(start)), "")  # fmt: skip
            return {"type": kind, "pattern": USUAL_PATTERNS[kind]} if kind else None
        return own

    def display_text(self, sheet: Sheet, row: int, column: int) -> str:
        """A cell's value as a text, by its format."""
        cell, value = sheet.cell(row, column), self.value(sheet, row, column)
        if isinstance(value, FormulaError):
            return value.text
        if not has_value(cell):
            return ""
        return show_value(value, self.number_format(cell))

    def cell_data(self, sheet: Sheet, row: int, column: int) -> JsonObject:
        """A cell as the API answers it."""
        cell = sheet.cell(row, column)
        if not cell:
            return {}
        made = dict(cell)
        if "userEnteredValue" in cell:
            made["effectiveValue"] = extended_value(self.value(sheet, row, column))
            made["formattedValue"] = self.display_text(sheet, row, column)
        made["effectiveFormat"] = _merged(
            _EFFECTIVE,
            {**cell.get("userEnteredFormat", {}),
             **({"numberFormat": each} if (each := self.number_format(cell)) else {})},
        )  # fmt: skip
        return made

    def insert(self, sheet: Sheet, dimension: Dimension, start: int, count: int) -> None:
        """Insert empty rows or columns."""
        rows, columns = sheet.size("ROWS"), sheet.size("COLUMNS")
        held = sheet.dimensions[dimension]
        if start < len(held):
            held[start:start] = [{} for _ in range(count)]
        if dimension == "ROWS":
            sheet.resize(rows + count, columns)
            if start < len(sheet.lines):
                sheet.lines[start:start] = [{} for _ in range(count)]
        else:
            sheet.resize(rows, columns + count)
            for number, line in enumerate(sheet.lines):
                cells = line.get("values", ())
                if len(cells) > start:
                    made = [*cells[:start], *({} for _ in range(count)), *cells[start:]]
                    sheet.lines[number] = {"values": made}
        self.shift(Shift(sheet.ident, dimension, start, count))

    def remove(self, sheet: Sheet, dimension: Dimension, start: int, end: int) -> None:
        """Delete rows or columns."""
        rows, columns = sheet.size("ROWS"), sheet.size("COLUMNS")
        count = end - start
        del sheet.dimensions[dimension][start:end]
        if dimension == "ROWS":
            del sheet.lines[start:end]
            sheet.resize(rows - count, columns)
        else:
            for number, line in enumerate(sheet.lines):
                cells = line.get("values", ())
                if len(cells) > start:
                    sheet.lines[number] = {"values": [*cells[:start], *cells[end:]]}
            sheet.resize(rows, columns - count)
        self.shift(Shift(sheet.ident, dimension, start, -count))

    def shift(self, shift: Shift) -> None:
        """Let ranges and formulas follow rows or columns that come or go."""
        for sheet in self.sheets:
            sheet.further = {
                name: moved for name, each in sheet.further.items()
                if (moved := shift.moved(each)) not in (None, [])
            }  # fmt: skip
        if "namedRanges" in self.row:
            self.row = {**self.row, "namedRanges": shift.moved(self.row["namedRanges"])}
        self.rewrite(self.sheet(shift.sheet_id), shift.corners)

    def rewrite(self, target: Sheet, change: Callable[[str], str | None]) -> None:
        """Change the corners of all references to a sheet; None where the cells are gone."""
        for sheet in self.sheets:

            def change_own(title: str, corners: str, own: str = sheet.title) -> str | None:
                return change(corners) if (title or own) == target.title else corners

            for row, line in enumerate(sheet.lines):
                for column, cell in enumerate(line.get("values", ())):
                    formula = formula_of(cell)
                    after = move_references(formula, change_own) if formula else ""
                    if after != formula:
                        sheet.put_cells(row, column, [with_entered(cell, {"formulaValue": after})])
        self.changed()

    def to_row(self) -> JsonObject:
        """It as it is kept, and answered with grid data."""
        sheets = []
        for index, sheet in enumerate(self.sheets):
            data: JsonObject = {"rowData": sheet.lines}
            for dimension, name in _METADATA.items():
                if any(sheet.dimensions[dimension]):
                    data[name] = sheet.dimensions[dimension]
            properties = {**sheet.properties, "index": index}
            sheets.append({"properties": properties, **sheet.further, "data": [data]})
        return {**self.row, "sheets": sheets}


_METADATA: Mapping[Dimension, str] = {"ROWS": "rowMetadata", "COLUMNS": "columnMetadata"}


def sheet_of(given: JsonMapping, number: int) -> Sheet:
    """A sheet of a snapshot or a request, with what it leaves out."""
    usual = new_properties(f"Sheet{number + 1}", number)
    own = {**usual, **given.get("properties", {})}
    own["gridProperties"] = {**usual["gridProperties"], **(own.get("gridProperties") or {})}
    further = {name: each for name, each in given.items() if name not in {"properties", "data"}}
    sheet = Sheet(own, further=further)
    blocks = given.get("data", ())
    for block in blocks:
        for dimension, name in _METADATA.items():
            sheet.dimensions[dimension] = list(block.get(name, ()))
        top, left = int(block.get("startRow", 0)), int(block.get("startColumn", 0))
        if len(blocks) == 1 and not top and not left:
            sheet.lines = list(block.get("rowData", ()))
            break
        for down, line in enumerate(block.get("rowData", ())):
            sheet.put_cells(top + down, left, line.get("values", ()))
    return sheet


def extended_value(value: Value) -> JsonObject:
    """A value as an `ExtendedValue`."""
    if isinstance(value, FormulaError):
        return {"errorValue": {"type": ERROR_TYPES[value.text], "message": value.text}}
    if isinstance(value, bool):
        return {"boolValue": value}
    return (
        {"numberValue": value} if isinstance(value, int | float) else {"stringValue": value or ""}
    )


def _merged(under: JsonMapping, over: JsonMapping) -> JsonObject:
    made = dict(under)
    for name, value in over.items():
        own = made.get(name)
        nested = isinstance(value, dict) and "olor" not in name
        made[name] = _merged(own, value) if nested and isinstance(own, dict) else value
    return made


def _uncomputed(place: Area, formula: str, error: UncomputedError | RecursionError) -> ApiError:
    what = "so deep an expression" if isinstance(error, RecursionError) else str(error)
    text = (
        f"{place} holds the formula {formula!r}, and {what} is not computed here: hold its"
        " effectiveValue in the snapshot, or ask for valueRenderOption=FORMULA"
    )
    return ApiError(501, text, reason="notImplemented", code_name="UNIMPLEMENTED")
