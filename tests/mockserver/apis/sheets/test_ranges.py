import pytest

from mockserver.apis.sheets.ranges import (
    Dimension,
    Range,
    Shift,
    column_name,
    column_number,
    parse_range,
)
from mockserver.googleapi import ApiError

SHEETS = ("Sheet1", "My prices", "It's")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sheet1", Range("Sheet1")),
        ("'Sheet1'", Range("Sheet1")),
        ("'It''s'", Range("It's")),
        ("Sheet1!R2C1:R3C2", Range("Sheet1", 1, 0, 3, 2)),
        ("Sheet1!A2:2", Range("Sheet1", 1, 0, 2, None)),
        ("Total", Range("My prices", 0, 0, 1, 1)),
        ("'My prices'!Total", Range("My prices", 0, 0, 1, 1)),
        ("A1", Range("Sheet1", 0, 0, 1, 1)),
        ("$B$2:A1", Range("Sheet1", 0, 0, 2, 2)),
        ("'My prices'!B2:C4", Range("My prices", 1, 1, 4, 3)),
        ("'It''s'!A:B", Range("It's", 0, 0, None, 2)),
        ("Sheet1!2:3", Range("Sheet1", 1, 0, 3, None)),
        ("Sheet1!A2:C", Range("Sheet1", 1, 0, None, 3)),
    ],
)
def test_a_range_is_read(text: str, expected: Range) -> None:
    assert parse_range(text, SHEETS, {"Total": Range("My prices", 0, 0, 1, 1)}) == expected


@pytest.mark.parametrize(
    "text", ["", "A", "Sheet1!", "Nowhere!A1", "A1:", "A0", "A1:B2:C3", "a b", "'Gone'"]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_range(text, SHEETS)
    assert (caught.value.status, caught.value.message) == (400, f"Unable to parse range: {text}")


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Range("Sheet1"), "Sheet1"),
        (Range("My prices", 0, 0, 1, 1), "'My prices'!A1"),
        (Range("It's", 1, 26, 3, 28), "'It''s'!AA2:AB3"),
    ],
)
def test_a_range_is_written_as_sheets_write_it(place: Range, text: str) -> None:
    assert str(place) == text


def test_columns_have_names_and_numbers() -> None:
    assert [column_number(column_name(number)) for number in (0, 25, 26, 701, 702)] == [
        0, 25, 26, 701, 702,
    ]  # fmt: skip


INDEXES, BOUNDS = range(6), [(0, 2), (1, 3), (2, 4), (3, 4), (2, 2)]
CORNERS = ["A1", "$B$2", "C3", "D4:E5", "B2:C3", "A1:D4", "B:C", "2:3", "C3:C3", "Total"]


@pytest.mark.parametrize(
    ("dimension", "start", "count", "indexes", "bounds", "corners"),
    [
        ("ROWS", 2, 2, [0, 1, 4, 5, 6, 7], [(0, 2), (1, 5), (4, 6), (5, 6), (4, 2)],
         ["A1", "$B$2", "C5", "D6:E7", "B2:C5", "A1:D6", "B:C", "2:5", "C5:C5", "Total"]),
        ("ROWS", 0, 1, [1, 2, 3, 4, 5, 6], [(1, 3), (2, 4), (3, 5), (4, 5), (3, 3)],
         ["A2", "$B$3", "C4", "D5:E6", "B3:C4", "A2:D5", "B:C", "3:4", "C4:C4", "Total"]),
        ("ROWS", 1, -2, [0, None, None, 1, 2, 3], [(0, 1), (1, 1), (1, 2), (1, 2), (1, 1)],
         ["A1", None, None, "D2:E3", None, "A1:D2", "B:C", None, None, "Total"]),
        ("ROWS", 3, -1, [0, 1, 2, None, 3, 4], [(0, 2), (1, 3), (2, 3), (3, 3), (2, 2)],
         ["A1", "$B$2", "C3", "D4:E4", "B2:C3", "A1:D3", "B:C", "2:3", "C3:C3", "Total"]),
        ("COLUMNS", 2, 2, [0, 1, 4, 5, 6, 7], [(0, 2), (1, 5), (4, 6), (5, 6), (4, 2)],
         ["A1", "$B$2", "E3", "F4:G5", "B2:E3", "A1:F4", "B:E", "2:3", "E3:E3", "Total"]),
        ("COLUMNS", 1, -2, [0, None, None, 1, 2, 3], [(0, 1), (1, 1), (1, 2), (1, 2), (1, 1)],
         ["A1", None, None, "B4:C5", None, "A1:B4", None, "2:3", None, "Total"]),
    ],
)  # fmt: skip
def test_ranges_move_with_rows_and_columns_that_come_or_go(
    dimension: Dimension,
    start: int,
    count: int,
    indexes: list[int | None],
    bounds: list[tuple[int, int]],
    corners: list[str | None],
) -> None:
    shift = Shift(0, dimension, start, count)
    assert [shift.place(each) for each in INDEXES] == indexes
    assert [shift.bounds(*each) for each in BOUNDS] == bounds
    assert [shift.corners(each) for each in CORNERS] == corners
