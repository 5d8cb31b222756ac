"""Requests of `batchUpdate` about what lies over cells: named and protected ranges, filters, ...

Most are kept in lists and told by ids: a row of `_KINDS` has the three requests of each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mockserver.apis.sheets.book import Book, Sheet, new_properties, stored
from mockserver.apis.sheets.cell_requests import sort_range
from mockserver.apis.sheets.masks import changed, read_mask
from mockserver.apis.sheets.ranges import grid_of_area, is_grid_range
from mockserver.apis.sheets.sheet_requests import Request
from mockserver.apis.sheets.values import meets, ranges_of
from mockserver.googleapi import invalid
from mockserver.model import Json, JsonMapping, JsonObject


@dataclass(frozen=True)
class ObjectKind:
    """Objects of a list, told by ids that the service makes.

    Attributes:
        noun: What requests call it, `NamedRange`.
        field: The field of a request and a reply that holds one.
        list_key: The list, of a sheet or of the spreadsheet.
        id_key: Its id.
        deleted_by: The field of a request to delete that has the id.
        fields: Its fields, as far as a mask may name them.
        is_text: Whether ids are texts.
        of_sheet: Whether the list is a sheet's.
    """

    noun: str
    field: str
    list_key: str
    id_key: str
    deleted_by: str
    fields: frozenset[str]
    is_text: bool = False
    of_sheet: bool = True

    def new_id(self, book: Book) -> Json:
        """An id for a new one."""
        digits = book.world.ids.digits(self.list_key, 9)
        return digits if self.is_text else int(digits)


_FONT = "Roboto"
_FILTERED = ("range", "namedRangeId", "tableId", "sortSpecs", "criteria", "filterSpecs")
_KINDS = (
    ObjectKind("NamedRange", "namedRange", "namedRanges", "namedRangeId", "namedRangeId",
               frozenset({"name", "range"}), is_text=True, of_sheet=False),
    ObjectKind("ProtectedRange", "protectedRange", "protectedRanges", "protectedRangeId",
               "protectedRangeId", frozenset({
                   "range", "namedRangeId", "tableId", "description", "warningOnly", "editors",
                   "unprotectedRanges", "requestingUserCanEdit"})),
    ObjectKind("FilterView", "filter", "filterViews", "filterViewId", "filterId",
               frozenset({"title", *_FILTERED})),
    ObjectKind("Banding", "bandedRange", "bandedRanges", "bandedRangeId", "bandedRangeId",
               frozenset({"range", "rowProperties", "columnProperties"})),
    ObjectKind("Table", "table", "tables", "tableId", "tableId",
               frozenset({"name", "range", "rowsProperties", "columnProperties"}), is_text=True),
    ObjectKind("Chart", "chart", "charts", "chartId", "objectId", frozenset()),
    ObjectKind("Slicer", "slicer", "slicers", "slicerId", "objectId", frozenset()),
)  # fmt: skip


def _find_object(
    book: Book, kind: ObjectKind, ident: object
) -> tuple[Sheet | None, int, JsonObject]:
    """Where an object is: its sheet, its place in the list, and it.

    Raises:
        ApiError: 400; there is none of this id.
    """
    holders: list[tuple[Sheet | None, JsonMapping]] = (
        [(each, each.further) for each in book.sheets] if kind.of_sheet else [(None, book.row)]
    )
    for sheet, fields in holders:
        for place, each in enumerate(fields.get(kind.list_key, ())):
            if each[kind.id_key] == ident:
                return sheet, place, each
    raise invalid(f"No {kind.noun[0].lower()}{kind.noun[1:]} with id: {ident}")


def _put(book: Book, kind: ObjectKind, sheet: Sheet | None, place: int, *after: JsonObject) -> None:
    """Replace an object of a list by these."""
    fields = book.row if sheet is None else sheet.further
    found = list(fields.get(kind.list_key, ()))
    found[place : place + 1] = after
    left = {name: each for name, each in fields.items() if name != kind.list_key}
    made = {**left, kind.list_key: found} if found else left
    if sheet is None:
        book.row = made
    else:
        sheet.further = made
    book.changed()


def _first_sheet_id(value: Json) -> int | None:
    """The sheet of the first range in an object."""
    if isinstance(value, dict):
        if is_grid_range(value) or "sheetId" in value or "rowIndex" in value:
            return int(value.get("sheetId") or 0)
        value = list(value.values())
    if isinstance(value, list):
        return next((found for each in value if (found := _first_sheet_id(each)) is not None), None)
    return None


def _add(kind: ObjectKind, book: Book, asked: JsonMapping) -> JsonObject:
    given = asked.get(kind.field) or {}
    made = stored(given)
    ident = made.pop(kind.id_key, None) or kind.new_id(book)
    if kind.noun == "NamedRange":
        _check_name(book, str(made.get("name", "")))
    if kind.noun == "Chart":
        made["spec"] = _with_fonts(made.get("spec") or {})
    made = {kind.id_key: ident, **made}
    sheet = None
    if kind.of_sheet and (made.get("position") or {}).get("newSheet"):
        number = 1
        while f"Chart{number}" in book.titles():
            number += 1
        properties = new_properties(f"Chart{number}", int(book.world.ids.digits("sheet", 9)))
        del properties["gridProperties"]
        sheet = Sheet({**properties, "sheetType": "OBJECT"})
        book.sheets.append(sheet)
        made["position"] = {"sheetId": sheet.ident}
    elif kind.of_sheet:
        place = made.get("position", made) if kind.field == "chart" else made
        sheet = book.sheet(_first_sheet_id(place), "grid")
    reply = made
    if kind.noun == "ProtectedRange":
        reply, made = _protection(book, made)
    end = len((book.row if sheet is None else sheet.further).get(kind.list_key, ()))
    _put(book, kind, sheet, end, made)
    return {kind.field: reply}


def _with_fonts(spec: JsonObject) -> JsonObject:
    """The specification of a chart with the font that its texts have where none is asked for."""
    font = spec.get("fontName") or _FONT
    title = {"fontFamily": font, **(spec.get("titleTextFormat") or {})}
    return {**spec, "fontName": font, "titleTextFormat": title}


def _protection(book: Book, made: JsonObject) -> tuple[JsonObject, JsonObject]:
    """A new protected range as it is replied, and as it is afterwards: its maker may edit it."""
    users = list((made.get("editors") or {}).get("users", ()))
    reply = {**made, "requestingUserCanEdit": True}
    if book.editor and book.editor not in users:
        users.append(book.editor)
    groups = (made.get("editors") or {}).get("groups")
    editors = {"users": users, **({"groups": groups} if groups else {})}
    reply["editors"] = {k: v for k, v in (made.get("editors") or {}).items() if v}
    return reply, {**reply, "editors": {k: v for k, v in editors.items() if v}}


def _check_name(book: Book, name: str) -> None:
    if (
        not name
        or not (name[0].isalpha() or name[0] == "_")
        or not name.replace("_", "a").isalnum()
    ):
        raise invalid(f"The name {name!r} is invalid.")
    if any(each.casefold() == name.casefold() for each in book.named_ranges()):
        raise invalid(f"A named range with the name '{name}' already exists.")


def _update(kind: ObjectKind, book: Book, asked: JsonMapping) -> None:
    given = asked.get(kind.field) or {}
    sheet, place, before = _find_object(book, kind, given.get(kind.id_key))
    paths = read_mask(asked, kind.fields | {kind.id_key})
    name = given.get("name")
    if kind.noun == "NamedRange" and name and str(name).casefold() != before["name"].casefold():
        _check_name(book, str(name))
    _put(book, kind, sheet, place, changed(before, given, paths, keep=(kind.id_key,)))


def _delete(kinds: tuple[ObjectKind, ...], book: Book, asked: JsonMapping) -> None:
    ident = asked.get(kinds[0].deleted_by)
    kind = next((each for each in kinds if any(
        held[each.id_key] == ident for sheet in book.sheets
        for held in sheet.further.get(each.list_key, ()))), kinds[0])  # fmt: skip
    sheet, place, _ = _find_object(book, kind, ident)
    _put(book, kind, sheet, place)


def _put_spec(kind: ObjectKind, book: Book, asked: JsonMapping) -> None:
    """Give a chart or a slicer another specification."""
    sheet, place, before = _find_object(book, kind, asked.get(kind.id_key))
    _put(book, kind, sheet, place, {**before, "spec": stored(asked.get("spec") or {})})


def _put_border(book: Book, asked: JsonMapping) -> None:
    """Give a chart or a slicer another border; the mask is relative to it."""
    kind = _kind_of(book, asked.get("objectId"))
    sheet, place, before = _find_object(book, kind, asked.get("objectId"))
    paths = read_mask(asked, {"color", "colorStyle"})
    border = changed(before.get("border", {}), asked.get("border") or {}, paths)
    _put(book, kind, sheet, place, {**before, "border": border})


def _kind_of(book: Book, ident: object) -> ObjectKind:
    """Whether an id is that of a chart or of a slicer."""
    slicers = (each for sheet in book.sheets for each in sheet.further.get(_SLICER.list_key, ()))
    return _SLICER if any(each[_SLICER.id_key] == ident for each in slicers) else _CHART


def _place_object(book: Book, asked: JsonMapping) -> JsonObject:
    """Move a chart or a slicer; the mask is relative to its `overlayPosition`."""
    ident, given = asked.get("objectId"), asked.get("newPosition") or {}
    kind = _kind_of(book, ident)
    sheet, place, before = _find_object(book, kind, ident)
    known = {"anchorCell", "offsetXPixels", "offsetYPixels", "widthPixels", "heightPixels"}
    paths = read_mask(asked, known)
    own = before.get("position", {}).get("overlayPosition", {})
    after = {"overlayPosition": changed(own, given.get("overlayPosition") or {}, paths)}
    _put(book, kind, sheet, place, {**before, "position": after})
    return {"position": after}


def _copy_view(book: Book, asked: JsonMapping) -> JsonObject:
    kind = _VIEW
    sheet, place, before = _find_object(book, kind, asked.get("filterId"))
    made = {**before, kind.id_key: kind.new_id(book)}
    if "title" in before:
        made["title"] = f"Copy of {before['title']}"
    _put(book, kind, sheet, place, before, made)
    return {"filter": made}


def _set_filter(book: Book, asked: JsonMapping) -> None:
    given = asked.get("filter") or {}
    sheet, area = book.grid(given.get("range") or {})
    held = stored(given)
    criteria = dict(held.get("criteria", {}))
    for each in given.get("filterSpecs") or ():
        criteria[str(each.get("columnIndex") or 0)] = stored(each.get("filterCriteria") or {})
    if criteria:  # the older field and the newer one say the same
        specs = [{"columnIndex": int(n), "filterCriteria": each} for n, each in criteria.items()]
        held |= {"criteria": criteria, "filterSpecs": specs}
    sheet.further["basicFilter"] = {**held, "range": grid_of_area(area, sheet.ident)}
    if given.get("sortSpecs"):
        below = {**grid_of_area(area, sheet.ident), "startRowIndex": area.top + 1}
        sort_range(book, {"range": below, "sortSpecs": given["sortSpecs"]})


def _clear_filter(book: Book, asked: JsonMapping) -> None:
    book.sheet(asked.get("sheetId")).further.pop("basicFilter", None)


def _rules(book: Book, sheet_id: object, index: object) -> tuple[Sheet, list[JsonObject], int]:
    sheet = book.sheet(sheet_id)
    rules, place = list(sheet.further.get("conditionalFormats", ())), int(str(index or 0))
    if not 0 <= place < len(rules):
        raise invalid(f"No conditional format on sheet: {sheet.ident} at index: {place}")
    return sheet, rules, place


def _keep_rules(sheet: Sheet, rules: list[JsonObject]) -> None:
    sheet.further.pop("conditionalFormats", None)
    if rules:
        sheet.further["conditionalFormats"] = rules


def _add_rule(book: Book, asked: JsonMapping) -> None:
    rule = stored(asked.get("rule") or {})
    sheet = book.sheet(_first_sheet_id(rule.get("ranges", [])), "grid")
    rules = list(sheet.further.get("conditionalFormats", ()))
    place = int(asked.get("index") or 0)
    if place > len(rules):
        raise invalid(f"Conditional format index {place} is beyond the {len(rules)} rules.")
    rules.insert(place, rule)
    _keep_rules(sheet, rules)


def _change_rule(book: Book, asked: JsonMapping) -> JsonObject:
    sheet_id = asked.get("sheetId") or _first_sheet_id((asked.get("rule") or {}).get("ranges", []))
    sheet, rules, place = _rules(book, sheet_id, asked.get("index"))
    old = rules.pop(place)
    new, to = stored(asked.get("rule") or old), int(asked.get("newIndex", place))
    rules.insert(to, new)
    _keep_rules(sheet, rules)
    told = {"newRule": new, "newIndex": to, "oldRule": old, "oldIndex": place}
    return {name: value for name, value in told.items() if value}


def _delete_rule(book: Book, asked: JsonMapping) -> JsonObject:
    sheet, rules, place = _rules(book, asked.get("sheetId"), asked.get("index"))
    rule = rules.pop(place)
    _keep_rules(sheet, rules)
    return {"rule": rule}


_LIST_KEY = "developerMetadata"
_METADATA = frozenset({"metadataKey", "metadataValue", "visibility", "location"})


def all_metadata(book: Book) -> list[tuple[Sheet | None, JsonObject]]:
    """Developer metadata, and the sheet that holds each; None for the spreadsheet's."""
    found: list[tuple[Sheet | None, JsonObject]] = [
        (None, each) for each in book.row.get(_LIST_KEY, ())
    ]
    for sheet in book.sheets:
        found += [(sheet, each) for each in sheet.further.get(_LIST_KEY, ())]
    return found


