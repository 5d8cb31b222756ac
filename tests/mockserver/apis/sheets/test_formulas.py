"""Formulas: what they come to, over the cells of a small sheet."""

from typing import Any

import pytest

from mockserver.apis.sheets.book import Book, sheet_of
from mockserver.apis.sheets.formulas import FormulaError
from mockserver.apis.sheets.state import put_values
from mockserver.googleapi import ApiError
from mockserver.state import Base, Clock, Ids, World
from tests.tenants import NOW

LINES: list[list[Any]] = [
    ["tea", 2, True],
    ["milk", 3.5, None],
    ["salt", None, "x"],
    ["Tea", 4, None],
]


def book_with(*formulas: str) -> Book:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(Base({}, {}, NOW), clock=clock, ids=Ids(1), session="s")
    sheet = sheet_of({"properties": {"title": "S"}}, 0)
    put_values(sheet, LINES, 0, 0, "RAW")
    put_values(sheet, [[each] for each in formulas], 0, 4, "USER_ENTERED")
    return Book(world, {"spreadsheetId": "b"}, [sheet])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=4/2", 2), ("=1+2*3^2-4%", 18.96), ("=-(2-5)&\"!\"", "3!"), ("=1/0", "#DIV/0!"),
        ("=A1*2", "#VALUE!"), ("=\"a\"=\"A\"", True), ("=B3=0", True), ("=2>=3", False),
        ("=\"a\">5", True), ("=B9", 0), ("=Z9999", "#REF!"), ("=nothing", "#NAME?"),
        ("=SUM(B1:B4)", 9.5), ("=SUM(B:B,1,\"2\")", 12.5), ("=AVERAGE(B1:B4)", 9.5 / 3),
        ("=AVERAGE(A1:A4)", "#DIV/0!"), ("=MEDIAN(B1:B4)", 3.5), ("=MIN(B1:B4)", 2),
        ("=MAX(S!B1:B4)", 4), ("='S'!$B$1", 2), ("=COUNT(A1:C4)", 3), ("=COUNTA(A1:C4)", 9),
        ("=COUNTBLANK(B1:B4)", 1), ("=COUNTIF(A1:A4,\"tea\")", 2), ("=COUNTIF(B1:B4,\">2\")", 2),
        ("=COUNTIF(A1:A4,\"<>tea\")", 2), ("=COUNTIF(A1:A4,\"?ea\")", 2), ("=COUNTIF(B1:B4,2)", 1),
        ("=COUNTIF(A1:A4,\">n\")", 3), ("=COUNTIFS(A1:A4,\"tea\",B1:B4,\">2\")", 1),
        ("=SUMIF(A1:A4,\"tea\",B1:B4)", 6), ("=SUMIF(B1:B4,\"<>2\")", 7.5),
        ("=SUMIFS(B1:B4,A1:A4,\"t*\")", 6), ("=AVERAGEIF(A1:A4,\"tea\",B1:B4)", 3),
        ("=VLOOKUP(\"milk\",A1:B4,2,FALSE)", 3.5), ("=VLOOKUP(\"no\",A1:B4,2,FALSE)", "#N/A"),
        ("=VLOOKUP(\"tea\",A1:B4,3)", "#REF!"), ("=VLOOKUP(\"tea\",A1:B4,0)", "#VALUE!"),
        ("=MATCH(3.5,B1:B4,0)", 2), ("=MATCH(3,B1:B2)", 1), ("=INDEX(A1:B4,2,2)", 3.5),
        ("=INDEX(A1:C1,3)", True), ("=INDEX(A1:B4,9)", "#REF!"), ("=ROWS(A1:B4)", 4),
        ("=COLUMNS(A1:B4)", 2), ("=ROUND(2.345,2)", 2.35), ("=ROUND(-2.5)", -3),
        ("=ROUNDUP(2.1)", 3), ("=TRUNC(-2.9)", -2), ("=INT(-2.5)", -3), ("=MOD(-1,3)", 2),
        ("=MOD(1,0)", "#DIV/0!"), ("=SQRT(-1)", "#VALUE!"), ("=POWER(2,10)", 1024),
        ("=2^5000", "#NUM!"), ("=(-8)^0.5", "#NUM!"), ("=IF(B1>1,\"y\",\"n\")", "y"),
        ("=IF(\"x\",1,2)", "#VALUE!"), ("=IF(\"true\",1,2)", 1), ("=IF(0,1)", 0),
        ("=IFS(FALSE,1,TRUE,2)", 2), ("=IFERROR(1/0,\"e\")", "e"), ("=AND(C1,B1)", True),
        ("=OR(FALSE,0)", False), ("=NOT(TRUE)", False), ("=CONCATENATE(A1,\" \",B1)", "tea 2"),
        ("=CONCAT(A1,1/0)", "#DIV/0!"), ("=JOIN(\"-\",A1:A2)", "tea-milk"), ("=LEN(A2)", 4),
        ("=UPPER(A1)&LOWER(\"B\")&PROPER(\"c\")", "TEAbC"), ("=TRIM(\" a  b \")", "a b"),
        ("=LEFT(A2,2)&RIGHT(A2)&MID(A2,2,2)", "mikil"), ("=MID(A2,0,1)", "#VALUE!"),
        ("=FIND(\"l\",A2)", 3), ("=FIND(\"z\",A2)", "#VALUE!"), ("=REPT(\"ab\",2)", "abab"),
        ("=SUBSTITUTE(\"aa\",\"a\",\"b\")", "bb"), ("=VALUE(\"2.5\")", 2.5),
        ("=TEXT(0.5,\"0%\")", "50%"), ("=TEXT(DATE(2026,3,2),\"yyyy-mm-dd\")", "2026-03-02"),
        ("=YEAR(TODAY())*100+MONTH(NOW())", 202603), ("=DAY(DATE(2026,14,3))", 3),
        ("=WEEKDAY(TODAY())", 2), ("=ISBLANK(B3)", True), ("=ISNUMBER(B1)", True),
        ("=ISTEXT(B1)", False), ("=ISERROR(NA())", True), ("=HYPERLINK(\"u\",\"l\")", "l"),
        ("=HYPERLINK(\"u\")", "u"), ("=PI()>3", True), ("=LEN()", "#N/A"),
        ("=SUM(1,#REF!)", "#REF!"),
        ("=SUMPRODUCT(B1:B2,B1:B2)", 16.25), ("=SUMPRODUCT(B1:B2,B1)", "#VALUE!"),
        ("=SUMSQ(B1:B2)", 16.25), ("=AVERAGEIFS(B1:B4,A1:A4,\"tea\")", 3),
        ("=AVERAGEIFS(B1:B4,A1:A4,\"no\")", "#DIV/0!"), ("=MAXIFS(B1:B4,B1:B4,\"<4\")", 3.5),
        ("=MINIFS(B1:B4,A1:A4,\"tea\")", 2), ("=COUNTUNIQUE(B1:B4,2)", 3),
        ("=LARGE(B1:B4,2)", 3.5), ("=SMALL(B1:B4,9)", "#NUM!"), ("=RANK(3.5,B1:B4)", 2),
        ("=RANK(3.5,B1:B4,TRUE)", 2), ("=RANK(9,B1:B4)", "#N/A"), ("=PERCENTILE(B1:B4,0.5)", 3.5),
        ("=QUARTILE(B1:B4,1)", 2.75), ("=MODE(1,2,2)", 2), ("=MODE(1,2)", "#N/A"),
        ("=STDEV(2,4)", 2**0.5), ("=STDEV(2)", "#DIV/0!"), ("=STDEVP(2,4)", 1), ("=VAR(2,4)", 2),
        ("=VARP(2,4)", 1), ("=SIGN(-3)", -1), ("=LOG(8,2)", 3), ("=LOG(100)", 2),
        ("=SIN(0)+COS(0)+TAN(0)", 1), ("=DEGREES(RADIANS(90))", 90), ("=QUOTIENT(-7,2)", -3),
        ("=CEILING(2.1,0.5)", 2.5), ("=FLOOR(2.9)", 2), ("=CEILING(2,-1)", "#NUM!"),
        ("=GCD(12,18)", 6), ("=LCM(4,6)", 12), ("=FACT(5)", 120), ("=FACT(-1)", "#NUM!"),
        ("=FACT(999999)", "#NUM!"), ("=COMBIN(5,2)", 10), ("=COMBIN(999999,500000)", "#NUM!"),
        ("=XOR(TRUE,1,1)", True), ("=SWITCH(B1,1,\"a\",2,\"b\")", "b"),
        ("=SWITCH(9,1,2,\"z\")", "z"), ("=SWITCH(9,1,2)", "#N/A"), ("=CHOOSE(2,\"a\",\"b\")", "b"),
        ("=CHOOSE(3,1)", "#NUM!"), ("=IFNA(NA(),1)", 1), ("=IFNA(1/0,1)", "#DIV/0!"),
        ("=ISNA(NA())", True), ("=ISERR(NA())", False), ("=ISERR(1/0)", True),
        ("=ISLOGICAL(C1)", True), ("=ISNONTEXT(A1)", False), ("=ISEVEN(B1)", True),
        ("=ISODD(3.9)", True), ("=N(A1)", 0), ("=T(A1)&T(B1)", "tea"),
        ("=EXACT(\"a\",\"A\")", False), ("=CHAR(65)", "A"), ("=CHAR(-1)", "#VALUE!"),
        ("=CODE(\"A\")", 65), ("=CLEAN(\"a\"&CHAR(7))", "a"), ("=SEARCH(\"E\",A1)", 2),
        ("=REPLACE(A1,1,1,\"p\")", "pea"), ("=TEXTJOIN(\",\",TRUE,B1:B4)", "2,3.5,4"),
        ("=TEXTJOIN(\",\",FALSE,B2:B3)", "3.5,"), ("=REGEXMATCH(A1,\"^t.a$\")", True),
        ("=REGEXMATCH(A1,\"(\")", "#REF!"), ("=REGEXEXTRACT(\"no 42\",\"[0-9]+\")", "42"),
        ("=REGEXEXTRACT(\"a-b\",\"(.)-\")", "a"), ("=REGEXEXTRACT(A1,\"z\")", "#N/A"),
        ("=REGEXREPLACE(A1,\"(t)(e)\",\"$2$1\")", "eta"),
        ("=REGEXREPLACE(A1,\"t\",\"$9\")", "#REF!"),
        ("=XLOOKUP(\"milk\",A1:A4,B1:B1)", "#REF!"), ("=LOOKUP(9,B1:B2,A1:A1)", "#REF!"),
        ("=HLOOKUP(\"tea\",A1:B2,2,FALSE)", "milk"), ("=XLOOKUP(\"milk\",A1:A4,B1:B4)", 3.5),
        ("=XLOOKUP(\"no\",A1:A4,B1:B4,\"-\")", "-"), ("=XLOOKUP(\"no\",A1:A4,B1:B4)", "#N/A"),
        ("=LOOKUP(3,B1:B2,A1:A2)", "tea"), ("=LOOKUP(1,B1:B2)", "#N/A"),
        ("=HOUR(0.75)+MINUTE(0.5)+SECOND(0)", 18), ("=TIME(6,0,0)", 0.25),
        ("=WEEKNUM(DATE(2026,1,4))", 2), ("=DAYS(DATE(2026,3,2),DATE(2026,3,1))", 1),
        ("=DAY(EDATE(DATE(2026,1,31),1))", 28), ("=DAY(EOMONTH(DATE(2026,1,5),0))", 31),
        ("=DATEDIF(DATE(2025,3,3),DATE(2026,3,2),\"M\")", 11), ("=DATEDIF(2,1,\"D\")", "#NUM!"),
        ("=NETWORKDAYS(DATE(2026,3,2),DATE(2026,3,9))", 6),
        ("=NETWORKDAYS(DATE(2026,3,2),DATE(2026,3,9),DATE(2026,3,3))", 5),
        ("=E1", "#REF!"), ("=1 2", "#ERROR!"), ("=SUM(,2", 2),
    ],
)  # fmt: skip
def test_a_formula_comes_to(formula: str, expected: Any) -> None:
    book = book_with(formula)
    found = book.value(book.sheets[0], 0, 4)
    assert (found.text if isinstance(found, FormulaError) else found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("=QUERY(A1)", "QUERY()"),
        ("={1,2}", "={1,2}"),
        ("=1+", "an incomplete formula"),
        ("=" + "(" * 900 + "1", "so deep an expression"),
    ],
)
def test_what_is_not_computed_is_told(formula: str, words: str) -> None:
    book = book_with(formula)
    with pytest.raises(ApiError) as caught:
        book.value(book.sheets[0], 0, 4)
    assert (caught.value.status, words in caught.value.message) == (501, True)


def test_formulas_may_wait_for_many_others_and_for_themselves() -> None:
    chain = book_with("=1", *(f"=E{number}+1" for number in range(1, 300)))
    assert chain.value(chain.sheets[0], 299, 4) == 300
    ring = book_with(*(f"=E{number % 90 + 1}" for number in range(1, 91)))
    assert ring.value(ring.sheets[0], 0, 4) == FormulaError("#REF!")
