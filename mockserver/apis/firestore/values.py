"""Values of Firestore in the form that REST has them: checked, compared, made of plain JSON."""

import math
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mockserver.apis.firestore.paths import name_rank, read_document_name
from mockserver.googleapi import invalid
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

Rank = tuple[Any, ...]
"""A value so that it is compared with any other: its type first."""

NULL: JsonObject = {"nullValue": None}
NULL_RANK: Rank = (0,)
NAN_RANK: Rank = (2, 0)
_BOOLEAN, _NUMBER, _TIMESTAMP, _TEXT, _BYTES, _REFERENCE = 1, 2, 3, 5, 6, 7
_GEO_POINT, _ARRAY, _VECTOR, _MAP = 8, 9, 10, 11
_VECTOR_TYPE: JsonObject = {"stringValue": "__vector__"}
_DEEPEST = 20
_LEAST_LONG, _MOST_LONG = -(2**63), 2**63 - 1
_FRACTION = re.compile(r"(.*:\d\d)(?:\.(\d+))?Z")


def number_of(value: JsonObject) -> int | float | None:
    """A value as a number, or None for one that is none."""
    if "integerValue" in value:
        return int(value["integerValue"])
    return float(value["doubleValue"]) if "doubleValue" in value else None


def value_of_number(number: float) -> JsonObject:
    """A number as a value; whole ones beyond 64 bits as the nearest that there is."""
    if isinstance(number, int):
        return {"integerValue": str(max(_LEAST_LONG, min(number, _MOST_LONG)))}
    if math.isfinite(number):
        return {"doubleValue": number}
    word = "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return {"doubleValue": word}


def vector_of(value: JsonObject) -> tuple[float, ...] | None:
    """The numbers of a vector, or None for what is none."""
    fields = value.get("mapValue", {}).get("fields") or {}
    if fields.get("__type__") != _VECTOR_TYPE:
        return None
    items = fields.get("value", {}).get("arrayValue", {}).get("values") or []
    return tuple(float(number_of(each) or 0) for each in items)


# --- order ---


def _rank_of_double(inner: Json) -> Rank:
    number = float(inner)
    return NAN_RANK if math.isnan(number) else (_NUMBER, 1, number)


def _rank_of_time(inner: Json) -> Rank:
    whole, _, fraction = str(inner)[:-1].partition(".")
    return (_TIMESTAMP, whole, fraction.ljust(9, "0"))


def _rank_of_map(inner: JsonObject) -> Rank:
    vector = vector_of({"mapValue": inner})
    if vector is not None:
        return (_VECTOR, len(vector), vector)
    fields = inner.get("fields") or {}
    return (_MAP, tuple((name, rank_of(fields[name])) for name in sorted(fields)))


_RANKS: Mapping[str, Callable[[Any], Rank]] = {
    "nullValue": lambda _: NULL_RANK,
    "booleanValue": lambda inner: (_BOOLEAN, inner),
    "integerValue": lambda inner: (_NUMBER, 1, int(inner)),
    "doubleValue": _rank_of_double,
    "timestampValue": _rank_of_time,
    "stringValue": lambda inner: (_TEXT, inner),
    "bytesValue": lambda inner: (_BYTES, b64decode(inner)),
    "referenceValue": lambda inner: (_REFERENCE, name_rank(inner)),
    "geoPointValue": lambda inner: (
        _GEO_POINT, float(inner.get("latitude", 0)), float(inner.get("longitude", 0))
    ),
    "arrayValue": lambda inner: (_ARRAY, tuple(map(rank_of, inner.get("values") or ()))),
    "mapValue": _rank_of_map,
}  # fmt: skip


def rank_of(value: JsonObject) -> Rank:
    """A value so that it stands where Firestore orders it; equal ones have equal ranks.

    >>> rank_of({"integerValue": "3"}) == rank_of({"doubleValue": 3.0})
    True
    >>> rank_of({"doubleValue": "NaN"}) < rank_of({"doubleValue": "-Infinity"})
    True
    """
    for kind, inner in value.items():
        return _RANKS[kind](inner)
    return NULL_RANK


def rank_of_name(name: str) -> Rank:
    """The rank of a document's name, which is that of a reference to it."""
    return (_REFERENCE, name_rank(name))


# --- form ---


