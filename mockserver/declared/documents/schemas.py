"""Schemas of OpenAPI documents: their fields, their form as JSON Schema, and values that fit."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.documents.references import as_list, as_object
from mockserver.model import Json, JsonObject

_AS_THEY_ARE = (
    "type", "enum", "const", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "minProperties",
    "maxProperties", "default", "readOnly", "description",
)  # fmt: skip
_INNER = ("items", "additionalProperties", "not")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_MOST_PARTS = 60
_MOST_DEFINITIONS = 200
_DEEPEST_SAMPLE = 6
_MOST_SAMPLED = 2_000
_LONGEST_DESCRIPTION = 200


@dataclass
class Fields:
    """The fields of an object.

    Attributes:
        properties: Name to schema, as the document has it.
        required: The names of those that must be there.
    """

    properties: dict[str, JsonObject] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)


def fields_of(document: OpenApiDocument, schema: JsonObject) -> Fields:
    """The fields that a schema names, with those of its parts and of its alternatives.

    What only an alternative requires is not required.
    """
    found = Fields()
    waiting: list[tuple[JsonObject, bool]] = [(schema, True)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_PARTS:
        each, is_certain = waiting.pop(0)
        whole = document.resolve(each)
        if id(whole) in seen:
            continue
        seen.add(id(whole))
        for name, value in as_object(whole.get("properties")).items():
            found.properties.setdefault(name, as_object(value))
        if is_certain:
            found.required.update(map(str, as_list(whole.get("required"))))
        waiting += [(as_object(part), is_certain) for part in as_list(whole.get("allOf"))]
        for word in ("oneOf", "anyOf"):
            waiting += [(as_object(part), False) for part in as_list(whole.get(word))]
    return found


def type_of(document: OpenApiDocument, schema: JsonObject) -> str:
    """The JSON type of a schema's values; empty where it is not said."""
    whole = document.resolve(schema)
    kind = whole.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "")
    if isinstance(kind, str):
        return kind
    if "properties" in whole:
        return "object"
    if "items" in whole:
        return "array"
    for word in ("allOf", "oneOf", "anyOf"):
        for part in as_list(whole.get(word)):
            inner = document.resolve(part)
            if inner.get("type") == "object" or "properties" in inner:
                return "object"
            if inner.get("type") in _TYPES - {"null"}:
                return str(inner["type"])
    return ""


def types_of(document: OpenApiDocument, schema: JsonObject) -> frozenset[str]:
    """The JSON types that a schema's values may have; none where it is not said.

    A choice of certain texts counts for none, so that another text is held against the rest.
    """
    found: set[str] = set()
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_PARTS:
        whole = document.resolve(waiting.pop())
        if id(whole) in seen:
            continue
        seen.add(id(whole))
        kind = whole.get("type")
        found.update(each for each in (kind if isinstance(kind, list) else [kind])
                     if isinstance(each, str) and each in _TYPES
                     and not (each == "string" and "enum" in whole))  # fmt: skip
        if whole.get("nullable") is True:
            found.add("null")
        if kind is None and "properties" in whole:
            found.add("object")
        if kind is None and "items" in whole:
            found.add("array")
        for word in ("allOf", "anyOf", "oneOf"):
            waiting += as_list(whole.get(word))
    return frozenset(found)


