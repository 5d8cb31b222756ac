"""Answers as bytes, the way Google's REST APIs write JSON."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import orjson

from mockserver.googleapi.discovery import Method, is_free_form
from mockserver.model import Json, JsonMapping

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_LONG = frozenset({"int64", "uint64"})
_UNSET = re.compile(rb'": ?(?:null|\[\])')
_ANY_NUMBER = rb'": ?-?\d'

Schemas = Mapping[str, JsonMapping]


def encode(body: JsonMapping, *, pretty: bool, method: Method | None = None) -> bytes:
    """An answer as bytes: indented by two spaces and ended by a newline, or as short as can be.

    Fields that are None or an empty list are left out, as the live APIs leave out what is unset.
    Given the method, its schema is followed: 64-bit integers become strings, and free-form values
    stay as they are, nulls included.
    """
    option = _PRETTY if pretty else 0
    text = orjson.dumps(body, option=option)
    # looking at the bytes is far cheaper than at the tree, and most answers can stay as they are
    numbers = _long_fields(method) if method else None
    if _UNSET.search(text) or (numbers and numbers.search(text)):
        schemas, schema = _answer(method)
        text = orjson.dumps(_written(body, schema, schemas), option=option)
    return text


def _answer(method: Method | None) -> tuple[Schemas, JsonMapping | None]:
    if method is None:
        return {}, None
    schemas = method.document.schemas
    return schemas, schemas.get(method.response or "")


def _written(value: Json, schema: JsonMapping | None, schemas: Schemas) -> Json:
    """A value as it is written; without a schema only what is unset is left out."""
    schema = _resolved(schema, schemas)
    if isinstance(value, dict):
        if schema is not None and is_free_form(schema):
            return value
        return {
            name: _written(each, _of_field(schema, name), schemas)
            for name, each in value.items()
            if each is not None and each != []
        }
    if isinstance(value, list):
        items = schema.get("items") if schema else None
        return [_written(each, items, schemas) for each in value]
    is_long = schema is not None and schema.get("format") in _LONG
    return str(value) if is_long and isinstance(value, int) else value


def _resolved(schema: JsonMapping | None, schemas: Schemas) -> JsonMapping | None:
    return schemas[schema["$ref"]] if schema is not None and "$ref" in schema else schema


def _of_field(schema: JsonMapping | None, name: str) -> JsonMapping | None:
    if schema is None:
        return None
    spec: JsonMapping | None = schema.get("properties", {}).get(name)
    return spec if spec is not None else schema.get("additionalProperties")


@lru_cache(1024)
def _long_fields(method: Method) -> re.Pattern[bytes] | None:
    """Finds a 64-bit integer that is written as a number; None where an answer has none."""
    schemas, schema = _answer(method)
    names = set(_long_names(schema, schemas, set())) if schema else set()
    if not names:
        return None
    if "" in names:  # values of a map, whatever their names
        return re.compile(_ANY_NUMBER)
    either = "|".join(re.escape(name) for name in sorted(names)).encode()
    return re.compile(rb'"(?:%s)": ?(?:\[\s*)?-?\d' % either)


def _long_names(schema: JsonMapping, schemas: Schemas, seen: set[str]) -> Iterator[str]:
    fields = [*schema.get("properties", {}).items(), ("", schema.get("additionalProperties"))]
    for name, spec in fields:
        while spec and spec.get("type") == "array":
            spec = spec["items"]
        if not spec or spec.get("$ref") in seen:
            continue
        if spec.get("format") in _LONG:
            yield name
        if "$ref" in spec:
            seen.add(spec["$ref"])
        yield from _long_names(schemas[spec["$ref"]] if "$ref" in spec else spec, schemas, seen)
