"""The JSON Schema of a snapshot's files, for editors that complete and check as one types."""

from collections.abc import Sequence

from mockserver.apis.generic import SERVED_DOCUMENTS, collections_of
from mockserver.apis.mcp.snapshot import Mcp
from mockserver.errors import MockServerError
from mockserver.googleapi import (
    OPERATION_POLLS,
    OPERATION_SECONDS,
    Api,
    Document,
    installed_documents,
)
from mockserver.googleapi.discovery import is_free_form
from mockserver.model import Fault, Json, JsonMapping, JsonObject, did_you_mean
from mockserver.snapshots.contracts import document_of
from mockserver.snapshots.importer import SERVER_KEYS, Stub

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SIMPLE = frozenset({"string", "integer", "number", "boolean"})


def snapshot_schema(apis: Sequence[Api], resources: Sequence[str] = ()) -> JsonObject:
    """The JSON Schema of one file of a snapshot.

    What lint takes for a warning is none here: an editor marks fields that the documents lack.

    Args:
        apis: The emulated APIs, whose collections are described by their documents.
        resources: Discovery documents, `calendar:v3`, whose `resources` are described as well; of
            others only the names are.

    Raises:
        MockServerError: There is no such document.
    """
    made = _Definitions()
    properties: JsonObject = {
        name: {"description": about, **_of_server(made, name, apis)}
        for name, about in SERVER_KEYS.items()
    }
    for api in apis:
        for item in api.collections:
            properties[item.name] = {"description": item.about, **made.collection(item.resource)}
    for name in (OPERATION_POLLS, OPERATION_SECONDS):
        properties[name] |= {"type": "integer", "minimum": 0}
    properties[SERVED_DOCUMENTS] |= _resources(made, resources)
    return {
        "$schema": _DIALECT,
        "title": "A snapshot of mockserver",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": dict(sorted(made.definitions.items())),
    }


def _of_server(definitions: "_Definitions", name: str, apis: Sequence[Api]) -> JsonObject:
    """The schema of a key that belongs to no API."""
    if name in {"$schema", "capturedAt"}:
        return {"type": "string"}
    if name == "errors":
        names = sorted({known for api in apis for known in api.error_names})
        return {"type": "object", "propertyNames": {"enum": names},
                "additionalProperties": {"type": "string", "minLength": 1}}  # fmt: skip
    if name == "tools":
        return {"type": "object", "additionalProperties": {"type": "object"}}
    if name == "mcp":
        own = Mcp.model_json_schema(ref_template="#/$defs/mcp.{model}")
        definitions.definitions |= {
            f"mcp.{key}": each for key, each in own.pop("$defs", {}).items()
        }
        return own
    model = Fault if name == "faults" else Stub
    own = model.model_json_schema(ref_template="#/$defs/{model}")
    definitions.definitions |= own.pop("$defs", {})
    definitions.definitions[name] = own
    return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}


def _resources(definitions: "_Definitions", described: Sequence[str]) -> JsonObject:
    known = [f"{each.name}:{each.version}" for each in installed_documents().entries]
    properties: JsonObject = {}
    for key in described:
        document = document_of(key) if ":" in key else None
        if document is None:
            hint = did_you_mean(key, known)
            raise MockServerError(f"no Discovery document {key!r}", hint=hint)
        collections = {
            name: {"type": "array", "items": definitions.of(document, schema, told)}
            for name, (schema, told) in collections_of(document).items()
        }
        # a collection may also be named by its path, `calendars/primary/events`
        paths = {"/": {"type": "array", "items": {"type": "object"}}}
        properties[key] = {
            "type": "object",
            "properties": collections,
            "patternProperties": paths,
            "additionalProperties": False,
        }
    rows = {"type": "array", "items": {"type": "object"}}
    return {
        "type": "object",
        "propertyNames": {"enum": known},
        "properties": properties,
        "additionalProperties": {"type": "object", "additionalProperties": rows},
    }


class _Definitions:
    """JSON Schemas of the Discovery schemas that were asked for, each once, by reference."""

    def __init__(self) -> None:
        self.definitions: JsonObject = {}

    def collection(self, resource: str) -> JsonObject:
        """A collection in any of its forms: an array, a captured page, arrays by key."""
        name, _, schema = resource.partition("#")
        document = document_of(name) if name else None
        if document is None:
            return {}
        rows = {"type": "array", "items": self.of(document, schema)}
        page = {"type": "object", "required": ["items"], "properties": {"items": rows}}
        return {"anyOf": [rows, page, {"type": "object", "additionalProperties": rows}]}

    def of(
        self, document: Document, schema: str, beside: frozenset[str] = frozenset()
    ) -> JsonObject:
        """A reference to a schema of a document.

        Args:
            document: The document.
            schema: Name of the schema; anything may stand where the document has none such.
            beside: Further fields that an object may have.
        """
        spec = document.schemas.get(schema)
        if spec is None:
            return {"type": "object"}
        name = f"{document.name}.{document.version}.{schema}"
        if beside:
            made = self._value(document, spec)
            if "properties" in made:
                more: JsonObject = {each: {} for each in sorted(beside)}
                made["properties"] = {**more, **made["properties"]}
            return made
        if name not in self.definitions:
            self.definitions[name] = {}  # schemas refer to themselves
            self.definitions[name] = self._value(document, spec)
        return {"$ref": f"#/$defs/{name}"}

    def _value(self, document: Document, spec: JsonMapping) -> JsonObject:
        if "$ref" in spec:
            return self.of(document, str(spec["$ref"]))
        kind = spec.get("type", "any")
        made: JsonObject = {}
        if spec.get("description"):
            made["description"] = spec["description"]
        if kind == "array":
            items = self._value(document, spec.get("items", {}))
            made |= {"type": ["array", "null"], "items": items}
        elif kind == "object":
            made |= {"type": ["object", "null"], **self._fields(document, spec)}
        elif kind in _SIMPLE:
            whole = spec.get("format") in {"int64", "uint64"}
            made["type"] = [*dict.fromkeys([kind, *(("integer",) if whole else ())]), "null"]
            if "enum" in spec:
                made["enum"] = [*spec["enum"], None]
        return made

    def _fields(self, document: Document, spec: JsonMapping) -> JsonObject:
        if is_free_form(spec):
            return {}
        known = spec.get("properties", {})
        made: JsonObject = {
            "properties": {name: self._value(document, each) for name, each in known.items()}
        }
        other: Json = spec.get("additionalProperties")
        made["additionalProperties"] = self._value(document, other) if other else False
        return made
