"""The requests of `documents.batchUpdate` about what texts are in: tables, breaks, tabs, images.

Source: the API's reference; not verified: which cells a merged one leaves, and texts of refusals.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mockserver.apis.docs.documents import Document, Segment, Tab
from mockserver.apis.docs.text import (
    Paragraph,
    Place,
    Row,
    Run,
    Section,
    Table,
    all_places,
    empty_cell,
    insert_text,
)
from mockserver.googleapi import invalid
from mockserver.googleapi.batch_updates import with_masked_fields
from mockserver.model import JsonObject

_OBJECT = "\ufffc"
_LONGEST_URI = 2048
_LEAST_WIDTH = 5


def where_of(document: Document, asked: JsonObject) -> tuple[Tab, Segment, Place, int]:
    """Where a request puts something; ApiError 400 for a place that is none."""
    if "endOfSegmentLocation" in asked:
        tab, segment = document.located(asked["endOfSegmentLocation"] or {})
        index = segment.end - 1
    elif "location" in asked:
        tab, segment = document.located(asked["location"])
        index = int(asked["location"].get("index") or 0)
    else:
        raise invalid("The location must be set.")
    return tab, segment, segment.place(index), index


def _insert_element(document: Document, asked: JsonObject, raw: JsonObject) -> None:
    """Put one element, which is one unit long, into a paragraph."""
    tab, segment, place, index = where_of(document, asked)
    at = place.paragraph.split(index - place.start)
    place.paragraph.runs.insert(at, Run(_OBJECT, {}, raw))
    tab.shift(segment, index - 1, 0, 1)


def _only_in_body(document: Document, asked: JsonObject) -> tuple[Tab, Segment, Place, int]:
    found = where_of(document, asked)
    if found[1].ident:
        raise invalid("This cannot be inserted inside a header, footer or footnote.")
    return found


# breaks and edges of pages


def _insert_page_break(document: Document, asked: JsonObject) -> None:
    tab, segment, place, index = _only_in_body(document, asked)
    _insert_element(document, asked, {"pageBreak": {"textStyle": {}}})
    insert_text(place, index + 1, "\n")
    tab.shift(segment, index, 0, 1)


def _insert_section_break(document: Document, asked: JsonObject) -> None:
    """Puts a section behind the end of a line that is put before it."""
    kind = asked.get("sectionType")
    if kind not in {"CONTINUOUS", "NEXT_PAGE"}:
        raise invalid("The section type must be CONTINUOUS or NEXT_PAGE.")
    tab, segment, place, index = _only_in_body(document, asked)
    if place.owner is not segment.blocks:
        raise invalid("A section break cannot be inserted inside a table.")
    insert_text(place, index, "\n")
    style = {"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT"}
    place.owner.insert(place.number + 1, Section({**style, "sectionType": kind}))
    tab.shift(segment, index - 1, 0, 2)


def _create_edge(kind: str, noun: str, document: Document, asked: JsonObject) -> JsonObject:
    """Make the default header or footer, of the document or of one section."""
    if asked.get("type") != "DEFAULT":
        raise invalid(f"The type of the {noun.lower()} must be DEFAULT.")
    location = asked.get("sectionBreakLocation") or {}
    tab, name = document.tab(location.get("tabId")), f"default{noun}Id"
    index = int(location.get("index") or 0)
    if index:
        owner = next((each.style for each, start, _ in tab.sections() if start == index), None)
        if owner is None:
            raise invalid(f"There is no section break at index {index}.")
    else:
        owner = tab.fields.setdefault("documentStyle", {})
    if name in owner:
        raise invalid(f"A default {noun.lower()} already exists.")
    ident = document.new_id(noun.lower())
    owner[name] = ident
    tab.texts[kind][ident] = Segment(ident, [])
    return {f"{noun.lower()}Id": ident}


def _delete_edge(kind: str, noun: str, document: Document, asked: JsonObject) -> None:
    tab, ident = document.tab(asked.get("tabId")), asked.get(f"{noun.lower()}Id")
    if tab.texts[kind].pop(str(ident), None) is None:
        raise invalid(f"The {noun.lower()} {ident!r} was not found.")
    for style in (
        tab.fields.get("documentStyle") or {},
        *(each.style for each, _, _ in tab.sections()),
    ):
        for name in [name for name, each in style.items() if each == ident]:
            del style[name]


def _create_footnote(document: Document, asked: JsonObject) -> JsonObject:
    tab, _, _, _ = _only_in_body(document, asked)
    ident = document.new_id("footnote")
    reference = {"footnoteId": ident, "textStyle": {}}
    _insert_element(document, asked, {"footnoteReference": reference})
    tab.texts["footnotes"][ident] = Segment(ident, [Paragraph([Run(" \n")])])
    return {"footnoteId": ident}


def _style_sections(document: Document, asked: JsonObject) -> None:
    given = asked.get("range") or {}
    tab, segment = document.located(given)
    if segment.ident:
        raise invalid("Sections are of the body alone.")
    low, high = int(given.get("startIndex") or 0), int(given.get("endIndex") or 0)
    for section, start, end in tab.sections():
        if start < high and low < end:
            style = asked.get("sectionStyle") or {}
            section.style = with_masked_fields(section.style, style, asked.get("fields"))


# elements


def _checked_uri(asked: JsonObject) -> str:
    uri = str(asked.get("uri") or "")
    if not uri.startswith(("http://", "https://")) or len(uri) > _LONGEST_URI:
        raise invalid("The provided image is in an unsupported format or its URI is not public.")
    return uri


def _insert_image(document: Document, asked: JsonObject) -> JsonObject:
    """Puts an image, of which the address is kept; nothing is fetched."""
    uri, ident = _checked_uri(asked), document.new_id("image")
    tab, segment, _, _ = where_of(document, asked)
    if segment.ident in tab.texts["footnotes"]:
        raise invalid("Images cannot be inserted inside a footnote.")
    element = {"inlineObjectId": ident, "textStyle": {}}
    _insert_element(document, asked, {"inlineObjectElement": element})
    size = {"size": asked["objectSize"]} if asked.get("objectSize") else {}
    shown = {"imageProperties": {"contentUri": uri, "sourceUri": uri}, **size}
    made = {"objectId": ident, "inlineObjectProperties": {"embeddedObject": shown}}
    tab.fields["inlineObjects"] = {**(tab.fields.get("inlineObjects") or {}), ident: made}
    return {"objectId": ident}


def _replace_image(document: Document, asked: JsonObject) -> None:
    uri, ident = _checked_uri(asked), asked.get("imageObjectId")
    fields = document.tab(asked.get("tabId")).fields
    for kind, name in (("inlineObjects", "inlineObjectProperties"),
                       ("positionedObjects", "positionedObjectProperties")):  # fmt: skip
        found = (fields.get(kind) or {}).get(ident)
        if found is not None:
            shown = found[name]["embeddedObject"]["imageProperties"]
            shown |= {"contentUri": uri, "sourceUri": uri}
            return
    raise invalid(f"The image {ident!r} was not found.")


def _delete_positioned(document: Document, asked: JsonObject) -> None:
    ident, tab = asked.get("objectId"), document.tab(asked.get("tabId"))
    kept = {**(tab.fields.get("positionedObjects") or {})}
    if kept.pop(str(ident), None) is None:
        raise invalid(f"The positioned object {ident!r} was not found.")
    tab.fields["positionedObjects"] = kept


def _insert_chip(kind: str, needed: str, document: Document, asked: JsonObject) -> None:
    """Put a person, a link or a date, as one unit."""
    properties = asked.get(f"{kind}Properties") or {}
    if not properties.get(needed):
        raise invalid(f"The {needed} must be set.")
    name = kind.removesuffix("Element")
    ident = {f"{name}Id": document.new_id(name), f"{kind}Properties": properties}
    _insert_element(document, asked, {kind: {**ident, "textStyle": {}}})


# tables


def _tables(segment: Segment) -> Iterator[tuple[Table, int]]:
    for owner, number, start in all_places(segment.blocks, segment.start):
        each = owner[number]
        if isinstance(each, Table):
            yield each, start


def _table(document: Document, location: JsonObject) -> tuple[Tab, Segment, Table, int]:
    """The table that starts at a place; ApiError 400 for none."""
    tab, segment = document.located(location)
    for table, start in _tables(segment):
        if start == location.get("index"):
            return tab, segment, table, start
    raise invalid("Invalid table start location. Must specify the start index of the table.")


def _cell(document: Document, where: JsonObject) -> tuple[Tab, Segment, Table, int, int, int]:
    """The table, its start, and the row and column that a location of a cell means."""
    tab, segment, table, start = _table(document, where.get("tableStartLocation") or {})
    row, column = int(where.get("rowIndex") or 0), int(where.get("columnIndex") or 0)
    if row >= len(table.rows) or column >= len(table.rows[row]):
        raise invalid(f"The table has no cell at row {row}, column {column}.")
    return tab, segment, table, start, row, column


def _insert_table(document: Document, asked: JsonObject) -> None:
    """Puts a table behind the end of a line that is put before it."""
    rows, columns = int(asked.get("rows") or 0), int(asked.get("columns") or 0)
    if rows < 1 or columns < 1:
        raise invalid("The number of rows and columns must be at least 1.")
    tab, segment, place, index = where_of(document, asked)
    if segment.ident in tab.texts["footnotes"]:
        raise invalid("Tables cannot be inserted inside a footnote.")
    insert_text(place, index, "\n")
    made = Table([Row(empty_cell() for _ in range(columns)) for _ in range(rows)])
    place.owner.insert(place.number + 1, made)
    tab.shift(segment, index - 1, 0, 1 + made.size)


def _reshape(
    document: Document, asked: JsonObject, change: Callable[[Table, int, int, JsonObject], None]
) -> None:
    """Add or drop rows or columns of a table; what is named behind it moves."""
    where = asked.get("tableCellLocation") or {}
    tab, segment, table, start, row, column = _cell(document, where)
    before = table.size
    change(table, row, column, asked)
    if not table.rows:
        for owner, number, _ in all_places(segment.blocks, segment.start):
            if owner[number] is table:
                del owner[number]
                break
    after = table.size if table.rows else 0
    # which of its cells a name is in is not followed
    end = start + before
    if after > before:
        tab.shift(segment, end - 1, 0, after - before)
    else:
        tab.shift(segment, end - (before - after), before - after, 0)


def _add_row(table: Table, row: int, _: int, asked: JsonObject) -> None:
    cells = Row(empty_cell() for _ in table.rows[row])
    table.rows.insert(row + bool(asked.get("insertBelow")), cells)


def _add_column(table: Table, _: int, column: int, asked: JsonObject) -> None:
    at = column + bool(asked.get("insertRight"))
    for each in table.rows:
        each.insert(at, empty_cell())
    widths = _widths(table)
    if widths:
        widths.insert(at, {"widthType": "EVENLY_DISTRIBUTED"})


def _drop_row(table: Table, row: int, _: int, __: JsonObject) -> None:
    del table.rows[row]


def _drop_column(table: Table, _: int, column: int, __: JsonObject) -> None:
    for each in table.rows:
        del each[column : column + 1]
    table.rows = [each for each in table.rows if each]
    del _widths(table)[column : column + 1]


def _widths(table: Table) -> list[JsonObject]:
    """What is told of the columns of a table, as it is kept."""
    found: list[JsonObject] = (table.raw.get("tableStyle") or {}).get("tableColumnProperties") or []
    return found


def _range_of(document: Document, given: JsonObject) -> tuple[Table, range, range]:
    """The rows and columns of a range of cells; ApiError 400 for one that is not in its table."""
    _, _, table, _, row, column = _cell(document, given.get("tableCellLocation") or {})
    rows, columns = int(given.get("rowSpan") or 0), int(given.get("columnSpan") or 0)
    most = max(map(len, table.rows))
    if rows < 1 or columns < 1 or row + rows > len(table.rows) or column + columns > most:
        raise invalid("The table range must be inside the table, and have rows and columns.")
    return table, range(row, row + rows), range(column, column + columns)


def _merge_cells(document: Document, asked: JsonObject) -> None:
    """Joins cells: what they hold is in the first one, and the others are empty."""
    table, rows, columns = _range_of(document, asked.get("tableRange") or {})
    head = table.rows[rows[0]][columns[0]]
    for row in rows:
        for cell in table.rows[row][columns.start : columns.stop]:
            if cell is head:
                continue
            if any(not isinstance(each, Paragraph) or each.text != "\n" for each in cell):
                head.extend(cell)
            cell[:] = empty_cell()
    first = head[0]
    if len(head) > 1 and isinstance(first, Paragraph) and first.text == "\n":
        del head[0]
    head.style |= {"rowSpan": len(rows), "columnSpan": len(columns)}


def _unmerge_cells(document: Document, asked: JsonObject) -> None:
    table, rows, columns = _range_of(document, asked.get("tableRange") or {})
    for row in rows:
        for cell in table.rows[row][columns.start : columns.stop]:
            cell.style |= {"rowSpan": 1, "columnSpan": 1}


def _style_cells(document: Document, asked: JsonObject) -> None:
    if asked.get("tableRange"):
        table, rows, columns = _range_of(document, asked["tableRange"])
    else:
        _, _, table, _ = _table(document, asked.get("tableStartLocation") or {})
        rows, columns = range(len(table.rows)), range(max(map(len, table.rows)))
    given = asked.get("tableCellStyle") or {}
    for row in rows:
        for cell in table.rows[row][columns.start : columns.stop]:
            cell.style = with_masked_fields(cell.style, given, asked.get("fields"))


def _indices(asked: JsonObject, name: str, count: int) -> Sequence[int]:
    found = [int(each) for each in asked.get(name) or range(count)]
    if any(not 0 <= each < count for each in found):
        raise invalid(f"The {name} must be in the table, which has {count}.")
    return found


def _style_rows(document: Document, asked: JsonObject) -> None:
    _, _, table, _ = _table(document, asked.get("tableStartLocation") or {})
    for row in _indices(asked, "rowIndices", len(table.rows)):
        style, given = table.rows[row].style, asked.get("tableRowStyle") or {}
        table.rows[row].style = with_masked_fields(style, given, asked.get("fields"))


def _style_columns(document: Document, asked: JsonObject) -> None:
    _, _, table, _ = _table(document, asked.get("tableStartLocation") or {})
    given, count = asked.get("tableColumnProperties") or {}, max(map(len, table.rows))
    size = (given.get("width") or {}).get("magnitude")
    if given.get("widthType") == "FIXED_WIDTH" and (size or 0) < _LEAST_WIDTH:
        raise invalid(f"The width of a column must be at least {_LEAST_WIDTH} points.")
    widths = _widths(table) or [{"widthType": "EVENLY_DISTRIBUTED"} for _ in range(count)]
    for column in _indices(asked, "columnIndices", count):
        widths[column] = with_masked_fields(widths[column], given, asked.get("fields"))
    style = table.raw.get("tableStyle") or {}
    table.raw["tableStyle"] = {**style, "tableColumnProperties": widths}


def _pin_rows(document: Document, asked: JsonObject) -> None:
    _, _, table, _ = _table(document, asked.get("tableStartLocation") or {})
    count = int(asked.get("pinnedHeaderRowsCount") or 0)
    if count > len(table.rows):
        raise invalid(f"The table has {len(table.rows)} rows, of which {count} cannot be pinned.")
    for number, row in enumerate(table.rows):
        row.style = {**row.style, "tableHeader": number < count}


# styles by name, tabs


def _style_named(document: Document, asked: JsonObject) -> None:
    given, tab = asked.get("namedStyle") or {}, document.tab(asked.get("tabId"))
    name = given.get("namedStyleType")
    if not name:
        raise invalid("The type of the named style must be set.")
    styles = (tab.fields.get("namedStyles") or {}).get("styles") or []
    known = {str(each["namedStyleType"]): each for each in styles}
    before = known.get(str(name), {"namedStyleType": name})
    known[str(name)] = with_masked_fields(before, given, asked.get("fields"))
    tab.fields["namedStyles"] = {"styles": [*known.values()]}


def _siblings(document: Document, parent: object) -> list[Tab]:
    return [each for each in document.tabs if each.properties.get("parentTabId") == parent]


def _put_tab(document: Document, tab: Tab, index: object) -> None:
    """Put a tab among those beside it."""
    several = _siblings(document, tab.properties.get("parentTabId"))
    at = len(several) if index is None else int(str(index))
    if at > len(several):
        raise invalid(f"The index {at} is behind the last of {len(several)} tabs.")
    behind = document.tabs.index(several[at]) if at < len(several) else len(document.tabs)
    document.tabs.insert(behind, tab)


def _add_tab(document: Document, asked: JsonObject) -> JsonObject:
    given = asked.get("tabProperties") or {}
    parent = given.get("parentTabId")
    depth = 0 if not parent else int(document.tab(parent).properties.get("nestingLevel") or 0) + 1
    ident = f"t.{document.ids.base36('tab', 12)}"
    title = given.get("title") or f"Tab {len(document.tabs) + 1}"
    kept = {name: given[name] for name in ("parentTabId", "iconEmoji") if given.get(name)}
    level = {"nestingLevel": depth} if depth else {}
    tab = Tab.read({"tabId": ident, "title": title, **kept, **level}, {})
    _put_tab(document, tab, given.get("index"))
    document.row["tabs"] = document.row.get("tabs") or []
    index = _siblings(document, parent).index(tab)
    return {"tabProperties": {**tab.properties, "index": index}}


def _change_tab(document: Document, asked: JsonObject) -> None:
    given, mask = asked.get("tabProperties") or {}, str(asked.get("fields") or "")
    if not given.get("tabId"):
        raise invalid("The id of the tab must be set.")
    tab = document.tab(given["tabId"])
    paths = [each.strip() for each in mask.split(",") if each.strip()]
    known = ("title", "iconEmoji", "index")
    wrong = [each for each in paths if each not in {*known, "*", "tabId"}]
    if wrong:
        raise invalid(f"The field {wrong[0]!r} of a tab cannot be changed.")
    fields = [each for each in known if each in given] if "*" in paths else paths
    kept = ",".join(each for each in fields if each not in {"index", "tabId"})
    if kept or "index" not in fields:
        tab.properties = with_masked_fields(tab.properties, given, kept)
    if "index" in fields:
        document.tabs.remove(tab)
        _put_tab(document, tab, given.get("index") or 0)
    document.row["tabs"] = document.row.get("tabs") or []


def _delete_tab(document: Document, asked: JsonObject) -> None:
    """Deletes a tab and those below it; one is left."""
    gone = {document.tab(str(asked.get("tabId") or "-")).ident}
    for each in document.tabs:  # those below come behind
        if each.properties.get("parentTabId") in gone:
            gone.add(each.ident)
    kept = [each for each in document.tabs if each.ident not in gone]
    if not kept:
        raise invalid("The last tab of a document cannot be deleted.")
    document.tabs = kept


STRUCTURE: Mapping[str, Callable[[Document, Any], JsonObject | None]] = {
    "insertTable": _insert_table,
    "insertTableRow": partial(_reshape, change=_add_row),
    "insertTableColumn": partial(_reshape, change=_add_column),
    "deleteTableRow": partial(_reshape, change=_drop_row),
    "deleteTableColumn": partial(_reshape, change=_drop_column),
    "mergeTableCells": _merge_cells,
    "unmergeTableCells": _unmerge_cells,
    "updateTableCellStyle": _style_cells,
    "updateTableRowStyle": _style_rows,
    "updateTableColumnProperties": _style_columns,
    "pinTableHeaderRows": _pin_rows,
    "insertPageBreak": _insert_page_break,
    "insertSectionBreak": _insert_section_break,
    "updateSectionStyle": _style_sections,
    "createHeader": partial(_create_edge, "headers", "Header"),
    "createFooter": partial(_create_edge, "footers", "Footer"),
    "deleteHeader": partial(_delete_edge, "headers", "Header"),
    "deleteFooter": partial(_delete_edge, "footers", "Footer"),
    "createFootnote": _create_footnote,
    "insertInlineImage": _insert_image,
    "replaceImage": _replace_image,
    "deletePositionedObject": _delete_positioned,
    "insertPerson": partial(_insert_chip, "person", "email"),
    "insertRichLink": partial(_insert_chip, "richLink", "uri"),
    "insertDate": partial(_insert_chip, "dateElement", "timestamp"),
    "updateNamedStyle": _style_named,
    "addDocumentTab": _add_tab,
    "updateDocumentTabProperties": _change_tab,
    "deleteTab": _delete_tab,
}