def found_metadata(book: Book, data_filter: JsonMapping) -> list[tuple[Sheet | None, JsonObject]]:
    """The developer metadata that a `DataFilter` means: by lookup, or on the sheet of a range."""
    if "developerMetadataLookup" in data_filter:
        return [each for each in all_metadata(book) if meets(each[1], data_filter)]
    sheets = [sheet.ident for sheet, _ in ranges_of(book, data_filter)]
    return [each for each in all_metadata(book) if each[0] and each[0].ident in sheets]


def _put_metadata(
    book: Book, sheet: Sheet | None, change: Callable[[list[JsonObject]], object]
) -> None:
    fields = book.row if sheet is None else sheet.further
    found = list(fields.get(_LIST_KEY, ()))
    change(found)
    made = {**{name: each for name, each in fields.items() if name != _LIST_KEY},
            **({_LIST_KEY: found} if found else {})}  # fmt: skip
    if sheet is None:
        book.row = made
    else:
        sheet.further = made


def _create_metadata(book: Book, asked: JsonMapping) -> JsonObject:
    given = stored(asked.get(_LIST_KEY) or {})
    if not given.get("visibility"):
        raise invalid("developerMetadata.visibility must be specified.")
    location = (asked.get(_LIST_KEY) or {}).get("location") or {}
    ident = given.get("metadataId") or int(book.world.ids.digits(_LIST_KEY, 9))
    if any(each["metadataId"] == ident for _, each in all_metadata(book)):
        raise invalid(f"Developer metadata with id {ident} already exists.")
    sheet, kind = None, "SPREADSHEET"
    if not location.get("spreadsheet"):
        span = location.get("dimensionRange")
        sheet = book.sheet((span or location).get("sheetId"))
        kind = {None: "SHEET", "ROWS": "ROW", "COLUMNS": "COLUMN"}[(span or {}).get("dimension")]
    held = {"locationType": kind, **given.get("location", {})}
    made = {"metadataId": ident, **given, "location": held}
    _put_metadata(book, sheet, lambda found: found.append(made))
    return {_LIST_KEY: made}


