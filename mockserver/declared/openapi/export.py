"""The OpenAPI 3.1 document of a declared API."""

from collections.abc import Iterator

from mockserver.declared.declaration import Action, Collection, Declaration, Paging, parent_field
from mockserver.declared.files import DeclaredFile
from mockserver.model import Json, JsonObject

_SUMMARIES = {
    "list": ("get", "200"), "create": ("post", "201"), "get": ("get", "200"),
    "replace": ("put", "200"), "patch": ("patch", "200"), "delete": ("delete", "204"),
}  # fmt: skip
_METHOD = {"replace": "update"}
_ON_ROWS = ("list", "create")
_TEXT: JsonObject = {"type": "string"}


def openapi_of(file: DeclaredFile) -> JsonObject:
    """The OpenAPI 3.1 document of a declared API: its collections and their actions.

    Args:
        file: The declaration with its schemas.
    """
    declaration = file.declaration
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {}
    for name, collection in declaration.collections.items():
        schema = file.schemas.get(("collections", name))
        place = f"#/components/schemas/{name}"
        schemas[name] = _moved(schema.schema, place) if schema is not None else {"type": "object"}
        for verb, path, operation in _operations(declaration, name, collection):
            item = paths.setdefault(path, {})
            params = [_path_param(part[1:-1]) for part in path.split("/") if part[:1] == "{"]
            item[verb] = {**operation, "parameters": [*params, *operation.get("parameters", ())]}
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


def _operations(
    declaration: Declaration, name: str, collection: Collection
) -> Iterator[tuple[str, str, JsonObject]]:
    """The operations of a collection.

    Yields:
        Verb in lower case, path, and operation.
    """
    rows = _rows_path(declaration, name)
    key = collection.key if f"{{{collection.key}}}" not in rows else f"{name}_key"
    row: JsonObject = {"$ref": f"#/components/schemas/{name}"}
    for word in collection.verbs:
        verb, status = _SUMMARIES[word]
        method_id = f"{declaration.api}.{name}.{_METHOD.get(word, word)}"
        operation: JsonObject = {"operationId": method_id}
        wrapped = _inside(collection.item_in, row)
        if word == "list":
            listed = _inside(collection.list_in, {"type": "array", "items": row})
            operation |= {"parameters": list(_list_params(collection)), **_answers(status, listed)}
        elif word == "delete":
            is_told = collection.delete_status == 200
            operation |= _answers("200", wrapped) if is_told else _answers(status, None)
        elif word == "get":
            operation |= _answers(status, wrapped)
        else:
            status = str(collection.create_status) if word == "create" else status
            body = {"content": {"application/json": {"schema": wrapped}}}
            operation |= {"requestBody": body, **_answers(status, wrapped)}
        yield verb, rows if word in _ON_ROWS else f"{rows}/{{{key}}}", operation
    for action, each in collection.actions.items():
        verb, _, path = each.path.partition(" ")
        yield verb.lower(), path, _action(f"{declaration.api}.{name}.{action}", each, row)


def _action(method_id: str, action: Action, row: JsonObject) -> JsonObject:
    shown = None if action.status == 204 else row if action.answer is None else {}
    return {"operationId": method_id, **_answers(str(action.status), shown)}


def _rows_path(declaration: Declaration, name: str) -> str:
    path = declaration.collections[name].path or f"/{name}"
    for _, parent in declaration.parents(name):
        around = declaration.collections[parent.collection].path or f"/{parent.collection}"
        path = f"{around}/{{{parent_field(parent)}}}{path}"
    return path


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
    kind = "string" if paging.style == "cursor" else "integer"
    yield {"name": paging.param or paging.style, "in": "query", "schema": {"type": kind}}
    size = {"type": "integer", "default": paging.default, "maximum": paging.max}
    yield {"name": paging.size, "in": "query", "schema": size}


def _path_param(name: str) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": _TEXT}


def _inside(place: str, schema: JsonObject) -> JsonObject:
    for part in reversed(place.split(".") if place else ()):
        schema = {"type": "object", "properties": {part: schema}}
    return schema


def _moved(schema: Json, place: str) -> Json:
    """A schema whose references into itself hold at another place of another document."""
    if isinstance(schema, dict):
        return {
            name: f"{place}{each[1:]}"
            if name == "$ref" and isinstance(each, str) and each.startswith("#")
            else _moved(each, place)
            for name, each in schema.items()
        }
    return [_moved(each, place) for each in schema] if isinstance(schema, list) else schema


def _scheme(declaration: Declaration) -> JsonObject:
    auth = declaration.auth
    if auth is None:
        return {}
    if auth.header or auth.query:
        where = "header" if auth.header else "query"
        return {"type": "apiKey", "in": where, "name": auth.header or auth.query}
    return {"type": "http", "scheme": "bearer" if auth.bearer else "basic"}
