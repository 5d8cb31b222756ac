"""The OpenAPI 3.1 document of a declared API."""

from collections.abc import Iterator

from mockserver.declared.api import DeclaredApi
from mockserver.declared.declaration import PLACEHOLDER, Action, Collection, Declaration, Paging
from mockserver.declared.documents.document import DocumentedOperation
from mockserver.declared.documents.schemas import SchemaExport
from mockserver.declared.files import DeclaredFile
from mockserver.declared.operations import collection_path
from mockserver.declared.queries import USUAL_PARAMS
from mockserver.model import Json, JsonObject

_SUMMARIES = {
    "list": ("get", "200"), "create": ("post", "201"), "get": ("get", "200"),
    "replace": ("put", "200"), "patch": ("patch", "200"), "delete": ("delete", "204"),
}  # fmt: skip
_METHOD = {"replace": "update"}
_ON_ROWS = ("list", "create")
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
    declaration = file.declaration
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {}
    for name, collection in declaration.collections.items():
        schema = file.schemas.get(("collections", name))
        place = f"#/components/schemas/{name}"
        schemas[name] = (
            _move_references(schema.schema, place) if schema is not None else {"type": "object"}
        )
        for verb, path, operation in _operations(declaration, name, collection):
            item = paths.setdefault(path, {})
            params = [_path_param(each) for each in PLACEHOLDER.findall(path)]
            item[verb] = {**operation, "parameters": [*params, *operation.get("parameters", ())]}
    api = DeclaredApi(file)
    for verb, path, operation in (*_without_schemas(api), *_documented_operations(api, schemas)):
        paths.setdefault(path, {}).setdefault(verb, operation)
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


def _without_schemas(api: DeclaredApi) -> Iterator[tuple[str, str, JsonObject]]:
    """The operations of which no schema is known: stubs, handlers, files, jobs, many rows at once.

    Yields:
        Verb in lower case, path, and operation.
    """
    for each in api.operations.values():
        if each.kind in {*_SUMMARIES, "action", "documented"}:
            continue
        status = "200"
        if each.kind == "stub":
            status = str(api.declaration.stubs[int(each.name)].status)
        elif each.kind == "handler":
            status = str(api.declaration.handlers[each.name].status)
        params = [_path_param(name.lstrip("+")) for name in each.placeholders]
        path = each.path.replace("{+", "{")
        answers = {"operationId": each.id, **_answers(status, None)}
        yield each.verb.lower(), path, {**answers, "parameters": params} if params else answers


def _documented_operations(
    api: DeclaredApi, schemas: JsonObject
) -> Iterator[tuple[str, str, JsonObject]]:
    """The operations of the API's own document that no collection serves.

    Yields:
        Verb in lower case, path, and operation; their schemas are added to the others.
    """
    document, methods = api.file.document, api.documented
    if document is None or methods is None:
        return
    export = SchemaExport("#/components/schemas/", taken=schemas, most=_MOST_SCHEMAS)
    paths = document.paths_below(api.base_path)
    for each in api.operations.values():
        if each.kind == "documented":
            documented = methods.method(each).documented
            yield (
                each.verb.lower(),
                paths[documented.path],
                _operation_again(each.id, documented, export),
            )
    schemas |= export.definitions()


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


def _operations(
    declaration: Declaration, name: str, collection: Collection
) -> Iterator[tuple[str, str, JsonObject]]:
    """The operations of a collection.

    Yields:
        Verb in lower case, path, and operation.
    """
    paths = collection_path(declaration, name)
    row: JsonObject = {"$ref": f"#/components/schemas/{name}"}
    for word in collection.verbs:
        verb, status = _SUMMARIES[word]
        method_id = f"{declaration.api}.{name}.{_METHOD.get(word, word)}"
        operation: JsonObject = {"operationId": method_id}
        wrapped = _inside(collection.item_in, row)
        if word == "list":
            listed = _inside(collection.list_in, {"type": "array", "items": row})
            operation |= {"parameters": list(_list_params(collection)), **_answers(status, listed)}
        elif word == "delete" and collection.delete_answer is not None:
            operation |= _answers("200", {})
        elif word == "delete":
            is_told = collection.delete_status == 200
            operation |= _answers("200", wrapped) if is_told else _answers(status, None)
        elif word == "get":
            operation |= _answers(status, wrapped)
        else:
            status = str(collection.create_status) if word == "create" else status
            body = {"content": {"application/json": {"schema": wrapped}}}
            operation |= {"requestBody": body, **_answers(status, wrapped)}
        verb = collection.patch_verb.lower() if word == "patch" else verb
        yield verb, paths.rows if word in _ON_ROWS else paths.row, operation
    for action, each in collection.actions.items():
        verb, _, path = each.path.partition(" ")
        yield verb.lower(), path, _action(f"{declaration.api}.{name}.{action}", each, row)


def _action(method_id: str, action: Action, row: JsonObject) -> JsonObject:
    shown = None if action.status == 204 else row if action.answer is None else {}
    return {"operationId": method_id, **_answers(str(action.status), shown)}


def _answers(status: str, schema: JsonObject | None) -> JsonObject:
    if schema is None:
        return {"responses": {status: {"description": "Done."}}}
    content = {"application/json": {"schema": schema}}
    return {"responses": {status: {"description": "Done.", "content": content}}}


def _list_params(collection: Collection) -> Iterator[JsonObject]:
    names = list(collection.filters)
    names += [each.param for each in (collection.search, collection.sort) if each is not None]
    if collection.sort is not None and collection.sort.order:
        names.append(collection.sort.order)
    if collection.fields:
        names.append(collection.fields)
    for name in names:
        if name != "*":
            yield {"name": name, "in": "query", "schema": _TEXT}
    if collection.paging is not None:
        yield from _page_params(collection.paging)


def _page_params(paging: Paging) -> Iterator[JsonObject]:
    kind = "string" if paging.style in {"cursor", "key"} else "integer"
    names = (paging.param or USUAL_PARAMS[paging.style], paging.before)
    yield from ({"name": each, "in": "query", "schema": {"type": kind}} for each in names if each)
    size = {"type": "integer", "default": paging.default, "maximum": paging.max}
    yield {"name": paging.size, "in": "query", "schema": size}


def _path_param(name: str) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": _TEXT}


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
