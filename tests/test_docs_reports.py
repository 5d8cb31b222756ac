"""What docs/reference/reports.md says of the reports, held against them."""

from harness.cli.report import GITHUB
from harness.reports import FORMATS
from harness.reports import svg as drawing
from harness.reports.html import matrix, page
from tests.documents import DOCS, code_in, table

TEXT = DOCS["reports"]


def test_every_format_and_file_has_its_row() -> None:
    rows = {row[0].strip("`"): code_in(row[1]) for row in table(TEXT, "Format")}
    assert rows == {name: [] if name == GITHUB else list(files) for name, files in FORMATS.items()}


def test_the_limits_are_those_of_the_code() -> None:
    assert f"{matrix.MOST_ROWS} rows" in TEXT
    assert f"{matrix.MOST_CELLS} trials" in TEXT
    assert drawing.MOST_CASES == 40
    assert f"up to {page.MOST_TRIALS}" in TEXT
    assert page.MOST_CHARACTERS == 6_000_000
