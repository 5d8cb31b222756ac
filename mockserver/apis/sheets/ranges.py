"""Ranges of cells: in A1 and R1C1 notation, by named ranges, and as `GridRange` objects."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from typing_extensions import override

from mockserver.googleapi import ApiError, invalid
from mockserver.model import Json, JsonMapping, JsonObject

_SHEET = re.compile(r"^(?:'((?:[^']|'')*)'|([^'!]+))(?:!(.*))?$", re.DOTALL)
_CORNER = re.compile(r"^\$?([A-Za-z]{1,3})?\$?([1-9]\d{0,7})?$")
_NUMBERED = re.compile(r"^R([1-9]\d{0,7})C([1-9]\d{0,4})$")
_REFERENCE = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d+)|(\$?)([A-Za-z]{1,3})|(\$?)(\d+)")
_PLAIN = re.compile(r"\w+")

Dimension = Literal["ROWS", "COLUMNS"]
BOUNDS: Final[Mapping[Dimension, tuple[str, str]]] = {
    "ROWS": ("startRowIndex", "endRowIndex"),
    "COLUMNS": ("startColumnIndex", "endColumnIndex"),
}
"""Fields of a `GridRange` that say where it begins and ends."""
_EVERY_BOUND = tuple(name for pair in BOUNDS.values() for name in pair)


@dataclass(frozen=True)
class Range:
    """A rectangle of cells, counted from 0; what ends nowhere ends with the sheet.

    Attributes:
        sheet: Title of the sheet.
        top: First row.
        left: First column.
        bottom: The row after the last, or None.
        right: The column after the last, or None.
    """

    sheet: str
    top: int = 0
    left: int = 0
    bottom: int | None = None
    right: int | None = None

    @property
    def is_cell(self) -> bool:
        """Whether it is one cell, which for a write is where it begins."""
        return self.bottom == self.top + 1 and self.right == self.left + 1

    def within(self, rows: int, columns: int) -> "Area":
        """The range with its ends, on a sheet of so many rows and columns."""
        bottom = rows if self.bottom is None else min(self.bottom, rows)
        right = columns if self.right is None else min(self.right, columns)
        return Area(self.sheet, self.top, self.left, bottom, right)

    @override
    def __str__(self) -> str:
        sheet = self.sheet if _PLAIN.fullmatch(self.sheet) else quote_sheet(self.sheet)
        if self.bottom is None or self.right is None:
            return sheet
        first = f"{column_name(self.left)}{self.top + 1}"
        if self.is_cell:
            return f"{sheet}!{first}"
        return f"{sheet}!{first}:{column_name(self.right - 1)}{self.bottom}"


@dataclass(frozen=True)
class Area(Range):
    """A range that has its ends."""

    bottom: int = 0
    right: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return self.bottom - self.top, self.right - self.left

    def contains(self, other: "Area") -> bool:
        """Whether all cells of another range are in it."""
        return (
            self.top <= other.top and other.bottom <= self.bottom
            and self.left <= other.left and other.right <= self.right
        )  # fmt: skip

    def overlaps(self, other: "Area") -> bool:
        """Whether a cell is in both."""
        return (
            self.top < other.bottom and other.top < self.bottom
            and self.left < other.right and other.left < self.right
        )  # fmt: skip


def parse_range(
    text: str, sheets: Sequence[str], named: Mapping[str, Range] | None = None
) -> Range:
    """A range of a request.

    Args:
        text: `Sheet1!A1:B2`, `A:C`, `'My sheet'!A2`, `Sheet1`, `'Sheet1'`, `R1C1:R2C2`, a name.
        sheets: Titles of the sheets, the first of which is meant where none is named.
        named: Named ranges, by their names.

    Raises:
        ApiError: 400; no range, or of a sheet that is not there.
    """
    if named and text in named:
        return named[text]
    if text in sheets:
        return Range(text)
    found = _SHEET.match(text)
    title = (found[1] or found[2]).replace("''", "'") if found else ""
    if found and found[3] is None and title in sheets and text.startswith("'"):
        return Range(title)
    if found and found[3] is not None:
        sheet, corners = title, found[3]
    else:
        sheet, corners = (sheets[0] if sheets else ""), text
    if sheet not in sheets:
        raise _bad_range(text)
    if named and corners in named and named[corners].sheet == sheet:
        return named[corners]
    return _between_corners(text, sheet, corners)


def _between_corners(text: str, sheet: str, corners: str) -> Range:
    first, colon, last = corners.partition(":")
    start, end = _corner(first), _corner(last or first)
    if start is None or end is None or not first or (colon and not last):
        raise _bad_range(text)
    if not colon and None in start:
        raise _bad_range(text)  # `A` alone would be a named range
    rows = sorted(each[0] for each in (start, end) if each[0] is not None)
    columns = sorted(each[1] for each in (start, end) if each[1] is not None)
    return Range(
        sheet,
        top=rows[0] if rows else 0,
        left=columns[0] if columns else 0,
        bottom=None if end[0] is None or not rows else rows[-1] + 1,
        right=None if end[1] is None or not columns else columns[-1] + 1,
    )


def _corner(text: str) -> tuple[int | None, int | None] | None:
    """Row and column of a corner, from 0; None for what it leaves open."""
    numbered = _NUMBERED.match(text)
    if numbered:
        return int(numbered[1]) - 1, int(numbered[2]) - 1
    found = _CORNER.match(text)
    if found is None:
        return None
    row = int(found[2]) - 1 if found[2] else None
    return row, column_number(found[1]) if found[1] else None


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


def quote_sheet(sheet: str) -> str:
    """A sheet's title in quotes, as ranges have it."""
    return "'" + sheet.replace("'", "''") + "'"


