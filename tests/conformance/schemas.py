"""Holds an answer against the schema that a Discovery document promises."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mockserver.googleapi import Document

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_DURATION = re.compile(r"-?\d+(\.\d{1,9})?s")
_WHOLE = re.compile(r"-?\d+")


def faults(
    document: Document, schema: Mapping[str, Any], value: Any, at: str = ""
) -> Iterator[str]:
    """What is wrong with a value, each with its JSON pointer.

    Yields:
        One sentence each; none when the value is as promised.
    """
    while "$ref" in schema:
        schema = document.schemas[schema["$ref"]]
    if schema.get("id") == "HttpBody":  # stands for whatever the service says
        return
    kind = schema.get("type", "any")
    if kind == "any":
        return
    if kind == "object":
        yield from _object(document, schema, value, at)
    elif kind == "array":
        if not isinstance(value, list):
            yield f"{at}: {value!r} is not a list"
            return
        for index, item in enumerate(value):
            yield from faults(document, schema["items"], item, f"{at}/{index}")
    else:
        yield from _scalar(kind, schema, value, at)


def _object(document: Document, schema: Mapping[str, Any], value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {value!r} is not an object"
        return
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in value.items():
        inner = properties.get(name, others)
        if inner is None:
            yield f"{at}/{name}: is no field of {schema.get('id', 'this object')}"
        else:
            yield from faults(document, inner, item, f"{at}/{name}")


def _scalar(kind: str, schema: Mapping[str, Any], value: Any, at: str) -> Iterator[str]:
    form = schema.get("format", "")
    if not _OF_TYPE[kind](value):
        yield f"{at}: {value!r} is not a {kind}"
    elif form in _OF_FORMAT and not _OF_FORMAT[form](value):
        yield f"{at}: {value!r} is no {form}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"


def _is_base64(value: str) -> bool:
    try:
        base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error:
        return False
    return True


def _number(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or isinstance(value, float) or value in {"NaN", "Infinity", "-Infinity"}


_OF_TYPE: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _number,
}
_OF_FORMAT: Mapping[str, Callable[[Any], bool]] = {
    "google-datetime": lambda value: bool(_RFC3339.fullmatch(value)),
    "date-time": lambda value: bool(_RFC3339.fullmatch(value)),
    "google-duration": lambda value: bool(_DURATION.fullmatch(value)),
    "int64": lambda value: bool(_WHOLE.fullmatch(value)) and abs(int(value)) < 2**63,
    "uint64": lambda value: value.isdecimal() and int(value) < 2**64,
    "int32": lambda value: abs(value) < 2**31,
    "uint32": lambda value: 0 <= value < 2**32,
    "byte": _is_base64,
}
