"""How a documented list is paged, filtered, searched and ordered, told by names alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mockserver.declared.openapi import words
from mockserver.declared.openapi.document import DocumentedOperation, OpenApiDocument, Parameter
from mockserver.declared.openapi.schemas import fields_of, type_of
from mockserver.model import JsonObject

_MOST_ROWS = 100_000


@dataclass
class ListForm:
    """How a list is asked for.

    Attributes:
        settings: Keys of the collection: `paging`, `filters`, `search`, `sort`, `fields`.
        unsure: What could not be told.
    """

    settings: JsonObject = field(default_factory=dict)
    unsure: list[str] = field(default_factory=list)


def list_form(
    document: OpenApiDocument,
    operation: DocumentedOperation,
    envelope: JsonObject,
    rows: Mapping[str, JsonObject],
) -> ListForm:
    """How a list is asked for.

    Args:
        document: The document.
        operation: The one that lists.
        envelope: The schema of its answer; `{}` where that is a bare array.
        rows: The fields of a row.
    """
    made = ListForm()
    left = dict(operation.query)
    paging = _paging(document, operation, left, envelope)
    if paging:
        made.settings["paging"] = paging
    for key, known in (("search", words.SEARCHES), ("fields", words.FIELDS)):
        found = words.first_of(known, left)
        if found and found not in rows:
            left.pop(found)
            made.settings[key] = found
    sort = words.first_of(words.SORTS, left)
    if sort and sort not in rows:
        left.pop(sort)
        order = words.first_of(words.ORDERS, left)
        left.pop(order, None)
        made.settings["sort"] = {"param": sort, "order": order} if order else sort
    filters = _filters(document, left, rows)
    if filters:
        made.settings["filters"] = filters
    ignored = [name for name in left if name not in filters]
    if ignored:
        made.unsure.append(f"these parameters of the list have no effect: {', '.join(ignored)}")
    if "starting_after" in left:
        made.unsure.append("pages after `starting_after` are not cut: lists are given whole")
    return made


def _filters(
    document: OpenApiDocument, left: Mapping[str, Parameter], rows: Mapping[str, JsonObject]
) -> JsonObject:
    found: JsonObject = {}
    for name, parameter in left.items():
        own = words.field_for(name, rows) or words.field_for(f"{words.singular(name)}", rows)
        if own:
            is_several = type_of(document, parameter.schema) == "array"
            in_row = type_of(document, rows[own])
            if in_row == "array":
                found[name] = {"field": own, "op": "contains"}
            elif in_row != "object":
                found[name] = {"field": own, "op": "in"} if is_several else own
            continue
        compared = words.comparison_for(name, rows)
        if compared is not None:
            found[name] = {"field": compared[0], "op": compared[1]}
    return found


def _paging(
    document: OpenApiDocument,
    operation: DocumentedOperation,
    left: dict[str, Parameter],
    envelope: JsonObject,
) -> JsonObject:
    """Keys of `paging`; the parameters that it uses are taken out of `left`."""
    made: JsonObject = {}
    for style, known in (
        ("page", words.PAGES),
        ("offset", words.OFFSETS),
        ("cursor", words.CURSORS),
    ):
        param = words.first_of(known, left)
        if param:
            made = {"style": style} | ({} if param == style else {"param": param})
            left.pop(param)
            break
    if not made:
        return {}
    size = words.first_of(words.SIZES, left)
    if size:
        made["size"] = size
        schema = document.resolved(left.pop(size).schema)
        most, usual = schema.get("maximum"), schema.get("default")
        if isinstance(most, int) and 1 <= most <= _MOST_ROWS:
            made["max"] = most
        if isinstance(usual, int) and 1 <= usual <= _MOST_ROWS:
            made["default"] = usual
        if made.get("default", 20) > made.get("max", 100):
            made["max"] = made.get("default", 20)
            if "default" not in made:
                made["default"] = made["max"] = int(most or 20)
    _tell_next(document, operation, envelope, made)
    return made


def _tell_next(
    document: OpenApiDocument,
    operation: DocumentedOperation,
    envelope: JsonObject,
    made: JsonObject,
) -> None:
    """Add where an answer tells of the next page and of how many rows there are."""
    success = operation.success
    if success is not None and "link" in success.headers:
        made["next"] = "link_header"
    places = _places(document, envelope)
    for key, known in (
        ("next", words.NEXT_TOKENS if made["style"] == "cursor" else ()),
        ("next_url", words.NEXT_URLS),
        ("previous_url", words.PREVIOUS_URLS),
        ("total", words.TOTALS),
        ("has_more", words.HAS_MORE),
    ):
        found = words.first_of(known, places)
        if found and key not in made:
            made[key] = places[found]
    if made["style"] == "cursor" and "next" not in made and "next_url" not in made:
        made["next"] = made.get("param", "next_cursor")
    total = {"x-total-count", "x-total"} & (success.headers if success is not None else set())
    if total and "total" not in made:
        made["total_header"] = min(total)


def _places(document: OpenApiDocument, envelope: JsonObject) -> dict[str, str]:
    """The scalar fields of an envelope, and of objects in it that tell of pages: name to place."""
    found: dict[str, str] = {}
    outer = fields_of(document, envelope).properties
    for name, schema in outer.items():
        if type_of(document, schema) not in {"object", "array"}:
            found[name] = name
    for name in (words.first_of([each], outer) for each in words.ENVELOPES):
        inner = fields_of(document, outer[name]).properties if name else {}
        for each, schema in inner.items():
            if type_of(document, schema) not in {"object", "array"}:
                found.setdefault(each, f"{name}.{each}")
    return found