class SchemaExport:
    """Turns schemas of a document into JSON Schema 2020-12, with what they refer to.

    Args:
        document: The document.
        prefix: Where references lead.
        taken: Names that no definition may have.
        most: How many definitions there may be; further ones are left open.
    """

    def __init__(
        self,
        document: OpenApiDocument,
        prefix: str = "#/$defs/",
        *,
        taken: Iterable[str] = (),
        most: int = _MOST_DEFINITIONS,
    ) -> None:
        self._document = document
        self._prefix = prefix
        self._taken = set(taken)
        self._most = most
        self._names: dict[str, str] = {}
        self._waiting: list[tuple[str, str]] = []

    def definitions(self) -> dict[str, Json]:
        """The schemas that the converted ones refer to, by name."""
        made: dict[str, Json] = {}
        while self._waiting:  # a chain of references is no chain of calls
            name, reference = self._waiting.pop()
            made[name] = self.convert(self._document.resolve({"$ref": reference}))
        return made

    def convert(self, schema: JsonObject) -> JsonObject:
        """A schema as JSON Schema; its references lead to `$defs`."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = self._define(reference)
            return {"$ref": f"{self._prefix}{name}"} if name else {}
        made: JsonObject = {
            word: schema[word]
            for word in _AS_THEY_ARE
            if word in schema and _is_sound(word, schema)
        }
        if isinstance(made.get("description"), str):
            made["description"] = made["description"][:_LONGEST_DESCRIPTION]
        self._convert_inner(schema, made)
        _turn_exclusive_limits(made)
        if isinstance(schema.get("pattern"), str) and _is_pattern(schema["pattern"]):
            made["pattern"] = schema["pattern"]
        if schema.get("nullable") is True or schema.get("x-nullable") is True:
            return _nullable(made)
        return made

    def _convert_inner(self, schema: JsonObject, made: JsonObject) -> None:
        for word in _INNER:
            inner = schema.get(word)
            if isinstance(inner, dict):
                made[word] = self.convert(inner)
            elif isinstance(inner, bool):
                made[word] = inner
        for word in _LISTS:
            parts = [
                self.convert(each) for each in map(as_object, as_list(schema.get(word))) if each
            ]
            if parts:
                made[word] = parts
        if isinstance(schema.get("properties"), dict):
            made["properties"] = {
                name: self.convert(as_object(each)) for name, each in schema["properties"].items()
            }
        if isinstance(schema.get("required"), list):
            # what is read only is required of answers, and callers do not send it
            known = as_object(schema.get("properties"))
            made["required"] = [
                each
                for each in schema["required"]
                if isinstance(each, str)
                and not self._document.resolve(known.get(each)).get("readOnly")
            ]

    def _define(self, reference: str) -> str:
        """The name among the definitions of what a reference means; empty where there are many."""
        if reference in self._names:
            return self._names[reference]
        if len(self._names) >= self._most:
            return ""
        short = re.sub(r"[^\w.-]+", "_", reference.rpartition("/")[2]) or "schema"
        name = short if short not in self._taken else f"{short}_{len(self._names)}"
        self._taken.add(name)
        self._names[reference] = name
        self._waiting.append((name, reference))
        return name


def _is_sound(word: str, schema: JsonObject) -> bool:
    """Whether the value of a keyword is one that JSON Schema knows."""
    value = schema[word]
    if word == "type":
        return all(isinstance(each, str) and each in _TYPES
                   for each in (value if isinstance(value, list) else [value]))  # fmt: skip
    if word == "enum":
        return isinstance(value, list) and bool(value)
    if word in {"uniqueItems", "readOnly"}:
        return isinstance(value, bool)
    if word in {"format", "description"}:
        return isinstance(value, str)
    if word in {"const", "default"}:
        return True
    is_number = isinstance(value, int | float)
    return is_number and (word.startswith(("exclusive", "minimum", "maximum")) or value >= 0)


def _turn_exclusive_limits(made: JsonObject) -> None:
    """The limits of OpenAPI 3.0, which say with a truth value that they are exclusive."""
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(exclusive), bool) and made.pop(exclusive) and limit in made:
            made[exclusive] = made.pop(limit)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _nullable(made: JsonObject) -> JsonObject:
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
        if "enum" in made:
            made["enum"] = [*(each for each in made["enum"] if each is not None), None]
        return made
    return {"anyOf": [made, {"type": "null"}]}


def sample_value(document: OpenApiDocument, schema: JsonObject) -> Json:
    """A value of a schema, always the same: examples, defaults, the first of a choice."""
    return _Sampler(document).value(schema, "", 0)


_BY_FORMAT = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "email": "user@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "ipv4": "192.0.2.1",
    "hostname": "host.example.com",
}


class _Sampler:
    def __init__(self, document: OpenApiDocument) -> None:
        self._document = document
        self._left = _MOST_SAMPLED

    def value(self, schema: JsonObject, name: str, depth: int) -> Json:
        whole = self._document.resolve(schema)
        self._left -= 1
        for word in ("example", "default", "const"):
            if word in whole:
                found: Json = whole[word]
                return found
        for word in ("examples", "enum"):
            if as_list(whole.get(word)):
                return as_list(whole[word])[0]
        kind = type_of(self._document, whole)
        if depth >= _DEEPEST_SAMPLE or self._left <= 0:
            return {"object": {}, "array": []}.get(kind)
        if kind == "object":
            return {
                each: self.value(inner, each, depth + 1)
                for each, inner in self._fields(whole).items()
                if self._left > 0
            }
        if kind == "array":
            return [self.value(as_object(whole.get("items")), name, depth + 1)]
        return self._scalar(whole, kind, name)

    def _fields(self, schema: JsonObject) -> dict[str, JsonObject]:
        """The fields of an object and of its parts; of alternatives, of the first object."""
        found: dict[str, JsonObject] = {}
        waiting: list[Any] = [schema]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST_PARTS:
            whole = self._document.resolve(waiting.pop(0))
            if id(whole) in seen:
                continue
            seen.add(id(whole))
            for name, value in as_object(whole.get("properties")).items():
                found.setdefault(name, as_object(value))
            waiting += as_list(whole.get("allOf"))
            for word in ("oneOf", "anyOf"):
                parts = as_list(whole.get(word))
                objects = (each for each in parts if type_of(self._document, each) == "object")
                waiting += list(objects)[:1]
        return found

    def _scalar(self, whole: JsonObject, kind: str, name: str) -> Json:
        if kind == "boolean":
            return False
        if kind in {"integer", "number"}:
            least: Any = whole.get("minimum", 1)
            return least if isinstance(least, int | float) and not isinstance(least, bool) else 1
        if kind == "string":
            return _BY_FORMAT.get(str(whole.get("format")), name or "text")
        return None


def shown_rows(document: OpenApiDocument, schema: JsonObject) -> Iterator[Json]:
    """The examples that a schema itself has.

    Yields:
        Each.
    """
    whole = document.resolve(schema)
    if "example" in whole:
        yield whole["example"]
    yield from as_list(whole.get("examples"))