def _update_metadata(book: Book, asked: JsonMapping) -> JsonObject:
    paths, given = read_mask(asked, _METADATA), asked.get(_LIST_KEY) or {}
    told = []
    for each in asked.get("dataFilters") or ():
        for sheet, before in found_metadata(book, each):
            after = changed(before, given, paths, keep=("metadataId",))
            after.setdefault("location", before["location"])
            _put_metadata(book, sheet, partial(_swap, before, after))
            told.append(after)
    return {_LIST_KEY: told}


def _swap(before: JsonObject, after: JsonObject, found: list[JsonObject]) -> None:
    found[found.index(before)] = after


def _delete_metadata(book: Book, asked: JsonMapping) -> JsonObject:
    gone = found_metadata(book, asked.get("dataFilter") or {})
    for sheet, each in gone:
        _put_metadata(book, sheet, lambda found, one=each: found.remove(one))  # type: ignore[misc]
    return {"deletedDeveloperMetadata": [each for _, each in gone]}


_CHART, _SLICER, _VIEW = (
    next(each for each in _KINDS if each.noun == noun) for noun in ("Chart", "Slicer", "FilterView")
)

OBJECT_REQUESTS: Mapping[str, Request] = {
    **{f"add{kind.noun}": partial(_add, kind) for kind in _KINDS},
    **{f"update{kind.noun}": partial(_update, kind) for kind in _KINDS if kind.fields},
    **{f"delete{kind.noun}": partial(_delete, (kind,)) for kind in _KINDS if kind.fields},
    "deleteEmbeddedObject": partial(_delete, (_CHART, _SLICER)),
    "updateChartSpec": partial(_put_spec, _CHART),
    "updateSlicerSpec": partial(_put_spec, _SLICER),
    "updateEmbeddedObjectPosition": _place_object,
    "updateEmbeddedObjectBorder": _put_border,
    "duplicateFilterView": _copy_view,
    "setBasicFilter": _set_filter,
    "clearBasicFilter": _clear_filter,
    "addConditionalFormatRule": _add_rule,
    "updateConditionalFormatRule": _change_rule,
    "deleteConditionalFormatRule": _delete_rule,
    "createDeveloperMetadata": _create_metadata,
    "updateDeveloperMetadata": _update_metadata,
    "deleteDeveloperMetadata": _delete_metadata,
}
