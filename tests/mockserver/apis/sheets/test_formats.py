"""What typed texts are, and how values are shown by patterns."""

from collections.abc import Iterator
from pathlib import Path

from mockserver.apis.sheets.formats import USUAL_PATTERNS, enter_text, show_value

GOLDEN = Path(__file__).with_name("formats.golden.txt")
TEXTS = [
    "", "x", "'1", "=A1", "=", "true", "False", " 5 ", "-2.50", "+.5", "5.", "1e3", "1E-2", "1,234",
    "1,234.5", "-1,234", "12,34", "5%", "-2.5 %", "$5", "-$1,234.50", "$-5", "$1,23", "2026-03-02",
    "2026/3/2", "3/2/2026", "3/2/26", "13/2/2026", "March 2, 2026", "Mar 2, 2026", "2 Mar 2026",
    "2-Mar-2026", "12:30", "24:00", "1:02:03", "1:02 pm", "12:00 AM", "11:59:59 PM", "1:2",
    "2026-03-02 12:30", "2026-03-02T01:02:03", "3/2/2026 1:02 pm", "Sunday", "May 5",
    "1" * 40, "1" * 41,
]  # fmt: skip
NUMBERS = [0, 1, -1, 0.5, -0.5, 0.005, 12, 1234.5, -1234567.891, 1e15, 1.5e-7, 46083.5, 46083.0421]
PATTERNS = [
    *USUAL_PATTERNS.values(), "0", "#", "#.##", "0.0#", ".00", "000.0", "#,##0.0??", "0%", "0.0%%",
    "0;(0)", '0;-0;"none"', "[Red]0.0", '"a"0\\b', "_(0_)", "*-0", "0E0", "0.0e-00", "@",
    "d/m/yy", "dddd, mmmm d", "ddd dd mmm yyyy", "hh:mm", "h:mm a/p", "m:ss.00", "mm", "h m s",
    "yy\\y",
]  # fmt: skip
KINDS = ["", "TEXT", "NUMBER", "DATE"]


def _lines() -> Iterator[str]:
    for text in TEXTS:
        yield f"{text}\t{enter_text(text)}\n"
    for pattern in PATTERNS:
        for kind in KINDS:
            shown = [show_value(each, {"type": kind, "pattern": pattern}) for each in NUMBERS]
            yield f"{kind}\t{pattern}\t{' | '.join(shown)}\n"
    for kind in [*USUAL_PATTERNS, ""]:
        shown = [show_value(each, {"type": kind}) for each in [*NUMBERS, True, None, "x", 1e300]]
        yield f"{kind}\t\t{' | '.join(shown)}\n"


def test_values_are_read_and_shown_as_is_written_down() -> None:
    """`python -m tests.mockserver.apis.sheets.test_formats` writes it anew."""
    assert list(_lines()) == GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)


if __name__ == "__main__":
    GOLDEN.write_text("".join(_lines()), encoding="utf-8")
