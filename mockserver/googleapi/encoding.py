"""Answers as bytes, the way Google's REST APIs write JSON; enums as numbers where asked for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import orjson

from mockserver.googleapi.discovery import Method, is_free_form
from mockserver.model import Json, JsonMapping, JsonObject

_PRETTY = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_LONG = frozenset({"int64", "uint64"})
_UNSET = re.compile(rb'": ?(?:null|\[\])')
_SET = frozenset({str, bool, int, float})
"""Types of values that are never unset."""

_ANY_NUMBER = rb'": ?-?\d'

NULL_ENUM = ["NULL_VALUE"]
"""The values of a field that is null where it is there at all."""

Schemas = Mapping[str, JsonMapping]


def encode(body: JsonMapping, *, pretty: bool, method: Method | None = None) -> bytes:
    """An answer as bytes: indented by two spaces and ended by a newline, or as short as can be.

    Fields that are None or an empty list are left out, as the live APIs leave out what is unset;
    an empty tuple is a list that an API writes although it is empty.
    Given the method, its schema is followed: 64-bit integers become strings, and free-form values
    and fields of any type stay as they are, nulls included.
    """
    option = _PRETTY if pretty else 0
    text = orjson.dumps(body, option=option)
    # looking at the bytes is far cheaper than at the tree, and most answers can stay as they are
    numbers = _long_fields(method) if method else None
    is_flat = _SET.issuperset(map(type, body.values()))
    if (not is_flat and _UNSET.search(text)) or (numbers and numbers.search(text)):
        schemas, schema = _answer_schema(method)
        text = orjson.dumps(_with_long_texts(body, schema, schemas), option=option)
    return text


def _answer_schema(method: Method | None) -> tuple[Schemas, JsonMapping | None]:
    if method is None:
        return {}, None
    schemas = method.document.schemas
    return schemas, schemas.get(method.response or "")


def _with_long_texts(value: Json, schema: JsonMapping | None, schemas: Schemas) -> Json:
    """A value as it is written; without a schema only what is unset is left out."""
    if schema is not None and "$ref" in schema:
        schema = schemas[schema["$ref"]]
    if schema is not None and schema.get("type") == "any":
        return value
    if isinstance(value, dict):
        if schema is not None and is_free_form(schema):
            return value
        specs = {name: _field_schema(schema, name) for name in value}
        return {
            name: _with_long_texts(each, specs[name], schemas)
            for name, each in value.items()
            if (each is not None and each != []) or _may_be_nothing(specs[name])
        }
    if isinstance(value, list):
        items = schema.get("items") if schema else None
        return [_with_long_texts(each, items, schemas) for each in value]
    is_long = schema is not None and schema.get("format") in _LONG
    return str(value) if is_long and isinstance(value, int) else value


def _may_be_nothing(spec: JsonMapping | None) -> bool:
    """Whether a field is written though it is null: one of any type, and the null of a value."""
    return spec is not None and (spec.get("type") == "any" or spec.get("enum") == NULL_ENUM)


def _field_schema(schema: JsonMapping | None, name: str) -> JsonMapping | None:
    if schema is None:
        return None
    spec: JsonMapping | None = schema.get("properties", {}).get(name)
    return spec if spec is not None else schema.get("additionalProperties")


@lru_cache(1024)
def _long_fields(method: Method) -> re.Pattern[bytes] | None:
    """Finds a 64-bit integer that is written as a number; None where an answer has none."""
    schemas, schema = _answer_schema(method)
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


REDUCERS = (
    "REDUCE_NONE REDUCE_MEAN REDUCE_MIN REDUCE_MAX REDUCE_SUM REDUCE_STDDEV REDUCE_COUNT "
    "REDUCE_COUNT_TRUE REDUCE_COUNT_FALSE REDUCE_FRACTION_TRUE REDUCE_PERCENTILE_99 "
    "REDUCE_PERCENTILE_95 REDUCE_PERCENTILE_50 REDUCE_PERCENTILE_05"
)
ALIGNERS = (
    "ALIGN_NONE ALIGN_DELTA ALIGN_RATE ALIGN_INTERPOLATE ALIGN_NEXT_OLDER ALIGN_MIN ALIGN_MAX "
    "ALIGN_MEAN ALIGN_COUNT ALIGN_SUM ALIGN_STDDEV ALIGN_COUNT_TRUE ALIGN_COUNT_FALSE "
    "ALIGN_FRACTION_TRUE ALIGN_PERCENTILE_99 ALIGN_PERCENTILE_95 ALIGN_PERCENTILE_50 "
    "ALIGN_PERCENTILE_05 ALIGN_PERCENT_CHANGE"
)
_UNEVEN_ENUMS: Mapping[str, tuple[int, ...]] = {
    "DEFAULT DEBUG INFO NOTICE WARNING ERROR CRITICAL ALERT EMERGENCY": tuple(range(0, 900, 100)),
    "LAUNCH_STAGE_UNSPECIFIED UNIMPLEMENTED PRELAUNCH EARLY_ACCESS ALPHA BETA GA DEPRECATED": (
        0, 6, 7, 1, 2, 3, 4, 5,
    ),
    REDUCERS: (*range(8), 15, *range(8, 13)),
    ALIGNERS: (*range(5), *range(10, 17), 24, *range(17, 22), 23),
    "NOTIFICATION_PROMPT_UNSPECIFIED OPENED CLOSED": (0, 1, 3),
    "STATUS_CLASS_UNSPECIFIED STATUS_CLASS_1XX STATUS_CLASS_2XX STATUS_CLASS_3XX STATUS_CLASS_4XX "
    "STATUS_CLASS_5XX STATUS_CLASS_ANY": (0, 100, 200, 300, 400, 500, 1000),
    "CHECKER_TYPE_UNSPECIFIED STATIC_IP_CHECKERS VPC_CHECKERS": (0, 1, 3),
    "COLOR_UNSPECIFIED YELLOW RED": (0, 4, 6),
}  # fmt: skip
"""Enums that do not count from 0, by their values in the documents' order."""


