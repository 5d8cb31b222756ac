"""The OpenAPI 3.1 document of a declared API."""

from mockserver.declared.api import DeclaredApi
from mockserver.declared.declaration import Declaration
from mockserver.declared.documents.document import DocumentedOperation
from mockserver.declared.documents.schemas import SchemaExport
from mockserver.declared.files import DeclaredFile
from mockserver.declared.routes import Operation
from mockserver.model import Json, JsonObject

_ON_ROWS = frozenset({"list", "create", "get", "replace", "patch", "delete", "action"})
_MOST_SCHEMAS = 100_000
_NO_PARAMETERS = frozenset({"accept", "content-type", "authorization"})
_TEXT: JsonObject = {"type": "string"}


def openapi_of(file: DeclaredFile) -> JsonObject:
    """The OpenAPI 3.1 document of a declared API: everything that it can be asked.

    Args:
        file: The declaration with its schemas and its document.

    Raises:
        InvalidFilesError: Two of its routes are the same.
    """
    api, declaration = DeclaredApi(file), file.declaration
    schemas: JsonObject = {}
    for name in declaration.collections:
        schema, place = api.rows[name].schema, f"#/components/schemas/{name}"
        schemas[name] = (
            _move_references(schema.schema, place) if schema is not None else {"type": "object"}
        )
    paths: dict[str, JsonObject] = {}
    served = [each for each in api.operations.values() if each.kind != "documented"]
    for each in sorted(served, key=lambda each: each.kind not in _ON_ROWS):
        path, parameters = each.path.replace("{+", "{"), each.placeholders
        operation = _served_operation(declaration, each)
        if parameters or each.kind in _ON_ROWS:
            listed = api.rows[each.collection].lists.params if each.kind == "list" else {}
            operation["parameters"] = [
                {"name": name.lstrip("+"), "in": "path", "required": True, "schema": _TEXT}
                for name in parameters
            ] + [{"name": name, "in": "query", "schema": schema} for name, schema in listed.items()]
        paths.setdefault(path, {}).setdefault(each.verb.lower(), operation)
    if file.document is not None and api.documented is not None:
        export = SchemaExport("#/components/schemas/", taken=schemas, most=_MOST_SCHEMAS)
        below = file.document.paths_below(api.base_path)
        for each in api.operations.values():
            if each.kind == "documented":
                documented = api.documented.method(each).documented
                item = paths.setdefault(below[documented.path], {})
                item.setdefault(each.verb.lower(), _operation_again(each.id, documented, export))
        schemas |= export.definitions()
    made: JsonObject = {
        "openapi": "3.1.0",
        "info": {"title": declaration.title or declaration.api,
                 "version": declaration.version or "1"},
        "servers": [{"url": f"https://{host}{declaration.base_path}"} for host in declaration.hosts]
        or [{"url": declaration.base_path or "/"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }  # fmt: skip
    scheme = _scheme(declaration)
    if scheme:
        made["components"]["securitySchemes"] = {"key": scheme}
        made["security"] = [{"key": []}]
    return made


def _served_operation(declaration: Declaration, operation: Operation) -> JsonObject:
    """An operation of a collection, or one of which no schema is known: a stub, a file, a job."""
    kind, status = operation.kind, 200
    made: JsonObject = {"operationId": operation.id}
    if kind == "stub":
        return made | _answers(declaration.stubs[int(operation.name)].status, None)
    if kind == "handler":
        return made | _answers(declaration.handlers[operation.name].status, None)
    if kind not in _ON_ROWS:
        return made | _answers(status, None)
    collection = declaration.collections[operation.collection]
    row: JsonObject = {"$ref": f"#/components/schemas/{operation.collection}"}
    shown: JsonObject | None = _inside(collection.item_in, row)
    if kind == "list":
        shown = _inside(collection.list_in, {"type": "array", "items": row})
    elif kind == "action":
        action = collection.actions[operation.name]
        status = action.status
        shown = None if status == 204 else row if action.answer is None else {}
    elif kind == "delete":
        if collection.delete_answer is not None:
            shown = {}
        elif collection.delete_status != 200:
            status, shown = 204, None
    elif kind != "get":
        status = collection.create_status if kind == "create" else 200
        made["requestBody"] = {"content": {"application/json": {"schema": shown}}}
    return made | _answers(status, shown)


def _operation_again(
    method_id: str, documented: DocumentedOperation, export: SchemaExport
) -> JsonObject:
    made: JsonObject = {"operationId": method_id}
    parameters: list[Json] = [
        {"name": each.name, "in": each.where, "schema": export.convert(each.schema)}
        | ({"required": True} if each.required or each.where == "path" else {})
        for each in documented.parameters
        if each.where != "header" or each.name.lower() not in _NO_PARAMETERS
    ]
    made |= {"parameters": parameters} if parameters else {}
    if documented.body is not None:
        schema = export.convert(documented.body)
        kinds = documented.body_types or ("application/json",)
        made["requestBody"] = {"content": {kind: {"schema": schema} for kind in kinds}}
        made["requestBody"] |= {"required": True} if documented.is_body_required else {}
    responses: JsonObject = {}
    for response in documented.responses:
        told: JsonObject = {"description": ""}
        if response.content_type:
            told["content"] = {response.content_type: {"schema": export.convert(response.schema)}}
        responses[response.status] = told
    made["responses"] = responses or {"default": {"description": ""}}
    return made


def _answers(status: int, schema: JsonObject | None) -> JsonObject:
    answer: JsonObject = {"description": "Done."}
    if schema is not None:
        answer["content"] = {"application/json": {"schema": schema}}
    return {"responses": {str(status): answer}}


def _inside(place: str, schema: JsonObject) -> JsonObject:
    for part in reversed(place.split(".") if place else ()):
        schema = {"type": "object", "properties": {part: schema}}
    return schema


def _move_references(schema: Json, place: str) -> Json:
    """A schema whose references into itself hold at another place of another document."""
    if isinstance(schema, dict):
        return {
            name: f"{place}{each[1:]}"
            if name == "$ref" and isinstance(each, str) and each.startswith("#")
            else _move_references(each, place)
            for name, each in schema.items()
        }
    return (
        [_move_references(each, place) for each in schema] if isinstance(schema, list) else schema
    )


def _scheme(declaration: Declaration) -> JsonObject:
    auth = declaration.auth
    if auth is None:
        return {}
    if auth.header or auth.query:
        where = "header" if auth.header else "query"
        return {"type": "apiKey", "in": where, "name": auth.header or auth.query}
    return {"type": "http", "scheme": "bearer" if auth.bearer else "basic"}
