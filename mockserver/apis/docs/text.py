"""The body of a document: paragraphs and tables, whose places are counted in units of UTF-16.

A table, each of its rows and each of its cells begins with one unit; a table ends with one.
Where tables begin and end is as the guides show it, not verified against the live API.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.model import JsonObject

_OTHER = ("inlineObjectElement", "pageBreak", "columnBreak", "footnoteReference", "person",
          "horizontalRule", "equation", "autoText", "richLink", "dateElement")  # fmt: skip
_STAND_IN = "\ufffc"
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def width(text: str) -> int:
    """How many units of UTF-16 a text has.

    >>> width("a"), width("\U0001f600")
    (1, 2)
    """
    return len(text) + sum(each > "\uffff" for each in text)


def cut(text: str, units: int) -> tuple[str, str]:
    """A text in two parts, the first with so many units; a pair is not split.

    >>> cut("a\U0001f600b", 3)
    ('a\U0001f600', 'b')
    """
    count = 0
    for place, each in enumerate(text):
        if count >= units:
            return text[:place], text[place:]
        count += width(each)
    return text, ""


@dataclass(slots=True)
class Run:
    """A text of one style, or one element of another kind, which `raw` holds."""

    text: str
    style: JsonObject = field(default_factory=dict)
    raw: JsonObject | None = None


@dataclass(slots=True)
class Paragraph:
    """A paragraph; its last text ends with the end of a line."""

    runs: list[Run]
    style: JsonObject = field(default_factory=dict)
    bullet: JsonObject | None = None

    @property
    def size(self) -> int:
        """How many units it has."""
        return sum(width(run.text) for run in self.runs)

    @property
    def text(self) -> str:
        """Its text."""
        return "".join(run.text for run in self.runs)

    def split(self, units: int) -> int:
        """The number of the run that begins at a place, where one is made to begin."""
        for number, run in enumerate(self.runs):
            if units <= 0:
                return number
            size = width(run.text)
            if units < size:
                first, second = cut(run.text, units)
                self.runs[number : number + 1] = [Run(first, run.style), Run(second, run.style)]
                return number + 1
            units -= size
        return len(self.runs)

    def tidy(self) -> None:
        """Join neighbours of one style, and drop what is empty."""
        found: list[Run] = []
        for run in self.runs:
            last = found[-1] if found else None
            if last and not run.raw and not last.raw and last.style == run.style:
                last.text += run.text
            elif run.text:
                found.append(run)
        self.runs = found


class Cell(list["Block"]):
    """The paragraphs and tables of a cell, and its style."""

    def __init__(self, blocks: Iterable["Block"] = (), style: JsonObject | None = None) -> None:
        super().__init__(blocks)
        self.style = {**(style or {})}


class Row(list[Cell]):
    """The cells of a row, and its style."""

    def __init__(self, cells: Iterable[Cell] = (), style: JsonObject | None = None) -> None:
        super().__init__(cells)
        self.style = {**(style or {})}


def empty_cell() -> Cell:
    """A new cell, whose paragraph has no text."""
    return Cell([Paragraph([Run("\n")])])


@dataclass(slots=True)
class Section:
    """The break before a section, and the section's style."""

    style: JsonObject = field(default_factory=dict)
    size: int = 1


