"""Methods of Docs; every document is a file of Drive, whose name is its title.

Source of the requests of `documents.batchUpdate`: the API's reference.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from mockserver.apis.docs.documents import Document, Segment, Tab
from mockserver.apis.docs.structure import STRUCTURE, where_of
from mockserver.apis.docs.text import Paragraph, Run, change_runs, delete_range, insert_text, width
from mockserver.collections.collection import content_hash
from mockserver.googleapi import (
    Call,
    Handler,
    invalid,
)
from mockserver.googleapi.batch_updates import apply_requests
from mockserver.googleapi.editor_files import EditorFiles, check_revision
from mockserver.model import JsonObject

_GLYPHS = ("\u25cf", "\u25cb", "\u25a0")
_NUMBERS = ("DECIMAL", "ALPHA", "ROMAN")


def _insert_text(document: Document, asked: JsonObject) -> None:
    text = "".join(
        each for each in str(asked.get("text") or "")
        if each in "\t\n" or (each >= " " and not "\ue000" <= each <= "\uf8ff")
    ).replace("\r\n", "\n")  # fmt: skip
    if not text:
        raise invalid("Insert text requests must specify text to insert.")
    tab, segment, place, index = where_of(document, asked)
    insert_text(place, index, text)
    tab.shift(segment, index - 1, 0, width(text))


def _delete_range(document: Document, asked: JsonObject) -> None:
    tab, segment = document.located(asked.get("range") or {})
    start, end = segment.span(asked.get("range") or {})
    if end >= segment.end:
        raise invalid("The range cannot include the newline character at the end of the segment.")
    _delete(tab, segment, start, end)


def _delete(tab: Tab, segment: Segment, start: int, end: int) -> None:
    if not delete_range(segment.blocks, segment.start, start, end):
        raise invalid("Invalid deletion range. Cannot delete the requested range.")
    tab.shift(segment, start, end - start, 0)


def _replace_all(document: Document, asked: JsonObject) -> JsonObject:
    contains, count = asked.get("containsText") or {}, 0
    wanted, text = str(contains.get("text") or ""), str(asked.get("replaceText") or "")
    if not wanted:
        raise invalid("The text to find must be set.")
    fold: Callable[[str], str] = str if contains.get("matchCase") else str.lower
    for tab in document.tabs_of(asked.get("tabsCriteria")):
        for segment in tab.segments():
            behind = 0
            while (place := _next_place(segment, fold, wanted, behind)) is not None:
                _replace(tab, segment, place, place + width(wanted), text)
                behind, count = place + width(text), count + 1
    return {"occurrencesChanged": count} if count else {}


def _replace(tab: Tab, segment: Segment, start: int, end: int, text: str) -> None:
    """Put a text in the place of another one, in the style of that one's beginning."""
    if text:
        insert_text(segment.place(end), end, text)
        _copy_style(segment, start, end - start, width(text))
    delete_range(segment.blocks, segment.start, start, end)
    tab.shift(segment, start, end - start, width(text))


def _next_place(
    segment: Segment, fold: Callable[[str], str], wanted: str, behind: int
) -> int | None:
    """The index of the first place of a text that is not before another, or None."""
    several = (
        _next_match(each, start, fold, wanted, behind) for each, start in segment.paragraphs()
    )
    return next((each for each in several if each is not None), None)


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


def _copy_style(segment: Segment, place: int, size: int, added: int) -> None:
    styles: list[JsonObject] = []
    blocks, at = segment.blocks, segment.start
    change_runs(blocks, at, place, place + 1, lambda run: styles.append(run.style))

    def set_style(run: Run) -> None:
        run.style = {**styles[0]}

    change_runs(blocks, at, place + size, place + size + added, set_style)


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
    _, segment = document.located(asked.get("range") or {})
    start, end = segment.span(asked.get("range") or {})
    given, fields = _masked(asked, "textStyle")

    def set_style(run: Run) -> None:
        run.style = _with_fields(run.style, given, fields)

    change_runs(segment.blocks, segment.start, start, end, set_style)