def enum_name(names: Sequence[str], number: int) -> str | None:
    """The value of an enum with a number, or None when it has no such value.

    >>> enum_name(("A", "B"), 1), enum_name(("COLOR_UNSPECIFIED", "YELLOW", "RED"), 6)
    ('B', 'RED')
    """
    numbers = _enum_numbers(tuple(names))
    return next((name for name, own in numbers.items() if own == number), None)


def with_enum_numbers(body: JsonObject, method: Method) -> JsonObject:
    """An answer with numbers for its enums; those that are not known to differ count from 0."""
    return _with_enums(body, method, method.response, _as_number)


def with_enum_names(body: JsonObject, method: Method, schema: str | None) -> JsonObject:
    """A request or an answer of a method with names for the numbers of its enums."""
    return _with_enums(body, method, schema, _as_name)


def _as_number(names: Sequence[str], value: Json) -> Json:
    return _enum_numbers(tuple(names)).get(value, value) if isinstance(value, str) else value


def _as_name(names: Sequence[str], value: Json) -> Json:
    return enum_name(names, value) or value if isinstance(value, int) else value


def _with_enums(
    body: JsonObject,
    method: Method,
    name: str | None,
    change: Callable[[Sequence[str], Json], Json],
) -> JsonObject:
    schemas = method.document.schemas
    schema = schemas.get(name or "")
    if schema is None:
        return body
    written: JsonObject = _changed_enums(body, schema, schemas, change)
    return written


@lru_cache(1024)
def _enum_numbers(names: tuple[str, ...]) -> Mapping[str, int]:
    known = _UNEVEN_ENUMS.get(" ".join(names))
    return dict(zip(names, known or range(len(names)), strict=True))


def _changed_enums(
    value: Json,
    schema: JsonMapping | None,
    schemas: Mapping[str, JsonMapping],
    change: Callable[[Sequence[str], Json], Json],
) -> Json:
    if schema is not None and "$ref" in schema:
        schema = schemas[schema["$ref"]]
    if schema is None or (schema.get("type") == "object" and is_free_form(schema)):
        return value
    if isinstance(value, list):
        return [_changed_enums(each, schema.get("items"), schemas, change) for each in value]
    if isinstance(value, dict):
        fields, rest = schema.get("properties", {}), schema.get("additionalProperties")
        return {
            name: _changed_enums(each, fields.get(name, rest), schemas, change)
            for name, each in value.items()
        }
    return change(schema["enum"], value) if "enum" in schema else value
