"""Discovery methods for tests, and parameters that their documents take."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.googleapi import Document, DocumentFolder, Method, load_document
from mockserver.model import Json, JsonObject


@cache
def document(key: str) -> Document:
    name, _, version = key.partition(":")
    entry = DocumentFolder().entry(name, version)
    assert entry is not None, key
    return load_document(entry.path)


def method(key: str, method_id: str) -> Method:
    return document(key).methods[method_id]


def path_params(of: Method, text: str = "x1") -> JsonObject:
    """A value for each path parameter, as its pattern wants it."""
    found: JsonObject = {}
    for name, parameter in of.parameters.items():
        if parameter.location == "path":
            pattern = parameter.pattern.strip("^$").replace("\\", "")
            whole = pattern.replace("[^/]+", text).replace(".*", text)
            plain = not pattern or any(sign in whole for sign in "[](){}|?+*")
            found[name] = text if plain else whole
    return found


def params_from(template: str, path: str) -> JsonObject:
    """The parameters that fill a template to a path."""
    segments, given = template.split("/"), path.split("/")
    found: JsonObject = {}
    for number, segment in enumerate(segments):
        if segment.startswith("{"):
            last = number == len(segments) - 1 and len(segments) == 1
            value = path if last else given[number]
            found[segment.strip("{+}")] = value.replace("%2F", "/") if not last else value
    return found


def check_answer(of: Method, answer: Json) -> None:
    """Hold an answer against its schema: known fields of the right types, nothing else.

    Raises:
        jsonschema.ValidationError: It has another shape.
    """
    _validator(of.document, of.response or "").validate(answer)


@cache
def _validator(of: Document, name: str) -> Draft202012Validator:
    known = {each: _strict(schema) for each, schema in of.schemas.items()}
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": known})


def _strict(schema: Any) -> Any:
    """A Discovery schema as JSON Schema reads it; names of schemas become pointers."""
    kind = schema.get("type")
    if "$ref" in schema:
        return {"$ref": f"#/$defs/{schema['$ref']}"}
    if kind == "array":
        return {"type": "array", "items": _strict(schema["items"])}
    if kind == "object":
        return _strict_object(schema)
    # an enum may have values that a document does not list yet
    return {"type": kind} if kind not in {"any", None} else {}


def _strict_object(schema: Any) -> Any:
    if "properties" not in schema:
        inner = _strict(schema.get("additionalProperties", {}))
        return {"type": "object", "additionalProperties": inner}
    fields = {name: _strict(each) for name, each in schema["properties"].items()}
    return {"type": "object", "properties": fields, "additionalProperties": False}