def short_time(text: str) -> str:
    """A timestamp as it is stored: microseconds, in groups of three digits.

    >>> short_time("2026-03-01T09:00:00.123456789Z"), short_time("2026-03-01T09:00:00.500Z")
    ('2026-03-01T09:00:00.123456Z', '2026-03-01T09:00:00.500Z')
    """
    found = _FRACTION.fullmatch(text)
    if found is None:
        return text
    digits = (found[2] or "")[:6].rstrip("0")
    digits = digits.ljust(-(-len(digits) // 3) * 3, "0")
    return f"{found[1]}.{digits}Z" if digits else f"{found[1]}Z"


def _check_geo_point(inner: JsonObject) -> JsonObject:
    latitude, longitude = float(inner.get("latitude") or 0), float(inner.get("longitude") or 0)
    if not -90 <= latitude <= 90:
        raise invalid(f"latitude must be between -90 and 90 degrees, found {latitude}")
    if not -180 <= longitude <= 180:
        raise invalid(f"longitude must be between -180 and 180 degrees, found {longitude}")
    return {"latitude": latitude, "longitude": longitude}


def _check_reference(inner: str) -> str:
    read_document_name(inner)
    return inner


_FORMS: Mapping[str, Callable[[Any], Any]] = {
    "nullValue": lambda _: None,
    "booleanValue": bool,
    "integerValue": str,
    "doubleValue": lambda inner: inner if isinstance(inner, str) else float(inner),
    "timestampValue": short_time,
    "stringValue": str,
    "bytesValue": str,
    "referenceValue": _check_reference,
    "geoPointValue": _check_geo_point,
}


def stored_value(value: JsonObject, *, in_array: bool = False, depth: int = 0) -> JsonObject:
    """A value as it is stored: each type in one form.

    Raises:
        ApiError: 400: it has no type or one that no document holds, or is nested too deeply.
    """
    kind, inner = next(iter(value.items()), ("", None))
    if depth > _DEEPEST:
        raise invalid("Property contains an invalid nested entity: nested too deeply.")
    if kind == "arrayValue":
        if in_array:
            raise invalid("Cannot convert an array value in an array value.")
        items = (inner or {}).get("values") or []
        found = [stored_value(each, in_array=True, depth=depth + 1) for each in items]
        return {"arrayValue": {"values": found} if found else {}}
    if kind == "mapValue":
        fields = stored_fields((inner or {}).get("fields") or {}, depth + 1)
        return {"mapValue": {"fields": fields} if fields else {}}
    if kind not in _FORMS:
        what = f"a value of the type {kind}" if kind else "a value without a type"
        raise invalid(f"Cannot convert {what} to a property.")
    return {kind: _FORMS[kind](inner)}


def stored_fields(fields: Mapping[str, JsonObject], depth: int = 0) -> JsonObject:
    """The fields of a document or map as they are stored.

    Raises:
        ApiError: 400.
    """
    if "" in fields:
        raise invalid("Property name is empty.")
    return {name: stored_value(each, depth=depth) for name, each in fields.items()}


# --- plain JSON ---


def value_of_json(plain: Json) -> JsonObject:
    """A value of plain JSON; what JSON cannot say is written as the value is on the wire.

    >>> value_of_json([1, {"timestampValue": "2026-03-01T09:00:00Z"}])["arrayValue"]["values"]
    [{'integerValue': '1'}, {'timestampValue': '2026-03-01T09:00:00Z'}]

    Raises:
        ApiError: 400: a value in wire form that is none.
    """
    if plain is None:
        return NULL
    if isinstance(plain, bool):
        return {"booleanValue": plain}
    if isinstance(plain, int | float):
        return value_of_number(plain)
    if isinstance(plain, str):
        return {"stringValue": plain}
    if isinstance(plain, list):
        values = [value_of_json(each) for each in plain]
        return {"arrayValue": {"values": values} if values else {}}
    if len(plain) == 1 and next(iter(plain)) in _RANKS:
        return _checked_wire(plain)
    return {"mapValue": {"fields": {name: value_of_json(each) for name, each in plain.items()}}}


def _checked_wire(value: JsonObject) -> JsonObject:
    try:
        found = stored_value(value)
        if "timestampValue" in found:
            parse_rfc3339(found["timestampValue"])
        rank_of(found)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise invalid(f"{value!r} is no value of Firestore.") from error
    return found


# --- fields ---


def field_value(fields: Mapping[str, JsonObject], path: Sequence[str]) -> JsonObject | None:
    """The value at a path of fields, or None."""
    for name in path[:-1]:
        fields = fields.get(name, {}).get("mapValue", {}).get("fields") or {}
    return fields.get(path[-1])


def with_field(fields: JsonObject, path: Sequence[str], value: JsonObject | None) -> JsonObject:
    """Fields with another value at a path; without it for None."""
    name, *rest = path
    if rest:
        before = fields.get(name, {})
        inner = before.get("mapValue", {}).get("fields") or {}
        if value is None and not inner:
            return fields
        changed = with_field(inner, rest, value)
        value = {"mapValue": {"fields": changed} if changed else {}}
    if value is None:
        return {each: inner for each, inner in fields.items() if each != name}
    return {**fields, name: value}
