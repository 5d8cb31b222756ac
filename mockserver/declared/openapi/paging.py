"""How a documented list is paged, filtered, searched and ordered, told by names alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mockserver.declared.documents import words
from mockserver.declared.documents.document import DocumentedOperation, OpenApiDocument, Parameter
from mockserver.declared.documents.references import as_list
from mockserver.declared.documents.schemas import fields_of, type_of
from mockserver.declared.queries import USUAL_PARAMS
from mockserver.model import JsonObject

_MOST_ROWS = 100_000
_SIGNS = {"<": "<=", ">": ">="}
"""How names of parameters end that compare: `DateSent<`."""

_OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


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
    paging = _paging_keys(document, operation, left, envelope)
    if paging:
        made.settings["paging"] = paging
    for key, known in (("search", words.SEARCHES), ("fields", words.FIELDS)):
        found = words.first_of(known, left)
        if found and found not in rows:
            left.pop(found)
            made.settings[key] = found
    sort = words.first_of(words.SORTS, left)
    if sort and sort not in rows:
        order = words.first_of(words.ORDERS, left)
        names = _sort_names(document, left.pop(sort), rows)
        left.pop(order, None)
        full: JsonObject = {"param": sort} | ({"order": order} if order else {})
        full |= {"names": names} if names else {}
        made.settings["sort"] = full if len(full) > 1 else sort
    filters = _filters(document, left, rows)
    if filters:
        made.settings["filters"] = filters
    roots = {name.partition("[")[0] for name in filters}
    ignored = [name for name in left if name not in filters and name not in roots]
    if ignored:
        made.unsure.append(f"these parameters of the list have no effect: {', '.join(ignored)}")
    return made


def _sort_names(
    document: OpenApiDocument, sort: Parameter, rows: Mapping[str, JsonObject]
) -> JsonObject:
    """What callers call a field to order by, where that is not its name: created, created_at."""
    made: JsonObject = {}
    for value in as_list(document.resolve(sort.schema).get("enum")):
        field_name = words.field_for(f"{value}_at", rows)
        if isinstance(value, str) and value not in rows and field_name:
            made[value] = field_name
    return made


def _filters(
    document: OpenApiDocument, left: Mapping[str, Parameter], rows: Mapping[str, JsonObject]
) -> JsonObject:
    found: JsonObject = {}
    for name, parameter in left.items():
        compared = _comparisons(document, name, parameter, rows)
        if compared:
            found |= compared
            continue
        ordered = words.field_for(name[:-1], rows) if name[-1:] in _SIGNS else ""
        if ordered:
            found[name] = {"field": ordered, "op": _SIGNS[name[-1]]}
            continue
        own = words.field_for(name, rows) or words.field_for(f"{words.singular(name)}", rows)
        if own:
            is_several = type_of(document, parameter.schema) == "array"
            in_row = type_of(document, rows[own])
            if in_row == "array":
                found[name] = {"field": own, "op": "contains"}
            elif in_row != "object":
                found[name] = {"field": own, "op": "in"} if is_several else own
                usual = _usual_choice(document, parameter, rows[own])
                if usual:
                    found[name] = {"field": own, **usual}
            continue
        told = words.comparison_for(name, rows)
        if told is not None:
            found[name] = {"field": told[0], "op": told[1]}
    return found


def _comparisons(
    document: OpenApiDocument, name: str, parameter: Parameter, rows: Mapping[str, JsonObject]
) -> JsonObject:
    """The filters of a parameter whose fields are operators: `created[gte]`."""
    inner = fields_of(document, parameter.schema).properties
    if name not in rows or not inner or not set(inner) <= set(_OPERATORS):
        return {}
    made: JsonObject = {f"{name}[{each}]": {"field": name, "op": _OPERATORS[each]}
                        for each in inner}  # fmt: skip
    return {name: name, **made}


def _usual_choice(
    document: OpenApiDocument, parameter: Parameter, field_schema: JsonObject
) -> JsonObject:
    """The value of a filter that stands for every row, and the one that counts by itself."""
    schema = document.resolve(parameter.schema)
    choices = as_list(schema.get("enum"))
    if "all" not in choices or "all" in as_list(document.resolve(field_schema).get("enum")):
        return {}
    usual = schema.get("default")
    is_other = isinstance(usual, str) and usual != "all"
    return {"all": "all"} | ({"default": usual} if is_other else {})


def _paging_keys(
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
        ("key", ("starting_after",)),
    ):
        param = words.first_of(known, left)
        if param:
            usual = USUAL_PARAMS[style]
            made = {"style": style} | ({} if param == usual else {"param": param})
            left.pop(param)
            break
    if made.get("style") == "key" and left.pop("ending_before", None) is not None:
        made["before"] = "ending_before"
    if not made:
        return {}
    size = words.first_of(words.SIZES, left)
    if size:
        made["size"] = size
        parameter = left.pop(size)
        schema = document.resolve(parameter.schema)
        most = schema.get("maximum", _number_in(_MOST, parameter.description))
        default = schema.get("default", _number_in(_USUAL, parameter.description))
        if default is None and most is None and made.get("param") == "continue":
            default = _MOST_ROWS  # without a limit such lists are whole
        if isinstance(most, int) and 1 <= most <= _MOST_ROWS:
            made["max"] = most
        if isinstance(default, int) and 1 <= default <= _MOST_ROWS:
            made["default"] = default
        if made.get("default", 20) > made.get("max", 100):
            made["max"] = made.get("default", 20)
            if "default" not in made:
                made["default"] = made["max"] = int(most or 20)
    _add_next_page(document, operation, envelope, made)
    return made


_MOST = re.compile(r"(?:[Bb]etween \d+ and|[Mm]ax(?:imum)?(?: of)?:?) (\d{1,5})\b")
_USUAL = re.compile(r"[Dd]efault(?:s to| is|:) `?(\d{1,5})\b")


def _number_in(pattern: re.Pattern[str], text: str) -> int | None:
    """A number that a description tells."""
    found = pattern.search(text)
    return int(found[1]) if found is not None else None


def _add_next_page(
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
    if str(made.get("next_url")).endswith("_uri"):  # a URL says so in its name
        made["urls"] = "path"
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