def _paragraphs_in(document: Document, asked: JsonObject) -> Iterator[tuple[Paragraph, int]]:
    _, segment = document.located(asked.get("range") or {})
    start, end = segment.span(asked.get("range") or {})
    for each, low in list(segment.paragraphs()):
        if low < end and start < low + each.size:
            yield each, low


def _style_paragraphs(document: Document, asked: JsonObject) -> None:
    given, fields = _masked(asked, "paragraphStyle")
    for each, _ in _paragraphs_in(document, asked):
        each.style = _with_fields(each.style, given, fields)


def _create_bullets(document: Document, asked: JsonObject) -> None:
    """Makes a list of paragraphs; tabs before a paragraph say how deep it is, and go."""
    preset = str(asked.get("bulletPreset") or "")
    if not preset:
        raise invalid("The bullet preset must be set.")
    tab, segment = document.located(asked.get("range") or {})
    ident = document.new_id("list")
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
    lists = tab.fields.get("lists") or {}
    tab.fields["lists"] = {**lists, ident: {"listProperties": {"nestingLevels": levels}}}
    gone = 0
    for each, low in _paragraphs_in(document, asked):
        depth = len(each.text) - len(each.text.lstrip("\t"))
        if depth:
            del each.runs[: each.split(depth)]
            tab.shift(segment, low - gone, depth, 0)
            gone += depth
        level = {"nestingLevel": min(depth, 8)} if depth else {}
        each.bullet = {"listId": ident, "textStyle": {}, **level}


def _delete_bullets(document: Document, asked: JsonObject) -> None:
    for each, _ in _paragraphs_in(document, asked):
        each.bullet = None


def _create_range(document: Document, asked: JsonObject) -> JsonObject:
    given = asked.get("range") or {}
    tab, segment = document.located(given)
    start, end = segment.span(given)
    name = str(asked.get("name") or "")
    if not 1 <= width(name) <= 256:
        raise invalid("The name must be at least 1 character and no more than 256.")
    ident = document.new_id("range")
    place = {"segmentId": segment.ident} if segment.ident else {}
    ranges = [{**place, "startIndex": start, "endIndex": end}]
    made = {"namedRangeId": ident, "name": name, "ranges": ranges}
    every = {**(tab.fields.get("namedRanges") or {})}
    kept = every.get(name, {}).get("namedRanges", [])
    tab.fields["namedRanges"] = {**every, name: {"name": name, "namedRanges": [*kept, made]}}
    return {"namedRangeId": ident}


def _named_ranges(
    document: Document, asked: JsonObject, name: object, ident: object
) -> list[tuple[Tab, JsonObject]]:
    """The ranges with a name or an id; ApiError 400 for none."""
    found = [
        (tab, each)
        for tab in document.tabs_of(asked.get("tabsCriteria"))
        for several in (tab.fields.get("namedRanges") or {}).values()
        for each in several["namedRanges"]
        if (each["namedRangeId"] == ident if ident else each["name"] == name)
    ]
    if not found:
        raise invalid("The named range was not found.")
    return found


def _delete_named(document: Document, asked: JsonObject) -> None:
    gone = _named_ranges(document, asked, asked.get("name"), asked.get("namedRangeId"))
    idents = {each["namedRangeId"] for _, each in gone}
    for tab, _ in gone:
        tab.fields["namedRanges"] = {
            key: {**several, "namedRanges": kept}
            for key, several in tab.fields["namedRanges"].items()
            if (kept := [each for each in several["namedRanges"]
                         if each["namedRangeId"] not in idents])
        }  # fmt: skip


