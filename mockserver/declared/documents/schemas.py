"""Schemas of OpenAPI documents: their form as JSON Schema, and values that fit."""

import re
from collections.abc import Iterable
from typing import Any

from mockserver.declared.keywords import Schema, as_list, is_sound
from mockserver.model import Json, JsonObject

_AS_THEY_ARE = (
    "type", "enum", "const", "format", "minLength", "maxLength", "minimum", "maximum", "multipleOf",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "minProperties",
    "maxProperties", "default", "readOnly", "description",
)  # fmt: skip
_INNER = ("items", "additionalProperties", "not")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MOST_DEFINITIONS = 200
_DEEPEST_SAMPLE = 6
_MOST_SAMPLED = 2_000
_LONGEST_DESCRIPTION = 200


class SchemaExport:
    """Turns schemas of a document into JSON Schema 2020-12, with what they refer to.

    Args:
        prefix: Where references lead.
        taken: Names that no definition may have.
        most: How many definitions there may be; further ones are left open.
    """

    def __init__(
        self,
        prefix: str = "#/$defs/",
        *,
        taken: Iterable[str] = (),
        most: int = _MOST_DEFINITIONS,
    ) -> None:
        self._prefix = prefix
        self._taken = set(taken)
        self._most = most
        self._names: dict[str, str] = {}
        self._waiting: list[tuple[str, Schema]] = []

    def definitions(self) -> dict[str, Json]:
        """The schemas that the converted ones refer to, by name."""
        made: dict[str, Json] = {}
        while self._waiting:  # a chain of references is no chain of calls
            name, schema = self._waiting.pop()
            made[name] = self.convert(Schema(schema.whole, schema.root))
        return made

    def convert(self, schema: Schema) -> JsonObject:
        """A schema as JSON Schema; its references lead to `$defs`."""
        raw = schema.raw
        if isinstance(raw.get("$ref"), str):
            name = self._define(schema)
            return {"$ref": f"{self._prefix}{name}"} if name else {}
        made: JsonObject = {
            word: raw[word]
            for word in _AS_THEY_ARE
            if word in raw and is_sound(word, raw[word]) and (word != "enum" or raw[word])
        }
        if "description" in made:
            made["description"] = made["description"][:_LONGEST_DESCRIPTION]
        for word in _INNER:
            if isinstance(raw.get(word), bool | dict):
                inner = schema.inner(word)
                made[word] = self.convert(inner) if isinstance(raw[word], dict) else raw[word]
        for word in _LISTS:
            parts = [Schema(each, schema.root) for each in as_list(raw.get(word))]
            made |= {word: [self.convert(each) for each in parts if each]} if any(parts) else {}
        if isinstance(raw.get("properties"), dict):
            made["properties"] = {name: self.convert(each)
                                  for name, each in schema.own_fields.items()}  # fmt: skip
        if isinstance(raw.get("required"), list):
            # what is read only is required of answers, and callers do not send it
            read_only = {name for name, each in schema.own_fields.items() if each.get("readOnly")}
            made["required"] = [each for each in raw["required"]
                                if isinstance(each, str) and each not in read_only]  # fmt: skip
        for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if raw.get(exclusive) is True and limit in made:  # as OpenAPI 3.0 says it
                made[exclusive] = made.pop(limit)
        if "pattern" in raw and is_sound("pattern", raw["pattern"]):
            made["pattern"] = raw["pattern"]
        if raw.get("nullable") is True or raw.get("x-nullable") is True:
            return _nullable(made)
        return made

    def _define(self, schema: Schema) -> str:
        """The name among the definitions of what a reference means; empty where there are many."""
        reference = schema.raw["$ref"]
        if reference in self._names:
            return self._names[reference]
        if len(self._names) >= self._most:
            return ""
        short = re.sub(r"[^\w.-]+", "_", reference.rpartition("/")[2]) or "schema"
        name = short if short not in self._taken else f"{short}_{len(self._names)}"
        self._taken.add(name)
        self._names[reference] = name
        self._waiting.append((name, schema))
        return name


def _nullable(made: JsonObject) -> JsonObject:
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
        if "enum" in made:
            made["enum"] = [*(each for each in made["enum"] if each is not None), None]
        return made
    return {"anyOf": [made, {"type": "null"}]}


def sample_value(schema: Schema) -> Json:
    """A value of a schema, always the same: examples, defaults, the first of a choice."""
    return _Sampler().value(schema, "", 0)


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
    def __init__(self) -> None:
        self._left = _MOST_SAMPLED

    def value(self, schema: Schema, name: str, depth: int) -> Json:
        self._left -= 1
        for word in ("example", "default", "const"):
            if word in schema.whole:
                return schema.get(word)
        for word in ("examples", "enum"):
            if as_list(schema.get(word)):
                return as_list(schema.get(word))[0]
        kind = schema.kind
        if depth >= _DEEPEST_SAMPLE or self._left <= 0:
            return {"object": {}, "array": []}.get(kind)
        if kind == "object":
            return {
                each: self.value(inner, each, depth + 1)
                for each, inner in schema.fields_of(one_choice=True).items()
                if self._left > 0
            }
        if kind == "array":
            return [self.value(schema.inner("items"), name, depth + 1)]
        if kind in {"integer", "number"}:
            least: Any = schema.whole.get("minimum", 1)
            return least if is_sound("minimum", least) else 1
        text = _BY_FORMAT.get(str(schema.get("format")), name or "text")
        return {"boolean": False, "string": text}.get(kind)


def examples_of(schema: Schema) -> list[Json]:
    """The examples that a schema itself has."""
    one = [schema.get("example")] if "example" in schema.whole else []
    return [*one, *as_list(schema.get("examples"))]
