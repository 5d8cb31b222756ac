"""The requests of `documents.batchUpdate`: kind to what does it. Source: the API's reference."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from mockserver.apis.docs.text import (
    Block,
    Paragraph,
    Place,
    Run,
    Table,
    all_places,
    change_runs,
    delete_range,
    find_paragraph,
    insert_text,
    paragraphs,
    read_blocks,
    size_of,
    width,
    write_blocks,
)
from mockserver.googleapi import invalid
from mockserver.model import JsonObject
from mockserver.state import Ids

START = 1
"""Where the text of a body begins: behind the break of its section."""
_GLYPHS = ("\u25cf", "\u25cb", "\u25a0")
_NUMBERS = ("DECIMAL", "ALPHA", "ROMAN")


@dataclass(slots=True)
class Document:
    """A document while it is changed: its fields, its body, and who makes its ids."""

    row: JsonObject
    ids: Ids
    blocks: list[Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        content = (self.row.get("body") or {}).get("content") or ()
        self.blocks = read_blocks(deepcopy(content))
        last = self.blocks[-1] if self.blocks else None
        if not isinstance(last, Paragraph) or not last.text.endswith("\n"):
            self.blocks.append(Paragraph([Run("\n")]))

    @property
    def end(self) -> int:
        """Where the body ends."""
        return START + size_of(self.blocks)

    def to_row(self) -> JsonObject:
        """The document as it is now."""
        style = {"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT",
                 "sectionType": "CONTINUOUS"}  # fmt: skip
        head = {"endIndex": START, "sectionBreak": {"sectionStyle": style}}
        content = [head, *write_blocks(self.blocks, START)]
        return {**self.row, "body": {"content": content}}

    def place(self, location: JsonObject, index: int | None = None) -> tuple[Place, int]:
        """The paragraph that a location is in, and its index; ApiError 400 for none."""
        _check_segment(location)
        at = int(location.get("index") or 0) if index is None else index
        if at >= self.end:
            raise invalid(
                f"Index {at} must be less than the end index of the referenced segment, {self.end}."
            )
        found = find_paragraph(self.blocks, START, at)
        if found is None:
            raise invalid(
                "The insertion index must be inside the bounds of an existing paragraph."
                " You can still create new paragraphs by inserting newlines."
            )
        return found, at

    def span(self, given: JsonObject) -> tuple[int, int]:
        """The two ends of a range; ApiError 400 for one that cannot be."""
        _check_segment(given)
        start, end = int(given.get("startIndex") or 0), int(given.get("endIndex") or 0)
        if not START <= start < end:
            raise invalid("The range should not be empty.")
        if end > self.end:
            raise invalid(
                f"Index {end - 1} must be less than the end index of the referenced segment,"
                f" {self.end}."
            )
        return start, end

    def shift(self, start: int, removed: int, added: int) -> None:
        """Move the ends of named ranges behind a change."""

        def moved(index: int) -> int:
            if index <= start:
                return index
            return max(start, index - removed) + added

        for several in (self.row.get("namedRanges") or {}).values():
            for named in several["namedRanges"]:
                named["ranges"] = [
                    {**each, "startIndex": moved(each["startIndex"]),
                     "endIndex": moved(each["endIndex"])}
                    for each in named["ranges"]
                ]  # fmt: skip


def _check_segment(location: JsonObject) -> None:
    if location.get("segmentId"):
        raise invalid(f"The segment {location['segmentId']!r} was not found.")


def _where(document: Document, asked: JsonObject) -> tuple[Place, int]:
    if "endOfSegmentLocation" in asked:
        return document.place(asked["endOfSegmentLocation"] or {}, document.end - 1)
    if "location" not in asked:
        raise invalid("The location must be set.")
    return document.place(asked["location"])


def _insert_text(document: Document, asked: JsonObject) -> None:
    text = "".join(
        each for each in str(asked.get("text") or "")
        if each in "\t\n" or (each >= " " and not "\ue000" <= each <= "\uf8ff")
    ).replace("\r\n", "\n")  # fmt: skip
    if not text:
        raise invalid("Insert text requests must specify text to insert.")
    place, index = _where(document, asked)
    insert_text(place, index, text)
    document.shift(index - 1, 0, width(text))


def _delete_range(document: Document, asked: JsonObject) -> None:
    start, end = document.span(asked.get("range") or {})
    if end >= document.end:
        raise invalid("The range cannot include the newline character at the end of the segment.")
    if not delete_range(document.blocks, START, start, end):
        raise invalid("Invalid deletion range. Cannot delete the requested range.")
    document.shift(start, end - start, 0)


def _replace_all(document: Document, asked: JsonObject) -> JsonObject:
    contains, count = asked.get("containsText") or {}, 0
    wanted, text = str(contains.get("text") or ""), str(asked.get("replaceText") or "")
    if not wanted:
        raise invalid("The text to find must be set.")
    fold: Callable[[str], str] = str if contains.get("matchCase") else str.lower
    behind = 0
    while True:
        for paragraph, start in paragraphs(document.blocks, START):
            place = _next_match(paragraph, start, fold, wanted, behind)
            if place is not None:
                break
        else:
            break
        at = find_paragraph(document.blocks, START, place)
        if text and at is not None:
            insert_text(at, place + width(wanted), text)
            _copy_style(document, place, width(wanted), width(text))
        delete_range(document.blocks, START, place, place + width(wanted))
        document.shift(place, width(wanted), width(text))
        behind, count = place + width(text), count + 1
    return {"occurrencesChanged": count} if count else {}


def _next_match(
    paragraph: Paragraph, start: int, fold: Callable[[str], str], wanted: str, behind: int
) -> int | None:
    """The index of the first place of a text in a paragraph that is not before another, or None."""
    text, at = paragraph.text, -1
    while (at := fold(text).find(fold(wanted), at + 1)) >= 0:
        index = start + width(text[:at])
        if index >= behind:
            return index
    return None


def _copy_style(document: Document, place: int, size: int, added: int) -> None:
    """Give a text that replaces another the style of that one's beginning."""
    styles: list[JsonObject] = []
    change_runs(document.blocks, START, place, place + 1, lambda run: styles.append(run.style))

    def set_style(run: Run) -> None:
        run.style = {**styles[0]}

    start = place + size
    change_runs(document.blocks, START, start, start + added, set_style)


