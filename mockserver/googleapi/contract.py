"""Holds JSON values against the schemas of a Discovery document: where do they contradict it?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mockserver.googleapi.discovery import Document, is_free_form
from mockserver.model import Json, JsonMapping, did_you_mean

Kind = Literal["unknown_field", "wrong_type", "unknown_value"]

_DEEPEST = 100
_LISTED_FIELDS = 8
_INTEGER = re.compile(r"-?\d+")
_WORDS = {dict: "an object", list: "an array", str: "text", bool: "a boolean", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One place where a value is not what the document says.

    Attributes:
        pointer: JSON pointer below the value.
        kind: What is wrong.
        message: One sentence.
        hint: The nearest known name, or an empty string.
    """

    pointer: str
    kind: Kind
    message: str
    hint: str = ""


def find_contradictions(document: Document, schema: str, value: Json) -> Iterator[Contradiction]:
    """Every place where a value contradicts a schema; what the schema leaves open is not looked at.

    `null` is taken for absent; 64-bit integers may be numbers or text; enum values that are unknown
    are told, for a document may be older than the API.

    Args:
        document: The Discovery document.
        schema: Name of the schema.
        value: The value, as an API would answer it.

    Yields:
        What contradicts, in the order of the value.
    """
    spec = document.schemas.get(schema)
    if spec is not None:
        yield from _SchemaWalk(document).value(spec, value, "", 0)


@dataclass(frozen=True, slots=True)
class _SchemaWalk:
    document: Document

    def value(self, spec: JsonMapping, value: Json, at: str, depth: int) -> Iterator[Contradiction]:
        name = str(spec.get("$ref", spec.get("id", "")))
        if "$ref" in spec:
            spec = self.document.schemas.get(name, {})
        kind = spec.get("type", "any")
        if value is None or kind == "any" or depth > _DEEPEST:
            return
        if kind == "array":
            yield from self._array(spec, value, at, depth)
        elif kind == "object":
            yield from self._object(spec, value, at, depth, name=name)
        else:
            yield from _scalar(spec, value, at)

    def _array(
        self, spec: JsonMapping, value: Json, at: str, depth: int
    ) -> Iterator[Contradiction]:
        if not isinstance(value, list):
            yield _wrong_type(at, "an array", value)
            return
        for number, item in enumerate(value):
            yield from self.value(spec["items"], item, f"{at}/{number}", depth + 1)

    def _object(
        self, spec: JsonMapping, value: Json, at: str, depth: int, *, name: str
    ) -> Iterator[Contradiction]:
        if not isinstance(value, dict):
            fields = spec.get("properties", {})
            yield _wrong_type(at, "an object", value, _field_list(fields))
        elif not is_free_form(spec):
            known = spec.get("properties", {})
            for key, each in value.items():
                inner = known.get(key) or spec.get("additionalProperties")
                below = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
                if inner is not None:
                    yield from self.value(inner, each, below, depth + 1)
                else:
                    text = f"{name or 'this object'} has no field {key!r}"
                    yield Contradiction(below, "unknown_field", text, did_you_mean(key, known))


def _field_list(fields: JsonMapping) -> str:
    """A hint with the first fields that an object may have."""
    few = ", ".join(list(fields)[:_LISTED_FIELDS])
    return f"its fields: {few}{', ...' if len(fields) > _LISTED_FIELDS else ''}" if fields else ""


def _scalar(spec: JsonMapping, value: Json, at: str) -> Iterator[Contradiction]:
    expected = _expected_type(spec, value)
    if expected:
        yield _wrong_type(at, expected, value)
    elif "enum" in spec and value not in spec["enum"]:
        hint = did_you_mean(str(value), spec["enum"])
        yield Contradiction(at, "unknown_value", f"{value!r} is no value of this field", hint)


def _expected_type(spec: JsonMapping, value: Json) -> str:
    """What a scalar should have been; empty where it is."""
    kind, form = spec["type"], spec.get("format", "")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "boolean":
        return "" if isinstance(value, bool) else "a boolean"
    if kind == "number":  # a tuple: the value may be of any kind
        return "" if is_number or value in ("NaN", "Infinity", "-Infinity") else "a number"
    if kind == "integer" or form in {"int64", "uint64"}:
        is_text = isinstance(value, str) and _INTEGER.fullmatch(value)
        whole = is_number and value == int(value)
        return "" if whole or (is_text and kind == "string") else "a whole number"
    return "" if isinstance(value, str) else "text"


def _wrong_type(at: str, expected: str, value: Json, hint: str = "") -> Contradiction:
    found = _WORDS.get(type(value), "a number")
    return Contradiction(at, "wrong_type", f"expected {expected}, found {found}", hint)