def _replace_named(document: Document, asked: JsonObject) -> None:
    """Replaces the content of named ranges; of one with several parts, all but the first go."""
    text = str(asked.get("text") or "")
    name, ident = asked.get("namedRangeName"), asked.get("namedRangeId")
    for tab, named in _named_ranges(document, asked, name, ident):
        first, *rest = named["ranges"]
        for each in reversed(rest):
            segment = tab.segment(each)
            _delete(tab, segment, each.get("startIndex", 0), min(each["endIndex"], segment.end - 1))
        segment, start = tab.segment(first), first.get("startIndex", 0)
        end = min(first["endIndex"], segment.end - 1)
        if end > start:
            _replace(tab, segment, start, end, text)
        elif text:
            insert_text(segment.place(start), start, text)
            tab.shift(segment, start, 0, width(text))
        named["ranges"] = [{**first, "startIndex": start, "endIndex": start + width(text)}]


def _style_document(document: Document, asked: JsonObject) -> None:
    given, fields = _masked(asked, "documentStyle")
    style = document.tab(asked.get("tabId")).fields
    style["documentStyle"] = _with_fields(style.get("documentStyle") or {}, given, fields)


REQUESTS: Mapping[str, Callable[[Document, Any], JsonObject | None]] = {
    "insertText": _insert_text,
    "deleteContentRange": _delete_range,
    "replaceAllText": _replace_all,
    "updateTextStyle": _style_text,
    "updateParagraphStyle": _style_paragraphs,
    "createParagraphBullets": _create_bullets,
    "deleteParagraphBullets": _delete_bullets,
    "createNamedRange": _create_range,
    "deleteNamedRange": _delete_named,
    "replaceNamedRangeContent": _replace_named,
    "updateDocumentStyle": _style_document,
    **STRUCTURE,
}


_FILES = EditorFiles("docs:v1/documents", "documentId", "application/vnd.google-apps.document")


def _open_document(call: Call) -> Document:
    """The document that a call names; ApiError 404 for none."""
    ident = str(call.params["documentId"])
    row, file = _FILES.open(call, ident)
    title = (file or {}).get("name") or (row or {}).get("title", "Untitled document")
    return Document({**deepcopy(row or {}), "documentId": ident, "title": title}, call.world.ids)


def _answer(call: Call, document: Document) -> JsonObject:
    row = document.to_row()
    mode = str(call.params.get("suggestionsViewMode") or "DEFAULT_FOR_CURRENT_ACCESS")
    shown = "SUGGESTIONS_INLINE" if mode == "DEFAULT_FOR_CURRENT_ACCESS" else mode
    head = {name: row[name] for name in ("documentId", "title")}
    head |= {"suggestionsViewMode": shown, "revisionId": content_hash(row)}
    if call.params.get("includeTabsContent") is True:
        return {**head, "tabs": document.nested_tabs("")}
    beside = {name: each for name, each in row.items() if name != "tabs"}
    return {**beside, **document.tabs[0].write(), **head}


def _create_document(call: Call) -> JsonObject:
    """Answers `documents.create`: of a document only the title counts."""
    title = str(call.body.get("title") or "Untitled document")
    call.params["documentId"] = ident = _FILES.create(call, title)
    document = _open_document(call)
    call.world.put(_FILES.table, f"documents/{ident}", document.to_row())
    return _answer(call, document)


def _update_document(call: Call) -> JsonObject:
    """Answers `documents.batchUpdate`: all requests, or none.

    Raises:
        ApiError: 400 for a request that cannot be or a revision that is another, 501 for a kind
            that is not emulated.
    """
    document = _open_document(call)
    check_revision(call, content_hash(document.to_row()))
    replies = apply_requests(call, REQUESTS, document)
    row, ident = document.to_row(), str(document.row["documentId"])
    _FILES.save(call.world, row)
    control = {"requiredRevisionId": content_hash(row)}
    return {"documentId": ident, "replies": replies, "writeControl": control}


HANDLERS: Mapping[str, Handler] = {
    "docs.documents.create": _create_document,
    "docs.documents.get": lambda call: _answer(call, _open_document(call)),
    "docs.documents.batchUpdate": _update_document,
}