def _masked(asked: JsonObject, name: str) -> tuple[JsonObject, Sequence[str]]:
    given, mask = asked.get(name) or {}, str(asked.get("fields") or "")
    if not mask:
        raise invalid("At least one field must be listed in 'fields'.")
    fields = [*given] if mask == "*" else [each.strip().split(".")[0] for each in mask.split(",")]
    return given, fields


def _with_fields(before: JsonObject, given: JsonObject, fields: Sequence[str]) -> JsonObject:
    """A style with some fields set, or, where they are not given, gone."""
    kept = {name: each for name, each in before.items() if name not in fields}
    return {**kept, **{name: given[name] for name in fields if name in given}}


def _style_text(document: Document, asked: JsonObject) -> None:
    start, end = document.span(asked.get("range") or {})
    given, fields = _masked(asked, "textStyle")

    def set_style(run: Run) -> None:
        run.style = _with_fields(run.style, given, fields)

    change_runs(document.blocks, START, start, end, set_style)


def _paragraphs_in(document: Document, asked: JsonObject) -> list[Paragraph]:
    start, end = document.span(asked.get("range") or {})
    return [
        each
        for each, low in paragraphs(document.blocks, START)
        if low < end and start < low + each.size
    ]


def _style_paragraphs(document: Document, asked: JsonObject) -> None:
    given, fields = _masked(asked, "paragraphStyle")
    for each in _paragraphs_in(document, asked):
        each.style = _with_fields(each.style, given, fields)


def _create_bullets(document: Document, asked: JsonObject) -> None:
    """Makes a list of paragraphs; tabs before a paragraph say how deep it is, and go."""
    preset = str(asked.get("bulletPreset") or "")
    if not preset:
        raise invalid("The bullet preset must be set.")
    ident = f"kix.{document.ids.base36('list', 12)}"
    levels = [
        {
            "bulletAlignment": "START",
            **({"glyphType": _NUMBERS[level % 3], "glyphFormat": f"%{level}."}
               if preset.startswith("NUMBERED")
               else {"glyphSymbol": _GLYPHS[level % 3], "glyphFormat": f"%{level}"}),
            "indentFirstLine": {"magnitude": 18 + 36 * level, "unit": "PT"},
            "indentStart": {"magnitude": 36 * (level + 1), "unit": "PT"},
            "textStyle": {"underline": False},
            "startNumber": 1,
        }
        for level in range(9)
    ]  # fmt: skip
    lists = document.row.get("lists") or {}
    document.row["lists"] = {**lists, ident: {"listProperties": {"nestingLevels": levels}}}
    for each in _paragraphs_in(document, asked):
        depth = len(each.text) - len(each.text.lstrip("\t"))
        if depth:
            place = next(low for one, low in paragraphs(document.blocks, START) if one is each)
            del each.runs[: each.split(depth)]
            document.shift(place, depth, 0)
        level = {"nestingLevel": min(depth, 8)} if depth else {}
        each.bullet = {"listId": ident, "textStyle": {}, **level}


def _delete_bullets(document: Document, asked: JsonObject) -> None:
    for each in _paragraphs_in(document, asked):
        each.bullet = None


