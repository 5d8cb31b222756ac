"""How a documented list is paged, filtered, searched and ordered, told by names alone."""

import re
from collections.abc import Iterator, Mapping

from mockserver.declared.declaration import USUAL_PARAMS
from mockserver.declared.documents import words
from mockserver.declared.documents.document import Parameter
from mockserver.declared.keywords import Schema
from mockserver.declared.openapi.collections import FoundCollection
from mockserver.model import Json, JsonObject

_MOST_ROWS = 100_000
_SIGNS = {"<": "<=", ">": ">="}
"""How names of parameters end that compare: `DateSent<`."""

_OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_MOST = re.compile(r"(?:[Bb]etween \d+ and|[Mm]ax(?:imum)?(?: of)?:?) (\d{1,5})\b")
_USUAL = re.compile(r"[Dd]efault(?:s to| is|:) `?(\d{1,5})\b")
_STYLES = {
    "page": words.PAGES,
    "offset": words.OFFSETS,
    "cursor": words.CURSORS,
    "key": ("starting_after",),
}


def list_settings(found: FoundCollection) -> JsonObject:
    """Keys of a collection that say how its list is asked for: `paging`, `filters`, `sort`.

    What could not be told is added to what is unsure of the collection.
    """
    made: JsonObject = {}
    rows, left = found.fields, dict(found.listing.query)
    paging = _paging_keys(found, left)
    made |= {"paging": paging} if paging else {}
    for key, known in (("search", words.SEARCHES), ("fields", words.FIELDS)):
        name = words.first_of(known, left)
        if name and name not in rows:
            left.pop(name)
            made[key] = name
    sort = words.first_of(words.SORTS, left)
    if sort and sort not in rows:
        order = words.first_of(words.ORDERS, left)
        # what callers call a field to order by, where that is not its name: created, created_at
        names = {value: words.field_for(f"{value}_at", rows)
                 for value in left.pop(sort).schema.choice
                 if isinstance(value, str) and value not in rows
                 and words.field_for(f"{value}_at", rows)}  # fmt: skip
        left.pop(order, None)
        full: JsonObject = {"param": sort} | ({"order": order} if order else {})
        full |= {"names": names} if names else {}
        made["sort"] = full if len(full) > 1 else sort
    filters: JsonObject = {}
    for name, parameter in left.items():
        filters |= _filters(name, parameter, rows)
    made |= {"filters": filters} if filters else {}
    roots = {name.partition("[")[0] for name in filters}
    ignored = [name for name in left if name not in roots and name not in filters]
    if ignored:
        found.unsure.append(f"these parameters of the list have no effect: {', '.join(ignored)}")
    return made


def _filters(name: str, parameter: Parameter, rows: Mapping[str, Schema]) -> JsonObject:
    """The filters that a parameter is: none, one, or one for each operator."""
    inner = parameter.schema.fields
    if name in rows and inner and set(inner) <= set(_OPERATORS):  # `created[gte]`
        compared = {f"{name}[{each}]": {"field": name, "op": _OPERATORS[each]} for each in inner}
        return {name: name, **compared}
    ordered = words.field_for(name[:-1], rows) if name[-1:] in _SIGNS else ""
    if ordered:
        return {name: {"field": ordered, "op": _SIGNS[name[-1]]}}
    own = words.field_for(name, rows) or words.field_for(words.singular(name), rows)
    if not own:
        told = words.comparison_for(name, rows)
        return {} if told is None else {name: {"field": told[0], "op": told[1]}}
    in_row = rows[own].kind
    if in_row == "object":
        return {}
    usual = {} if in_row == "array" else _usual_choice(parameter.schema, rows[own])
    if usual:
        return {name: {"field": own, **usual}}
    operator = "contains" if in_row == "array" else "in"
    is_plain = in_row != "array" and parameter.schema.kind != "array"
    return {name: own if is_plain else {"field": own, "op": operator}}


def _usual_choice(schema: Schema, held: Schema) -> JsonObject:
    """The value of a filter that stands for every row, and the one that counts by itself."""
    if "all" not in schema.choice or "all" in held.choice:
        return {}
    usual = schema.get("default")
    is_other = isinstance(usual, str) and usual != "all"
    return {"all": "all"} | ({"default": usual} if is_other else {})


def _paging_keys(found: FoundCollection, left: dict[str, Parameter]) -> JsonObject:
    """Keys of `paging`; the parameters that it uses are taken out of `left`."""
    styles = ((style, words.first_of(known, left)) for style, known in _STYLES.items())
    style, param = next((each for each in styles if each[1]), ("", ""))
    if not style:
        return {}
    left.pop(param)
    made: JsonObject = {"style": style} | ({} if param == USUAL_PARAMS[style] else {"param": param})
    if style == "key" and left.pop("ending_before", None) is not None:
        made["before"] = "ending_before"
    size = words.first_of(words.SIZES, left)
    if size:
        made["size"] = size
        parameter = left.pop(size)
        schema = parameter.schema.whole
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
    return made | dict(_next_page(found, made))


def _number_in(pattern: re.Pattern[str], text: str) -> int | None:
    """A number that a description tells."""
    found = pattern.search(text)
    return int(found[1]) if found is not None else None


def _next_page(found: FoundCollection, paging: JsonObject) -> Iterator[tuple[str, Json]]:
    """Where an answer tells of the next page and of how many rows there are.

    Yields:
        Keys of `paging` and their values.
    """
    is_cursor, headers = paging["style"] == "cursor", found.listing.success.headers
    places = _places(found.envelope)
    named = {
        "next": words.NEXT_TOKENS if is_cursor and "link" not in headers else (),
        "next_url": words.NEXT_URLS,
        "previous_url": words.PREVIOUS_URLS,
        "total": words.TOTALS,
        "has_more": words.HAS_MORE,
    }
    told = {key: places[name] for key, known in named.items()
            for name in (words.first_of(known, places),) if name}  # fmt: skip
    if "link" in headers:
        yield "next", "link_header"
    yield from told.items()
    if told.get("next_url", "").endswith("_uri"):  # a URL says so in its name
        yield "urls", "path"
    if is_cursor and "link" not in headers and not {"next", "next_url"} & set(told):
        yield "next", paging.get("param", "next_cursor")
    total = {"x-total-count", "x-total"} & headers
    if total and "total" not in told:
        yield "total_header", min(total)


def _places(envelope: Schema) -> dict[str, str]:
    """The scalar fields of an envelope, and of objects in it that tell of pages: name to place."""
    outer = envelope.fields
    found: dict[str, str] = {}
    objects = filter(None, (words.first_of([each], outer) for each in words.ENVELOPES))
    for around in ("", *objects):
        for name, schema in (outer[around].fields if around else outer).items():
            if schema.kind not in {"object", "array"}:
                found.setdefault(name, f"{around}.{name}" if around else name)
    return found