def _bad_range(text: str) -> ApiError:
    return invalid(f"Unable to parse range: {text}")


def range_of_grid(grid: JsonMapping, sheet: str) -> Range:
    """The range that a `GridRange` means on the sheet of its id."""
    return Range(
        sheet,
        int(grid.get("startRowIndex") or 0),
        int(grid.get("startColumnIndex") or 0),
        grid.get("endRowIndex"),
        grid.get("endColumnIndex"),
    )


def grid_of_area(area: Area, sheet_id: int) -> JsonObject:
    """The `GridRange` of a range; the id of the first sheet, 0, is left out as the API does."""
    bounds = (area.top, area.bottom, area.left, area.right)
    grid: JsonObject = {"sheetId": sheet_id} if sheet_id else {}
    return grid | dict(zip(_EVERY_BOUND, bounds, strict=True))


def is_grid_range(value: Json) -> bool:
    """Whether a value is a `GridRange` with a bound."""
    return isinstance(value, dict) and any(name in value for name in _EVERY_BOUND)


def map_corners(corners: str, place: Callable[[str, int, str], int | None]) -> str | None:
    """Corners of a reference with each row and column changed.

    Args:
        corners: `A1`, `$A$1:B2`, `A:C`.
        place: Of a dimension, an index from 0, and `$` where it is absolute, the index afterwards.
    """
    made = []
    for corner in corners.split(":"):
        found = _REFERENCE.fullmatch(corner)
        if found is None:
            return corners
        text = ""
        fixed, letters = (found[1], found[2]) if found[2] else (found[5], found[6])
        if letters:
            column = place("COLUMNS", column_number(letters), fixed)
            if column is None or column < 0:
                return None
            text += f"{fixed}{column_name(column)}"
        fixed, digits = (found[3], found[4]) if found[4] else (found[7], found[8])
        if digits:
            row = place("ROWS", int(digits) - 1, fixed)
            if row is None or row < 0:
                return None
            text += f"{fixed}{row + 1}"
        made.append(text)
    return ":".join(made)


@dataclass(frozen=True)
class Shift:
    """Rows or columns that come or go in a sheet, and what it does to ranges.

    Attributes:
        sheet_id: The sheet.
        dimension: `ROWS` or `COLUMNS`.
        start: Where they come, or the first that goes.
        count: How many come; negative for those that go.
    """

    sheet_id: int
    dimension: Dimension
    start: int
    count: int

    def place(self, index: int) -> int | None:
        """Where a row or column is afterwards; None when it is gone."""
        if index < self.start:
            return index
        if self.count < 0 and index < self.start - self.count:
            return None
        return index + self.count

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """Where a range begins and ends afterwards."""
        if self.count >= 0:
            grown = end + self.count if self.start < end else end
            return (start + self.count if self.start <= start else start), grown
        return self._shrunk(start), self._shrunk(end)

    def _shrunk(self, bound: int) -> int:
        return bound if bound <= self.start else max(self.start, bound + self.count)

    def corners(self, corners: str) -> str | None:
        """Corners of a reference as they are afterwards; None when the cells are gone."""

        def placed(corner: str, edge: int) -> tuple[str | None, str | None]:
            """The corner, and what it is where its own row or column is gone."""

            def place(dimension: str, index: int, _: str) -> int | None:
                return self.place(index) if dimension == self.dimension else index

            def nearest(dimension: str, index: int, _: str) -> int | None:
                found = place(dimension, index, "")
                return edge if found is None else found

            return map_corners(corner, place), map_corners(corner, nearest)

        first, colon, last = corners.partition(":")
        if not colon:
            return placed(first, 0)[0]
        (start, near_start), (end, near_end) = (
            placed(first, self.start),
            placed(last, self.start - 1),
        )
        if start is None and end is None:
            return None
        return f"{start or near_start}:{end or near_end}"

    def moved(self, value: Json) -> Json:
        """A value with the ranges in it as they are afterwards; a range that is gone is None."""
        if isinstance(value, list):
            moved = [self.moved(each) for each in value]
            return [each for each in moved if each is not None]
        if not isinstance(value, dict):
            return value
        if is_grid_range(value):
            return self._moved_grid(value) if value.get("sheetId", 0) == self.sheet_id else value
        if value.get("dimension") == self.dimension and "endIndex" in value:
            start, end = self.bounds(int(value.get("startIndex") or 0), int(value["endIndex"]))
            return {**value, "startIndex": start, "endIndex": end} if start < end else None
        found = {name: self.moved(each) for name, each in value.items()}
        is_gone = found.get("range", 0) is None
        return None if is_gone else found

    def _moved_grid(self, grid: JsonObject) -> JsonObject | None:
        first, last = BOUNDS[self.dimension]
        if last not in grid and first not in grid:
            return grid
        open_end = 10**9
        start, end = self.bounds(int(grid.get(first) or 0), int(grid.get(last) or open_end))
        if start >= end:
            return None
        return {**grid, **({first: start} if first in grid else {}),
                **({last: end} if last in grid else {})}  # fmt: skip