def _insert_table(document: Document, asked: JsonObject) -> None:
    """Puts a table behind the end of a line that is put before it."""
    rows, columns = int(asked.get("rows") or 0), int(asked.get("columns") or 0)
    if rows < 1 or columns < 1:
        raise invalid("The number of rows and columns must be at least 1.")
    place, index = _where(document, asked)
    insert_text(place, index, "\n")
    made = Table([[[Paragraph([Run("\n")])] for _ in range(columns)] for _ in range(rows)])
    place.owner.insert(place.number + 1, made)
    document.shift(index - 1, 0, 1 + made.size)


def _insert_break(document: Document, asked: JsonObject) -> None:
    place, index = _where(document, asked)
    at = place.paragraph.split(index - place.start)
    place.paragraph.runs.insert(at, Run("\ufffc", {}, {"pageBreak": {"textStyle": {}}}))
    insert_text(place, index + 1, "\n")
    document.shift(index - 1, 0, 2)


def _table_at(document: Document, asked: JsonObject, name: str) -> tuple[Table, int, int]:
    """The table, row and column that a location of a cell means; ApiError 400 for none."""
    where = asked.get(name) or {}
    begin = (where.get("tableStartLocation") or {}).get("index")
    for owner, number, start in all_places(document.blocks, START):
        table = owner[number]
        if isinstance(table, Table) and start == begin:
            row, column = int(where.get("rowIndex") or 0), int(where.get("columnIndex") or 0)
            if row < len(table.rows) and column < len(table.rows[row]):
                return table, row, column
    raise invalid("Invalid table start location. Must specify the start index of the table.")


def _insert_row(document: Document, asked: JsonObject) -> None:
    table, row, _ = _table_at(document, asked, "tableCellLocation")
    cells: list[list[Block]] = [[Paragraph([Run("\n")])] for _ in table.rows[row]]
    table.rows.insert(row + bool(asked.get("insertBelow")), cells)


def _insert_column(document: Document, asked: JsonObject) -> None:
    table, _, column = _table_at(document, asked, "tableCellLocation")
    for row in table.rows:
        row.insert(column + bool(asked.get("insertRight")), [Paragraph([Run("\n")])])


def _delete_row(document: Document, asked: JsonObject) -> None:
    table, row, _ = _table_at(document, asked, "tableCellLocation")
    del table.rows[row]
    _drop_empty(document, table)


def _delete_column(document: Document, asked: JsonObject) -> None:
    table, _, column = _table_at(document, asked, "tableCellLocation")
    for row in table.rows:
        del row[column]
    table.rows = [row for row in table.rows if row]
    _drop_empty(document, table)


def _drop_empty(document: Document, table: Table) -> None:
    if not table.rows:
        for owner, number, _ in all_places(document.blocks, START):
            if owner[number] is table:
                del owner[number]
                return


def _create_range(document: Document, asked: JsonObject) -> JsonObject:
    start, end = document.span(asked.get("range") or {})
    name = str(asked.get("name") or "")
    if not 1 <= width(name) <= 256:
        raise invalid("The name must be at least 1 character and no more than 256.")
    ident = f"kix.{document.ids.base36('range', 12)}"
    made = {"namedRangeId": ident, "name": name, "ranges": [{"startIndex": start, "endIndex": end}]}
    every = {**(document.row.get("namedRanges") or {})}
    kept = every.get(name, {}).get("namedRanges", [])
    document.row["namedRanges"] = {**every, name: {"name": name, "namedRanges": [*kept, made]}}
    return {"namedRangeId": ident}


def _delete_named(document: Document, asked: JsonObject) -> None:
    every = document.row.get("namedRanges") or {}
    ident, name = asked.get("namedRangeId"), asked.get("name")
    left: JsonObject = {}
    for key, several in every.items():
        kept = [each for each in several["namedRanges"]
                if each["namedRangeId"] != ident and key != name]  # fmt: skip
        if kept:
            left[key] = {**several, "namedRanges": kept}
    if left == every:
        raise invalid("The named range was not found.")
    document.row["namedRanges"] = left


def _style_document(document: Document, asked: JsonObject) -> None:
    given, fields = _masked(asked, "documentStyle")
    document.row["documentStyle"] = _with_fields(
        document.row.get("documentStyle") or {}, given, fields
    )


REQUESTS: Mapping[str, Callable[[Document, Any], JsonObject | None]] = {
    "insertText": _insert_text,
    "deleteContentRange": _delete_range,
    "replaceAllText": _replace_all,
    "updateTextStyle": _style_text,
    "updateParagraphStyle": _style_paragraphs,
    "createParagraphBullets": _create_bullets,
    "deleteParagraphBullets": _delete_bullets,
    "insertTable": _insert_table,
    "insertTableRow": _insert_row,
    "insertTableColumn": _insert_column,
    "deleteTableRow": _delete_row,
    "deleteTableColumn": _delete_column,
    "insertPageBreak": _insert_break,
    "createNamedRange": _create_range,
    "deleteNamedRange": _delete_named,
    "updateDocumentStyle": _style_document,
}
