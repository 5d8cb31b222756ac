"""What the schemas of a Discovery document tell about resources and answers."""

from collections.abc import Iterator, Mapping

from mockserver.googleapi import Document
from mockserver.model import JsonMapping

_NOT_ITEMS = frozenset(
    {"unreachable", "warnings", "errors", "missingZones", "unreachableLocations"}
)


def schema_of(document: Document, name: str | None) -> JsonMapping:
    """A schema by name; an empty one for None and for a name there is not."""
    return document.schemas.get(name or "", {})


def properties(document: Document, name: str | None) -> Mapping[str, JsonMapping]:
    """The properties of a schema."""
    found: Mapping[str, JsonMapping] = schema_of(document, name).get("properties", {})
    return found


def is_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is a long-running operation, in the newer or in an older form."""
    return is_new_operation(document, name) or is_old_operation(document, name)


def is_new_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is `google.longrunning.Operation`."""
    return {"done", "response", "metadata"} <= properties(document, name).keys()


def is_old_operation(document: Document, name: str | None) -> bool:
    """Whether a schema is an operation as Compute Engine, Cloud SQL and others have it."""
    found = properties(document, name)
    if not (name or "").endswith("Operation") or "status" not in found:
        return False
    return bool({"targetLink", "targetId", "operationType", "startTime"} & found.keys())


def list_field(document: Document, response: str | None, collection: str) -> tuple[str, str]:
    """The field of a list's answer that holds the items, and their schema; empty for none.

    Args:
        document: The document.
        response: Name of the answer's schema.
        collection: The collection's name, which decides between several fields.
    """
    found = {
        name: str(spec["items"].get("$ref", ""))
        for name, spec in properties(document, response).items()
        if spec.get("type") == "array" and name not in _NOT_ITEMS and _is_object(spec["items"])
    }
    for name in (collection, "items"):
        if name in found:
            return name, found[name]
    if len(found) == 1 or "nextPageToken" in properties(document, response):
        return next(iter(found.items()), ("", ""))
    return "", ""


def _is_object(spec: JsonMapping) -> bool:
    return "$ref" in spec or "properties" in spec


def wrapped(document: Document, schema: str | None, item: str) -> str:
    """The property of a schema that is an item, or an empty string: `topic` of a request."""
    for name, spec in properties(document, schema).items():
        if spec.get("$ref") == item:
            return name
    return ""


def id_path(document: Document, item: str, parameter: str) -> tuple[str, ...]:
    """Where a resource says the id that a path parameter means; empty when nowhere.

    >>> from mockserver.googleapi import parse_document
    >>> raw = {"name": "a", "version": "v1", "rootUrl": "https://a.example.com/"}
    >>> item = {"properties": {"id": {"type": "string"}, "name": {"type": "string"}}}
    >>> document = parse_document({**raw, "schemas": {"File": item}})
    >>> id_path(document, "File", "fileId"), id_path(document, "File", "instance")
    (('id',), ('name',))
    """
    found = properties(document, item)
    for name, spec in found.items():
        if name.endswith("Reference") and parameter in properties(document, spec.get("$ref")):
            return (name, parameter)
    names = ["id", "name"] if parameter.casefold().endswith("id") else ["name", "id"]
    for name in (parameter, *names, parameter.removesuffix("Id")):
        if _is_plain(found.get(name, {})):
            return (name,)
    if _is_plain(properties(document, found.get("metadata", {}).get("$ref")).get("name", {})):
        return ("metadata", "name")
    return next(((name,) for name in _alike(found, parameter)), ())


def _is_plain(spec: JsonMapping) -> bool:
    return spec.get("type") in {"string", "integer"}


def _alike(found: Mapping[str, JsonMapping], parameter: str) -> Iterator[str]:
    """Fields whose names say what a parameter says: `ruleName` for `responsePolicyRule`.

    Yields:
        Their names, the likeliest first.
    """
    meant = parameter.casefold()
    plain = [name for name, spec in found.items() if _is_plain(spec)]
    yield from (name for name in plain if meant.endswith(name.casefold()) and len(name) > 2)
    stems = {meant, meant.removesuffix("key"), meant.removesuffix("id")}
    for end in ("Id", "Name"):
        own = [name for name in plain if name.endswith(end) and len(name) > len(end)]
        yield from (
            name
            for name in own
            if any(stem.endswith(name.removesuffix(end).casefold()) for stem in stems)
        )
