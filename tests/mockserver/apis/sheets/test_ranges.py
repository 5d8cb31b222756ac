import pytest

from mockserver.apis.sheets.ranges import Range, column_name, column_number, parse_range
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