@dataclass(slots=True)
class Table:
    """A table: rows of cells, each with paragraphs of its own."""

    rows: list[Row]
    raw: JsonObject = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many units it has."""
        cells = sum(1 + size_of(cell) for row in self.rows for cell in row)
        return 2 + len(self.rows) + cells


Block = Paragraph | Table | Section


def size_of(blocks: Sequence[Block]) -> int:
    """How many units several blocks have."""
    return sum(each.size for each in blocks)


def read_blocks(content: Sequence[Any]) -> list[Block]:
    """The paragraphs, tables and breaks of sections of structural elements."""
    found: list[Block] = []
    for each in content:
        if "paragraph" in each:
            paragraph = each["paragraph"]
            runs = [_read_run(one) for one in paragraph.get("elements") or ()]
            style = {**(paragraph.get("paragraphStyle") or {})}
            found.append(Paragraph(runs, style, paragraph.get("bullet")))
        elif "table" in each:
            table = each["table"]
            rows = [
                Row(
                    (
                        Cell(read_blocks(cell.get("content") or ()), cell.get("tableCellStyle"))
                        for cell in row.get("tableCells") or ()
                    ),
                    row.get("tableRowStyle"),
                )
                for row in table.get("tableRows") or ()
            ]
            raw = {name: table[name] for name in ("tableStyle",) if name in table}
            found.append(Table(rows, raw))
        elif "sectionBreak" in each:
            found.append(Section({**(each["sectionBreak"].get("sectionStyle") or {})}))
    return found


def _read_run(element: JsonObject) -> Run:
    run = element.get("textRun")
    if run is not None:
        return Run(str(run.get("content", "")), {**(run.get("textStyle") or {})})
    raw = {name: element[name] for name in _OTHER if name in element}
    styles = [each["textStyle"] for each in raw.values() if each.get("textStyle")]
    return Run(_STAND_IN, {**styles[0]} if styles else {}, raw)


def write_blocks(blocks: Sequence[Block], at: int) -> list[JsonObject]:
    """Structural elements with their places, from a place on."""
    found: list[JsonObject] = []
    for each in blocks:
        place = {"startIndex": at, "endIndex": at + each.size}
        if isinstance(each, Paragraph):
            found.append({**place, "paragraph": _write_paragraph(each, at)})
        elif isinstance(each, Section):
            found.append({**place, "sectionBreak": {"sectionStyle": each.style}})
        else:
            found.append({**place, "table": _write_table(each, at)})
        at += each.size
    return found


def _write_paragraph(paragraph: Paragraph, at: int) -> JsonObject:
    elements = []
    for run in paragraph.runs:
        place = {"startIndex": at, "endIndex": at + width(run.text)}
        shown = (
            _with_style(run)
            if run.raw
            else {"textRun": {"content": run.text, "textStyle": run.style}}
        )
        elements.append({**place, **shown})
        at += width(run.text)
    usual = {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}
    made: JsonObject = {"elements": elements, "paragraphStyle": {**usual, **paragraph.style}}
    return {**made, **({"bullet": paragraph.bullet} if paragraph.bullet else {})}


def _with_style(run: Run) -> JsonObject:
    """An element of another kind with the style that its text would have."""
    raw = run.raw or {}
    return {kind: {**each, "textStyle": run.style} if run.style else each
            for kind, each in raw.items()}  # fmt: skip


def _write_table(table: Table, at: int) -> JsonObject:
    rows, at = [], at + 1
    for row in table.rows:
        start, cells, at = at, list[JsonObject](), at + 1
        for cell in row:
            size = 1 + size_of(cell)
            content = write_blocks(cell, at + 1)
            cells.append({"startIndex": at, "endIndex": at + size, "content": content,
                          "tableCellStyle": cell.style})  # fmt: skip
            at += size
        rows.append({"startIndex": start, "endIndex": at, "tableCells": cells,
                     "tableRowStyle": row.style})  # fmt: skip
    columns = max(map(len, table.rows), default=0)
    return {"rows": len(table.rows), "columns": columns, "tableRows": rows, **table.raw}


@dataclass(slots=True)
class Place:
    """Where a paragraph is: its blocks, its number there, where it starts."""

    owner: list[Block]
    number: int
    paragraph: Paragraph
    start: int


def all_places(blocks: list[Block], at: int) -> Iterator[tuple[list[Block], int, int]]:
    """All blocks, also those in cells, in the order of the document.

    Yields:
        The blocks beside one, its number among them, and where it starts.
    """
    for number, each in enumerate(blocks):
        yield blocks, number, at
        if isinstance(each, Table):
            inner = at + 1
            for row in each.rows:
                inner += 1
                for cell in row:
                    yield from all_places(cell, inner + 1)
                    inner += 1 + size_of(cell)
        at += each.size


def paragraphs(blocks: list[Block], at: int) -> Iterator[tuple[Paragraph, int]]:
    """All paragraphs, with where they start.

    Yields:
        Paragraphs.
    """
    for owner, number, start in all_places(blocks, at):
        each = owner[number]
        if isinstance(each, Paragraph):
            yield each, start


def find_paragraph(blocks: list[Block], at: int, index: int) -> Place | None:
    """The place of the paragraph that an index is in, or None."""
    for owner, number, start in all_places(blocks, at):
        each = owner[number]
        if isinstance(each, Paragraph) and start <= index < start + each.size:
            return Place(owner, number, each, start)
    return None


def insert_text(place: Place, index: int, text: str) -> None:
    """Put a text into a paragraph; each end of a line begins another one like it."""
    paragraph = place.paragraph
    at = paragraph.split(index - place.start)
    beside = paragraph.runs[at - 1] if at else paragraph.runs[0]
    # a link ends where a text is put behind it
    style = {name: each for name, each in beside.style.items() if name != "link" or not at}
    runs = [*paragraph.runs[:at], Run(text, style), *paragraph.runs[at:]]
    place.owner[place.number : place.number + 1] = _paragraphs_of(runs, paragraph)


def _paragraphs_of(runs: Sequence[Run], like: Paragraph) -> list[Block]:
    """The paragraphs of runs, which end where their texts end lines."""
    found: list[Block] = []
    now: list[Run] = []
    for run in runs:
        for part in _LINES.findall(run.text) if not run.raw else [run.text]:
            now.append(Run(part, {**run.style}, run.raw))
            if part.endswith("\n"):
                found.append(Paragraph(now, {**like.style}, like.bullet and {**like.bullet}))
                now = []
    if now:
        found.append(Paragraph(now, {**like.style}, like.bullet and {**like.bullet}))
    for each in found:
        if isinstance(each, Paragraph):
            each.tidy()
    return found


def delete_range(blocks: list[Block], at: int, start: int, end: int) -> bool:
    """Delete what is between two places of one run of blocks.

    Args:
        blocks: The blocks of a body, or of a cell.
        at: Where they start.
        start: The first unit that goes.
        end: The one after the last.

    Returns:
        Whether that was possible: tables go as a whole or not at all.
    """
    left: list[Run] = []
    first: Paragraph | None = None
    made: list[Block] = []
    for each in blocks:
        low, high, at = at, at + each.size, at + each.size
        if high <= start or (low >= end and first is None):
            made.append(each)
        elif not isinstance(each, Paragraph):
            if start <= low and high <= end:
                if first is not None and left and isinstance(each, Table):
                    made += _paragraphs_of([*left, Run("\n")], first)
                    left, first = [], None
                continue
            inner = low + 1
            for row in each.rows if isinstance(each, Table) else ():
                inner += 1
                for cell in row:
                    size = size_of(cell)
                    if inner + 1 <= start and end < inner + 1 + size:
                        return delete_range(cell, inner + 1, start, end)
                    inner += 1 + size
            return False
        else:
            first = first or each
            begin = each.split(start - low) if start > low else 0
            stop = each.split(end - low) if end < high else len(each.runs)
            begin = each.split(start - low) if start > low else 0
            kept = [*each.runs[:begin], *each.runs[stop:]]
            left += kept
            if kept and kept[-1].text.endswith("\n"):
                made += _paragraphs_of(left, first)
                left, first = [], None
    if left and first is not None:
        return False
    blocks[:] = made
    return True


def change_runs(
    blocks: list[Block], at: int, start: int, end: int, change: Callable[[Run], None]
) -> None:
    """Change the style of what is between two places."""
    for paragraph, low in paragraphs(blocks, at):
        high = low + paragraph.size
        if high <= start or low >= end:
            continue
        begin = paragraph.split(start - low) if start > low else 0
        stop = paragraph.split(end - low) if end < high else len(paragraph.runs)
        for run in paragraph.runs[begin:stop]:
            change(run)
        paragraph.tidy()
