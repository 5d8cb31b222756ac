"""The requests of `presentations.batchUpdate`: kind to what does it. Source: the reference."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

from mockserver.apis.slides.text import (
    MARKER,
    Letter,
    bounds_of,
    delete_text,
    insert_text,
    plain_text,
    read_text,
    replace_text,
    write_text,
)
from mockserver.googleapi import invalid
from mockserver.googleapi.batch_updates import with_masked_fields
from mockserver.model import JsonObject
from mockserver.state import Ids

LAYOUTS: Mapping[str, tuple[str, ...]] = {
    "TITLE": ("CENTERED_TITLE", "SUBTITLE", "SLIDE_NUMBER"),
    "SECTION_HEADER": ("TITLE", "SLIDE_NUMBER"),
    "TITLE_AND_BODY": ("TITLE", "BODY", "SLIDE_NUMBER"),
    "TITLE_AND_TWO_COLUMNS": ("TITLE", "BODY", "BODY", "SLIDE_NUMBER"),
    "TITLE_ONLY": ("TITLE", "SLIDE_NUMBER"),
    "ONE_COLUMN_TEXT": ("TITLE", "BODY", "SLIDE_NUMBER"),
    "MAIN_POINT": ("TITLE", "SLIDE_NUMBER"),
    "SECTION_TITLE_AND_DESCRIPTION": ("TITLE", "SUBTITLE", "BODY", "SLIDE_NUMBER"),
    "CAPTION_ONLY": ("BODY", "SLIDE_NUMBER"),
    "BIG_NUMBER": ("TITLE", "BODY", "SLIDE_NUMBER"),
    "BLANK": ("SLIDE_NUMBER",),
}
"""Name of a layout to its placeholders."""
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:-]{4,49}")
_TRANSFORM: JsonObject = {"scaleX": 1, "scaleY": 1, "unit": "EMU"}


@dataclass(slots=True)
class Presentation:
    """A presentation while it is changed, and who makes its ids."""

    row: JsonObject
    ids: Ids

    @property
    def slides(self) -> list[JsonObject]:
        """Its slides, in order."""
        found: list[JsonObject] = self.row.setdefault("slides", [])
        return found

    def elements(self) -> Iterator[tuple[list[JsonObject], JsonObject]]:
        """All elements of its slides, also those of groups.

        Yields:
            The list that one is in, and it.
        """
        for slide in self.slides:
            yield from _elements_of(slide.setdefault("pageElements", []))

    def element(self, ident: object) -> tuple[list[JsonObject], JsonObject]:
        """The element of an id, and the list that it is in; ApiError 400 for none."""
        for owner, each in self.elements():
            if each["objectId"] == ident:
                return owner, each
        raise invalid(f"The object ({ident}) could not be found.")

    def slide(self, ident: object) -> JsonObject:
        """The slide of an id; ApiError 400 for none."""
        for each in self.slides:
            if each["objectId"] == ident:
                return each
        raise invalid(f"The page ({ident}) could not be found.")

    def new_id(self, asked: object) -> str:
        """The id of a new object; ApiError 400 for one that is taken or cannot be."""
        if not asked:
            return f"g{self.ids.hex('object', 12)}_0"
        ident = str(asked)
        if not _ID.fullmatch(ident):
            raise invalid(f"The object ID ({ident}) must be 5 to 50 letters, digits, _, : and -.")
        taken = {each["objectId"] for each in self.slides}
        taken |= {each["objectId"] for _, each in self.elements()}
        if ident in taken:
            raise invalid(f"The object ID ({ident}) should be unique among all pages and elements.")
        return ident


def _elements_of(several: list[JsonObject]) -> Iterator[tuple[list[JsonObject], JsonObject]]:
    for each in several:
        yield several, each
        if "elementGroup" in each:
            yield from _elements_of(each["elementGroup"].setdefault("children", []))


def new_slide(
    presentation: Presentation, ident: str, layout: str, named: Mapping[tuple[str, int], str]
) -> JsonObject:
    """A slide of a layout, with its placeholders.

    Args:
        presentation: The presentation.
        ident: The slide's id.
        layout: The layout's name.
        named: Ids of placeholders, by type and index.
    """
    page: JsonObject = next((each for each in presentation.row.get("layouts") or ()
                 if each["layoutProperties"]["name"] == layout), {})  # fmt: skip
    elements, seen = list[JsonObject](), dict[str, int]()
    for number, kind in enumerate(LAYOUTS.get(layout, ())):
        if kind == "SLIDE_NUMBER":
            continue
        index = seen[kind] = seen.get(kind, -1) + 1
        held = {"type": kind, **({"index": index} if index else {})}
        if page:
            held["parentObjectId"] = f"{page['objectId']}_i{number}"
        elements.append({
            "objectId": named.get((kind, index)) or f"{ident}_i{len(elements)}",
            "transform": _TRANSFORM,
            "shape": {"shapeType": "TEXT_BOX", "shapeProperties": {}, "placeholder": held},
        })  # fmt: skip
    master = (presentation.row.get("masters") or [{}])[0].get("objectId", "")
    properties = {"masterObjectId": master}
    if page:
        properties["layoutObjectId"] = page["objectId"]
    return {"objectId": ident, "pageElements": elements, "slideProperties": properties,
            "pageProperties": {"pageBackgroundFill": {"propertyState": "INHERIT"}}}  # fmt: skip


def _create_slide(presentation: Presentation, asked: JsonObject) -> JsonObject:
    ident, reference = presentation.new_id(asked.get("objectId")), asked.get("slideLayoutReference")
    layout = str((reference or {}).get("predefinedLayout") or "BLANK")
    if wanted := (reference or {}).get("layoutId"):
        names = {each["objectId"]: each["layoutProperties"]["name"]
                 for each in presentation.row.get("layouts") or ()}  # fmt: skip
        if wanted not in names:
            raise invalid(f"The layout ({wanted}) could not be found.")
        layout = names[wanted]
    if layout not in LAYOUTS:
        raise invalid(f"The predefined layout ({layout}) is not present in the current master.")
    named = {}
    for each in asked.get("placeholderIdMappings") or ():
        place = each.get("layoutPlaceholder") or {}
        key = str(place.get("type")), int(place.get("index") or 0)
        named[key] = presentation.new_id(each.get("objectId"))
    made = new_slide(presentation, ident, layout, named)
    if missing := set(named.values()) - {each["objectId"] for each in made["pageElements"]}:
        raise invalid(f"The layout {layout} has no placeholder for: {', '.join(sorted(missing))}.")
    place = asked.get("insertionIndex")
    count = len(presentation.slides)
    if place is not None and not 0 <= int(place) <= count:
        raise invalid(f"The insertion index ({place}) should be 0 to {count}.")
    presentation.slides.insert(count if place is None else int(place), made)
    return {"objectId": ident}


def _add_element(presentation: Presentation, asked: JsonObject, content: JsonObject) -> JsonObject:
    """Put a new element on the page that its properties name."""
    given = asked.get("elementProperties") or {}
    page = presentation.slide(given.get("pageObjectId"))
    ident = presentation.new_id(asked.get("objectId"))
    size = {"width": {"magnitude": 3000000, "unit": "EMU"},
            "height": {"magnitude": 3000000, "unit": "EMU"}}  # fmt: skip
    made = {"objectId": ident, "size": given.get("size") or size,
            "transform": given.get("transform") or _TRANSFORM, **content}  # fmt: skip
    page.setdefault("pageElements", []).append(made)
    return {"objectId": ident}


def _create_shape(presentation: Presentation, asked: JsonObject) -> JsonObject:
    kind = asked.get("shapeType")
    if not kind:
        raise invalid("The shape type must be set.")
    content = {"shape": {"shapeType": kind, "shapeProperties": {}}}
    return _add_element(presentation, asked, content)


def _image(url: object) -> JsonObject:
    if not str(url or "").startswith(("http://", "https://")):
        raise invalid(f"The image URL ({url}) must be an http or https address.")
    return {"contentUrl": url, "sourceUrl": url, "imageProperties": {}}


def _create_image(presentation: Presentation, asked: JsonObject) -> JsonObject:
    """The image is not fetched: nothing leaves this machine."""
    return _add_element(presentation, asked, {"image": _image(asked.get("url"))})


def _create_line(presentation: Presentation, asked: JsonObject) -> JsonObject:
    category = asked.get("category") or asked.get("lineCategory") or "STRAIGHT"
    kind = {"STRAIGHT": "STRAIGHT_CONNECTOR_1", "BENT": "BENT_CONNECTOR_2",
            "CURVED": "CURVED_CONNECTOR_2"}.get(str(category))  # fmt: skip
    if kind is None:
        raise invalid(f"The line category ({category}) is not one of: STRAIGHT, BENT, CURVED.")
    line: JsonObject = {"lineProperties": {}, "lineType": kind, "lineCategory": category}
    return _add_element(presentation, asked, {"line": line})


def _create_table(presentation: Presentation, asked: JsonObject) -> JsonObject:
    rows, columns = int(asked.get("rows") or 0), int(asked.get("columns") or 0)
    if min(rows, columns) < 1:
        raise invalid("The table must have at least one row and one column.")
    lines: list[JsonObject] = [{"tableCells": [{} for _ in range(columns)]} for _ in range(rows)]
    table = _numbered({"tableRows": lines})
    return _add_element(presentation, asked, {"table": table})


def _numbered(table: JsonObject) -> JsonObject:
    """A table with the places of its cells, and its counts."""
    rows = table["tableRows"]
    for down, row in enumerate(rows):
        for across, cell in enumerate(row["tableCells"]):
            place = {"rowIndex": down, "columnIndex": across}
            cell.update(location={k: v for k, v in place.items() if v}, rowSpan=1, columnSpan=1)
    columns = len(rows[0]["tableCells"]) if rows else 0
    return {**table, "rows": len(rows), "columns": columns}


def _table(presentation: Presentation, ident: object) -> tuple[JsonObject, JsonObject]:
    _, element = presentation.element(ident)
    if "table" not in element:
        raise invalid(f"The object ({ident}) is not a table.")
    return element, element["table"]


def _cell(table: JsonObject, asked: JsonObject | None) -> tuple[int, int]:
    row, column = (int((asked or {}).get(name) or 0) for name in ("rowIndex", "columnIndex"))
    if not (0 <= row < table["rows"] and 0 <= column < table["columns"]):
        raise invalid(f"There is no cell at row {row}, column {column} of the table.")
    return row, column


def _change_table(kind: str, presentation: Presentation, asked: JsonObject) -> None:
    """Insert or delete rows or columns of a table."""
    element, table = _table(presentation, asked.get("tableObjectId"))
    row, column = _cell(table, asked.get("cellLocation"))
    rows, count = table["tableRows"], int(asked.get("number") or 1)
    if kind == "insertTableRows":
        place = row + bool(asked.get("insertBelow"))
        rows[place:place] = [
            {"tableCells": [{} for _ in range(table["columns"])]} for _ in range(count)
        ]
    elif kind == "insertTableColumns":
        place = column + bool(asked.get("insertRight"))
        for each in rows:
            each["tableCells"][place:place] = [{} for _ in range(count)]
    elif kind == "deleteTableRow":
        del rows[row]
    else:
        for each in rows:
            del each["tableCells"][column]
    element["table"] = _numbered(table)
    if not element["table"]["rows"] or not element["table"]["columns"]:
        _delete_object(presentation, {"objectId": element["objectId"]})


def _texts(element: JsonObject) -> Iterator[JsonObject]:
    """What of an element holds a text: a shape, or the cells of a table.

    Yields:
        Shapes and cells.
    """
    if "shape" in element:
        yield element["shape"]
    for row in (element.get("table") or {}).get("tableRows") or ():
        yield from row["tableCells"]


def _holder(presentation: Presentation, asked: JsonObject) -> JsonObject:
    """The shape or cell whose text a request means; ApiError 400 for none."""
    _, element = presentation.element(asked.get("objectId"))
    if "table" in element:
        row, column = _cell(element["table"], asked.get("cellLocation"))
        cell: JsonObject = element["table"]["tableRows"][row]["tableCells"][column]
        return cell
    if "shape" not in element:
        raise invalid(f"The object ({element['objectId']}) does not allow text editing.")
    shape: JsonObject = element["shape"]
    return shape


def _keep_text(holder: JsonObject, letters: list[Letter]) -> None:
    holder.pop("text", None)
    if letters:
        holder["text"] = write_text(letters)


def _insert_text(presentation: Presentation, asked: JsonObject) -> None:
    holder = _holder(presentation, asked)
    letters, text = read_text(holder.get("text")), str(asked.get("text") or "")
    if not text:
        raise invalid("The text to insert must be set.")
    insert_text(letters, int(asked.get("insertionIndex") or 0), text.replace("\r\n", "\n"))
    _keep_text(holder, letters)


def _delete_text(presentation: Presentation, asked: JsonObject) -> None:
    holder = _holder(presentation, asked)
    letters = read_text(holder.get("text"))
    delete_text(letters, *bounds_of(letters, asked.get("textRange")))
    _keep_text(holder, letters)


def _pages(presentation: Presentation, asked: JsonObject) -> list[JsonObject]:
    named = asked.get("pageObjectIds")
    return [presentation.slide(each) for each in named] if named else presentation.slides


def _sought(asked: JsonObject) -> tuple[str, bool]:
    contains = asked.get("containsText") or {}
    if contains.get("searchByRegex"):
        raise invalid("searchByRegex is not emulated; a text without it is.")
    if not contains.get("text"):
        raise invalid("The text to find must be set.")
    return str(contains["text"]), contains.get("matchCase") is True


def _replace_all(presentation: Presentation, asked: JsonObject) -> JsonObject:
    (wanted, match_case), count = _sought(asked), 0
    text = str(asked.get("replaceText") or "")
    for page in _pages(presentation, asked):
        for _, element in _elements_of(page.get("pageElements") or []):
            for holder in _texts(element):
                letters = read_text(holder.get("text"))
                found = replace_text(letters, wanted, text, match_case=match_case)
                if found:
                    _keep_text(holder, letters)
                count += found
    return {"occurrencesChanged": count} if count else {}


def _replace_shapes(presentation: Presentation, asked: JsonObject) -> JsonObject:
    """Put an image in place of each shape that has a text."""
    (wanted, match_case), count = _sought(asked), 0
    fold: Callable[[str], str] = str if match_case else str.lower
    image = _image(asked.get("imageUrl"))
    for page in _pages(presentation, asked):
        for _, element in _elements_of(page.get("pageElements") or []):
            text = plain_text(read_text((element.get("shape") or {}).get("text")))
            if fold(wanted) in fold(text):
                del element["shape"]
                element["image"] = deepcopy(image)
                count += 1
    return {"occurrencesChanged": count} if count else {}


def _style_text(presentation: Presentation, asked: JsonObject) -> None:
    holder = _holder(presentation, asked)
    letters = read_text(holder.get("text"))
    for each in letters[slice(*bounds_of(letters, asked.get("textRange")))]:
        each.style = with_masked_fields(each.style, asked.get("style") or {}, asked.get("fields"))
    _keep_text(holder, letters)


def _mark_paragraphs(
    presentation: Presentation, asked: JsonObject, change: Callable[[JsonObject], JsonObject]
) -> None:
    """Change the markers of the paragraphs of which a range has any letter."""
    holder = _holder(presentation, asked)
    letters = read_text(holder.get("text"))
    start, end = bounds_of(letters, asked.get("textRange"))
    begin = 0
    for place, each in enumerate(letters):
        if each.text == "\n":
            if begin < end and start <= place:
                each.marker = change(each.marker or MARKER)
            begin = place + 1
    _keep_text(holder, letters)


def _style_paragraphs(presentation: Presentation, asked: JsonObject) -> None:
    given, fields = asked.get("style") or {}, asked.get("fields")

    def change(marker: JsonObject) -> JsonObject:
        style = with_masked_fields(marker.get("style") or {}, given, fields)
        return {**marker, "style": style}

    _mark_paragraphs(presentation, asked, change)


def _create_bullets(presentation: Presentation, asked: JsonObject) -> None:
    ident = f"kix.{presentation.ids.base36('list', 12)}"
    _mark_paragraphs(presentation, asked, lambda marker: {
        **marker, "bullet": {"listId": ident, "nestingLevel": 0}})  # fmt: skip


def _delete_bullets(presentation: Presentation, asked: JsonObject) -> None:
    _mark_paragraphs(presentation, asked, lambda marker: {
        name: each for name, each in marker.items() if name != "bullet"})  # fmt: skip


def _delete_object(presentation: Presentation, asked: JsonObject) -> None:
    ident = asked.get("objectId")
    for slide in presentation.slides:
        if slide["objectId"] == ident:
            presentation.slides.remove(slide)
            return
    owner, element = presentation.element(ident)
    owner.remove(element)


def _duplicate_object(presentation: Presentation, asked: JsonObject) -> JsonObject:
    ident, named = asked.get("objectId"), asked.get("objectIds") or {}

    def renamed(row: JsonObject) -> JsonObject:
        made = deepcopy(row)
        made["objectId"] = presentation.new_id(named.get(row["objectId"]))
        for holder, name in ((made, "pageElements"), (made.get("elementGroup") or {}, "children")):
            if name in holder:
                holder[name] = [renamed(each) for each in holder[name]]
        return made

    for number, slide in enumerate(presentation.slides):
        if slide["objectId"] == ident:
            made = renamed(slide)
            presentation.slides.insert(number + 1, made)
            return {"objectId": made["objectId"]}
    owner, element = presentation.element(ident)
    made = renamed(element)
    owner.append(made)
    return {"objectId": made["objectId"]}


def _move_slides(presentation: Presentation, asked: JsonObject) -> None:
    moved = [presentation.slide(each) for each in asked.get("slideObjectIds") or ()]
    place, slides = int(asked.get("insertionIndex") or 0), presentation.slides
    if not moved or not 0 <= place <= len(slides):
        raise invalid(f"The insertion index ({place}) should be 0 to {len(slides)}.")
    before = [each for each in slides[:place] if each not in moved]
    after = [each for each in slides[place:] if each not in moved]
    slides[:] = [*before, *moved, *after]


def _transform(presentation: Presentation, asked: JsonObject) -> None:
    _, element = presentation.element(asked.get("objectId"))
    given, mode = asked.get("transform") or {}, asked.get("applyMode")
    if mode not in {"ABSOLUTE", "RELATIVE"}:
        raise invalid("The apply mode must be ABSOLUTE or RELATIVE.")
    if mode == "RELATIVE":
        given = _multiplied(given, element.get("transform") or {})
    element["transform"] = given


def _multiplied(one: JsonObject, other: JsonObject) -> JsonObject:
    """The matrix of a transform that is applied after another."""
    a, b = (
        [each.get(name, 0) for name in
         ("scaleX", "shearX", "translateX", "shearY", "scaleY", "translateY")]
        for each in (one, other)
    )  # fmt: skip
    found = {
        "scaleX": a[0] * b[0] + a[1] * b[3],
        "shearX": a[0] * b[1] + a[1] * b[4],
        "translateX": a[0] * b[2] + a[1] * b[5] + a[2],
        "shearY": a[3] * b[0] + a[4] * b[3],
        "scaleY": a[3] * b[1] + a[4] * b[4],
        "translateY": a[3] * b[2] + a[4] * b[5] + a[5],
    }
    return {**{name: each for name, each in found.items() if each}, "unit": "EMU"}


def _describe(presentation: Presentation, asked: JsonObject) -> None:
    _, element = presentation.element(asked.get("objectId"))
    element.update({name: asked[name] for name in ("title", "description") if name in asked})


def _put_properties(item: str, field: str, presentation: Presentation, asked: JsonObject) -> None:
    """Change the properties of a shape, an image or a line."""
    _, element = presentation.element(asked.get("objectId"))
    if item not in element:
        raise invalid(f"The object ({element['objectId']}) is not a {item}.")
    before, given = element[item].get(field) or {}, asked.get(field) or {}
    element[item][field] = with_masked_fields(before, given, asked.get("fields"))


def _put_page_properties(field: str, presentation: Presentation, asked: JsonObject) -> None:
    page = presentation.slide(asked.get("objectId"))
    before, given = page.get(field) or {}, asked.get(field) or {}
    page[field] = with_masked_fields(before, given, asked.get("fields"))


REQUESTS: Mapping[str, Callable[[Presentation, Any], JsonObject | None]] = {
    "createSlide": _create_slide,
    "createShape": _create_shape,
    "createImage": _create_image,
    "createLine": _create_line,
    "createTable": _create_table,
    **{kind: partial(_change_table, kind) for kind in (
        "insertTableRows", "insertTableColumns", "deleteTableRow", "deleteTableColumn")},
    "insertText": _insert_text,
    "deleteText": _delete_text,
    "replaceAllText": _replace_all,
    "replaceAllShapesWithImage": _replace_shapes,
    "updateTextStyle": _style_text,
    "updateParagraphStyle": _style_paragraphs,
    "createParagraphBullets": _create_bullets,
    "deleteParagraphBullets": _delete_bullets,
    "deleteObject": _delete_object,
    "duplicateObject": _duplicate_object,
    "updateSlidesPosition": _move_slides,
    "updatePageElementTransform": _transform,
    "updatePageElementAltText": _describe,
    "updateShapeProperties": partial(_put_properties, "shape", "shapeProperties"),
    "updateImageProperties": partial(_put_properties, "image", "imageProperties"),
    "updateLineProperties": partial(_put_properties, "line", "lineProperties"),
    "updatePageProperties": partial(_put_page_properties, "pageProperties"),
    "updateSlideProperties": partial(_put_page_properties, "slideProperties"),
}  # fmt: skip
