"""Emulates spreadsheets: those of fixtures, and those that are files of Drive."""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="sheets",
    documents=(("sheets", "v4"),),
    handlers=LazyHandlers(__name__),
    dialect="one_platform",
    reads=frozenset({"sheets:v4/spreadsheets", "sheets:v4/values"}),
    relies=(
        "Rely on: values by ranges, formats, charts, filters, groups and all other "
        "`batchUpdate` requests but those of data sources, which are refused by name; formulas "
        "with over 130 functions. A cell whose formula is not computed here is refused in words "
        "when its value is read. Proof: gspread's own tests (151 of 151, `make suites`), "
        "`tests/clients/test_usual_calls.py`, `tests/mockserver/apis/sheets`."
    ),
)

__all__ = ["API"]
