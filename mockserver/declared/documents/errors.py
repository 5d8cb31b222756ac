"""How an API says errors, by the answers of errors in its OpenAPI document."""

from typing import Any

from mockserver.declared.documents.document import OpenApiDocument
from mockserver.declared.keywords import Schema
from mockserver.model import JsonObject

_MOST_OPERATIONS = 200
_CONSTANT = frozenset({"boolean", "integer"})
_ERROR_WORDS = {
    "message": "{{message}}", "msg": "{{message}}", "detail": "{{message}}",
    "description": "{{message}}", "error_description": "{{message}}", "status": "{{status}}",
    "statuscode": "{{status}}", "status_code": "{{status}}", "reason": "{{reason}}",
    "type": "{{reason}}", "title": "{{title}}",
}  # fmt: skip
_ERROR_FIELDS = ("err", "fault", "meta", "data", "status", "response")


def error_shape(document: OpenApiDocument) -> Any:
    """How errors are said, by the first answer of an error that names fields; None if none does."""
    for route in document.routes[:_MOST_OPERATIONS]:
        operation = document.operation(route)
        for response in operation.responses:
            if response.status[:1] not in {"4", "d"} or not response.schema:
                continue
            if "problem+json" in response.content_type:
                return "problem+json"
            shape = _error_fields(response.schema, 0)
            if "{{message}}" in str(shape):
                return {"shape": shape}
    return None


def _error_fields(schema: Schema, depth: int) -> JsonObject:
    made: JsonObject = {}
    for name, each in schema.fields.items():
        kind = each.kind
        if kind == "object" and depth < 2:
            inner = _error_fields(each, depth + 1)
            is_told = "{{message}}" in str(inner) and name.lower().startswith(_ERROR_FIELDS)
            made |= {name: inner} if is_told else {}
        elif kind == "array" and depth < 2 and name == "errors":
            inner = _error_fields(each.inner("items"), depth + 1)
            made |= {name: [inner]} if inner else {}
        elif len(each.choice) == 1 and kind in _CONSTANT:
            made[name] = each.choice[0]
        elif name in {"code", "error"} and kind in {"integer", "string"}:
            made[name] = "{{status}}" if kind == "integer" else "{{reason}}"
        elif name.lower() in _ERROR_WORDS and kind in {"string", "integer", ""}:
            made[name] = _ERROR_WORDS[name.lower()]
    return made
