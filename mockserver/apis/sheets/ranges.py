"""Ranges in A1 notation. Source: Google's guide to the Sheets API, "Cell references"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from mockserver.googleapi import ApiError, invalid

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
        sheet = self.sheet if re.fullmatch(r"\w+", self.sheet) else _quoted(self.sheet)
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
        raise _unreadable(text)
    first, colon, last = corners.partition(":")
    start, end = _CORNER.match(first), _CORNER.match(last or first)
    if start is None or end is None or not first or (colon and not last):
        raise _unreadable(text)
    if not colon and (start[1] is None or start[2] is None):
        raise _unreadable(text)  # `A` alone would be a named range
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


def _quoted(sheet: str) -> str:
    return "'" + sheet.replace("'", "''") + "'"


def _unreadable(text: str) -> ApiError:
    return invalid(f"Unable to parse range: {text}")
