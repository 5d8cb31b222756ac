"""What every function comes to, over the same arguments: numbers, texts, ranges, and too few."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from mockserver.apis.sheets.formulas import NA_ERROR, VALUE_ERROR, FormulaError
from mockserver.apis.sheets.functions import FUNCTIONS
from mockserver.googleapi import ApiError
from tests.mockserver.apis.sheets.test_formulas import book_with

USUAL = [NA_ERROR, VALUE_ERROR]
"""What most functions come to where arguments are too few or of another kind; not written down."""

GOLDEN = Path(__file__).with_name("functions.golden.txt")
NUMBERS = ("-2.5", "0", "1", "2", "3.75")
ARGUMENTS = [
    "",
    *NUMBERS,
    "46000.5",
    '"2.5"', '"tea"', '"Ab c"', '""', "TRUE", "1/0", "NA()", "B3", "B1:B4", "A1:A4", "C1:C4",
    *map(",".join, product(NUMBERS, ("-1", "1", "2"))),
    "46000,46090", "46090,46000", '"t",A1', '"e","tea tea"', '"tea","t.(a)"', '"a","a"',
    '"-",A1:A2',
    "B1:B4,2", "B1:B4,0.5", 'A1:A4,"tea"', 'B1:B4,">=3.5"', 'B1:B4,"<>4"', "A1:B4,2", "2,B1:B4",
    *map(",".join, product(("1", "5"), ("0", "2"), ("-1", "0", "3"))),
    '46000,46400,"D"', '46000,46400,"M"', '46000,46400,"Y"', '46000,46400,"YM"', '46000,46400,"MD"',
    '46000,46400,"YD"', "46000,46010,46003", '"tea","e","o"', '"tea","^(.)","$1$1"', '"milk",2,2',
    '"tea",A1:B4,2', '2,B1:B4,1', '3,B1:B2,1', '4,B1:B4,-1', '"milk",A1:A4,B1:B4', '",",TRUE,A1:B2',
    'B1:B4,A1:A4,"tea"', 'A1:A4,"tea",B1:B4', '"tea",A1:B4,2,FALSE', '"teapot",2,1,"xyz"',
    'A1:A4,"tea",B1:B4,">2"', 'B1:B4,A1:A4,"t*",B1:B4,">2"', '"no",A1:A4,B1:B4,"none"',
    '"aXbXc","X","-",2', '2,1,"a",2,"b","c"', 'FALSE,1,TRUE,2',
]  # fmt: skip


OPERANDS = ("1", "-2", "0.5", '"a"', '"B"', '"2"', "TRUE", "B3", "1/0")
SIGNS = ("+", "-", "*", "/", "^", "&", "=", "<>", "<", "<=", ">", ">=")


def _lines() -> Iterator[str]:
    for name in sorted(FUNCTIONS):
        yield from _values([f"={name}({given})" for given in ARGUMENTS])
    for sign in SIGNS:
        yield from _values([f"=({one}){sign}({two})" for one, two in product(OPERANDS, OPERANDS)])


def _values(formulas: Sequence[str]) -> Iterator[str]:
    book = book_with(*formulas)
    for row, formula in enumerate(formulas):
        try:
            found = book.value(book.sheets[0], row, 4)
        except ApiError as error:
            found = error.message
        if isinstance(found, float):
            found = float(f"{found:.12g}")
        if found not in USUAL:
            shown = found.text if isinstance(found, FormulaError) else repr(found)
            yield f"{formula}\t{shown[:60]}\n"


def test_every_function_comes_to_what_is_written_down() -> None:
    """`python -m tests.mockserver.apis.sheets.test_functions` writes it anew."""
    assert list(_lines()) == GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)


if __name__ == "__main__":
    GOLDEN.write_text("".join(_lines()), encoding="utf-8")
