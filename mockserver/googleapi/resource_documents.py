"""The Discovery document of an API that is made of its resources alone."""

from collections.abc import Iterator, Mapping, Sequence

from mockserver.googleapi.collections import Resource, Verb, method_prefixes
from mockserver.model import JsonObject, did_you_mean

_TEXT: JsonObject = {"type": "string"}
TYPES: Mapping[str, JsonObject] = {
    "string": _TEXT,
    "integer": {"type": "integer", "format": "int32"},
    "number": {"type": "number", "format": "double"},
    "boolean": {"type": "boolean"},
    "timestamp": {"type": "string", "format": "google-datetime"},
    "object": {"type": "object", "additionalProperties": {"type": "any"}},
    "any": {"type": "any"},
}
"""Types of fields to their schemas; `string[]` is a list of them."""
_VERSION = "v1"
_QUERY: JsonObject = {"type": "string", "location": "query"}
_PAGES = {"pageSize": {**_QUERY, "type": "integer", "format": "int32"}, "pageToken": _QUERY}
_MASK = {"updateMask": {**_QUERY, "format": "google-fieldmask"}}
_HTTP_METHODS: Mapping[Verb, str] = {
    "list": "GET",
    "get": "GET",
    "create": "POST",
    "patch": "PATCH",
    "update": "PUT",
    "delete": "DELETE",
}


def document_head(name: str, version: str, title: str, host: str) -> JsonObject:
    """What a document begins with: what the API is called, and where it is served."""
    return {
        "kind": "discovery#restDescription",
        "id": f"{name}:{version}",
        "name": name,
        "version": version,
        "title": title,
        "protocol": "rest",
        "rootUrl": f"https://{host}/",
        "baseUrl": f"https://{host}/",
        "servicePath": "",
        "basePath": "",
        "batchPath": "batch",
    }


def document_of(name: str, host: str, resources: Sequence[Resource]) -> JsonObject:
    """The document of an API: paths from the patterns of names, schemas from fields.

    Args:
        name: What the API is called.
        host: Where it is served; of Google's form when empty.
        resources: What it has.

    Raises:
        ValueError: A field is of a type that there is not.
    """
    document: JsonObject = {
        "kind": "discovery#restDescription",
        "name": name,
        "version": _VERSION,
        "rootUrl": f"https://{host or f'{name}.googleapis.com'}/",
        "servicePath": "",
        "schemas": {"Empty": {"id": "Empty", "type": "object", "properties": {}}},
    }
    for resource in resources:
        document["schemas"] |= {each["id"]: each for each in _schemas(resource)}
        for prefix in method_prefixes(resource, name):
            node = document
            for segment in prefix.split(".")[1:]:
                node = node.setdefault("resources", {}).setdefault(segment, {})
            node["methods"] = {
                verb: {"id": f"{prefix}.{verb}", **_method(resource, verb)}
                for verb in resource.verbs
            }
    return document


def _message(resource: Resource) -> str:
    """The schema of a row: `Parrot` of `parrots/{parrot}`."""
    variable = resource.names.segments[-1].strip("{}")
    return f"{variable[0].upper()}{variable[1:]}"


def _schemas(resource: Resource) -> Iterator[JsonObject]:
    name = _message(resource)
    types = {"name": "string", **resource.fields}
    if resource.etags:
        types["etag"] = "string"
    types |= dict.fromkeys((*resource.created, *resource.updated), "timestamp")
    row: JsonObject = {"id": name, "type": "object"}
    if resource.fields:
        row["properties"] = {field: _type(resource, field, kind) for field, kind in types.items()}
    else:
        row["additionalProperties"] = TYPES["any"]
    yield row
    several = {"type": "array", "items": {"$ref": name}}
    properties = {resource.list_key: several, "nextPageToken": _TEXT}
    if resource.total:
        properties[resource.total] = TYPES["integer"]
    yield {"id": f"List{name}Response", "type": "object", "properties": properties}


def _type(resource: Resource, field: str, kind: str) -> JsonObject:
    item = kind.removesuffix("[]")
    if item not in TYPES:
        hint = did_you_mean(item, TYPES) or f"known are {', '.join(TYPES)}"
        raise ValueError(f"{resource.collection}.{field} is of an unknown type {kind!r}; {hint}")
    return TYPES[item] if item == kind else {"type": "array", "items": TYPES[item]}


def _method(resource: Resource, verb: Verb) -> JsonObject:
    own, parent = "/".join(resource.names.segments), resource.names.parent()
    is_below = verb in {"list", "create"}
    parameter = resource.parent_param if is_below else resource.name_param
    path = resource.names.segments[-2] if is_below else f"{{+{parameter}}}"
    parameters: JsonObject = {}
    if parent or not is_below:
        pattern = "/".join(
            "[^/]+" if each.startswith("{") else each
            for each in (parent if is_below else own).split("/")
        )
        path = f"{{+{parameter}}}/{path}" if is_below else path
        parameters[parameter] = {
            **_TEXT,
            "location": "path",
            "required": True,
            "pattern": f"^{pattern}$",
        }
    if verb == "list":
        parameters |= _PAGES
        parameters |= {"filter": _QUERY} if resource.filter else {}
        parameters |= {} if resource.order is None else {"orderBy": _QUERY}
    if verb == "create" and resource.id_param:
        parameters[resource.id_param] = _QUERY
    if verb in {"patch", "update"}:
        parameters |= _MASK
    if verb == "delete" and resource.etags:
        parameters["etag"] = _QUERY
    message = _message(resource)
    answers = {"list": f"List{message}Response", "delete": "Empty"}
    method: JsonObject = {
        "httpMethod": _HTTP_METHODS[verb],
        "path": f"{_VERSION}/{path}",
        "parameters": parameters,
        "response": {"$ref": answers.get(verb, message)},
    }
    return (
        {**method, "request": {"$ref": message}}
        if verb in {"create", "patch", "update"}
        else method
    )
