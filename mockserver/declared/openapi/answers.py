"""What answers of a documented collection have beside the rows that callers send."""

import re
from collections.abc import Collection, Iterator

from mockserver.declared.documents import words
from mockserver.declared.documents.document import DocumentedOperation, OpenApiDocument
from mockserver.declared.documents.references import as_list, as_object
from mockserver.declared.documents.schemas import fields_of, type_of
from mockserver.declared.openapi.collections import FoundCollection
from mockserver.model import Json, JsonObject

_ADDRESSES = frozenset({"url", "uri", "self", "href"})
_URL_FORMATS = frozenset({"uri", "url"})
_DEFAULT_TRUTH = re.compile(r"[Dd]efaults? (?:to|is) `?(true|false)`?")
_NEWEST_FIRST = re.compile(
    r"most recent[\w -]*first|newest first|reverse chronological|most recently created"
)
_CREATED = (
    "created_at", "createdAt", "created_on", "dateCreated", "date_created", "createTime",
    "creationDate", "created_time", "created", "creationTimestamp",
)  # fmt: skip
_UPDATED = (
    "updated_at", "updatedAt", "updated_on", "dateUpdated", "date_updated", "updateTime",
    "modified_at", "modifiedAt", "last_edited_time", "updated",
)  # fmt: skip
_TIME_FORMATS = {
    "date-time": "rfc3339", "unix-time": "unix", "date-time-rfc-2822": "rfc2822",
}  # fmt: skip
_MOST_FIELDS_OF_DELETED = 8
_KINDS = "x-kubernetes-group-version-kind"
"""Where Kubernetes says of a schema what `kind` and `apiVersion` are."""


def answer_settings(
    document: OpenApiDocument, found: FoundCollection, paths: Collection[str]
) -> JsonObject:
    """Keys of a collection that say what its answers have beside what callers send.

    Args:
        document: The document.
        found: The collection.
        paths: All paths of the document below the base path, with `{}` for placeholders.
    """
    made = _times(document, found)
    known = {str(made.get("created")), str(made.get("updated")), found.key}
    fields = dict(_answer_fields(document, found, paths, known))
    if fields:
        made["answer_fields"] = fields
    if found.list_in:
        envelope = dict(_list_fields(document, found))
        made |= {"list_fields": envelope} if envelope else {}
    listed = found.rows.get("GET")
    if listed is not None and _is_newest_first(listed):
        made["newest_first"] = True
    deleted = _delete_answer(document, found)
    if deleted:
        made["delete_answer"] = deleted
    return made


def _times(document: OpenApiDocument, found: FoundCollection) -> JsonObject:
    made: JsonObject = {}
    forms: dict[str, str] = {}
    inner = fields_of(document, found.fields.get("metadata", {})).properties
    for setting, names in (("created", _CREATED), ("updated", _UPDATED)):
        for known, prefix in ((found.fields, ""), (inner, "metadata.")):
            name = words.first_of(names, known)
            form = _TIME_FORMATS.get(str(document.resolve(known.get(name)).get("format")), "")
            if name and form:
                made[setting], forms[setting] = f"{prefix}{name}", form
                break
    form = forms.get("created") or forms.get("updated", "")
    for setting, each in forms.items():
        if each != form:
            del made[setting]
    return made | ({"time_format": form} if form not in {"", "rfc3339"} else {})


def _answer_fields(
    document: OpenApiDocument, found: FoundCollection, paths: Collection[str], known: set[str]
) -> Iterator[tuple[str, Json]]:
    """What a row says where its data do not.

    Yields:
        Field and value, or template.
    """
    create = found.rows.get("POST")
    sent = fields_of(document, (create.body if create is not None else None) or {}).properties
    # what a creation answers is a row that is there, and reading may answer others too
    success = create.success if create is not None and not found.item_in else None
    whole = fields_of(document, (success.schema if success is not None else None) or found.schema)
    kind = _kind(document, found.schema)
    for name, raw in found.fields.items():
        schema = document.resolve(raw)
        if name in known or name not in whole.properties:
            continue
        if name in kind:
            yield name, kind[name]
        elif schema.get("format") in _URL_FORMATS and type_of(document, schema) == "string":
            address = _address(found, name, paths)
            if address:
                yield name, address
        elif len(as_list(schema.get("enum"))) == 1:
            yield name, as_list(schema["enum"])[0]
        elif _is_nullable({**schema, **raw}):
            yield name, None
        elif name in whole.required or (name in sent and _is_map(document, schema)):
            told = f"{as_object(sent.get(name)).get('description')} {schema.get('description')}"
            full = {**as_object(sent.get(name)), **schema, "description": told}
            yield from _usual_value(document, found, name, full)


def _address(found: FoundCollection, name: str, paths: Collection[str]) -> str:
    if not found.row:
        return ""
    if name.lower() in _ADDRESSES:
        return "{{ url }}"
    below = name.removesuffix("_url").removesuffix("Url")
    return f"{{{{ url }}}}/{below}" if f"{found.pattern}/{{}}/{below}" in paths else ""


def _usual_value(
    document: OpenApiDocument, found: FoundCollection, name: str, schema: JsonObject
) -> Iterator[tuple[str, Json]]:
    """A value of a field that every row has, where one can be told.

    Yields:
        Field and value, or nothing.
    """
    kind = type_of(document, schema)
    if "default" in schema:
        yield name, schema["default"]
    elif kind == "boolean":
        told = _DEFAULT_TRUTH.search(str(schema.get("description", "")))
        yield name, told is not None and told[1] == "true"
    elif kind == "array":
        yield name, []
    elif _is_map(document, schema):
        yield name, {}
    elif kind == "integer" and name == "id" and "." not in found.key:
        is_number = type_of(document, found.fields.get(found.key, {})) == "integer"
        yield name, f"{{{{ row.{found.key} }}}}" if is_number else 1
    elif kind == "integer":
        least = schema.get("minimum")
        yield name, least if isinstance(least, int) else 0


def _is_map(document: OpenApiDocument, schema: JsonObject) -> bool:
    """Whether an object has whatever fields callers give it: metadata, labels."""
    return type_of(document, schema) == "object" and not fields_of(document, schema).properties


def _is_nullable(schema: JsonObject) -> bool:
    kind = schema.get("type")
    return schema.get("nullable") is True or (isinstance(kind, list) and "null" in kind)


def _kind(document: OpenApiDocument, schema: JsonObject) -> JsonObject:
    told = as_list(document.resolve(schema).get(_KINDS))
    one = as_object(told[0]) if len(told) == 1 else {}
    if not one.get("kind") or not one.get("version"):
        return {}
    group = str(one.get("group") or "")
    version = f"{group}/{one['version']}" if group else str(one["version"])
    return {"apiVersion": version, "kind": str(one["kind"])}


def _list_fields(document: OpenApiDocument, found: FoundCollection) -> Iterator[tuple[str, Json]]:
    """What the envelope of a list says beside its rows and its pages.

    Yields:
        Field and value, or template.
    """
    kind = _kind(document, found.envelope)
    for name, raw in fields_of(document, found.envelope).properties.items():
        schema = document.resolve(raw)
        if name in kind:
            yield name, kind[name]
        elif len(as_list(schema.get("enum"))) == 1:
            yield name, as_list(schema["enum"])[0]
        elif name == "url" and "format" not in schema:
            yield name, "{{ path }}"
        elif name == "metadata" and kind:
            yield name, {}


def _is_newest_first(listed: DocumentedOperation) -> bool:
    """Whether a list begins with what was made last."""
    order = words.first_of(words.ORDERS, listed.query)
    usual = listed.query[order].schema.get("default") if order else None
    return usual == "desc" or _NEWEST_FIRST.search(listed.description) is not None


def _delete_answer(document: OpenApiDocument, found: FoundCollection) -> JsonObject:
    """What a deletion answers, where that is no row: `{id, deleted: true}`."""
    success = found.row["DELETE"].success if "DELETE" in found.row else None
    if success is None or success.status != "200" or not success.schema:
        return {}
    fields = fields_of(document, success.schema).properties
    if found.key not in fields or len(fields) > _MOST_FIELDS_OF_DELETED:
        return {}
    made: JsonObject = {}
    for name, raw in fields.items():
        choice = as_list(document.resolve(raw).get("enum"))
        if name == found.key:
            made[name] = f"{{{{ row.{name} }}}}"
        elif len(choice) == 1:
            made[name] = choice[0]
        elif type_of(document, raw) == "boolean":
            made[name] = True
        else:
            return {}
    return made if len(made) > 1 else {}
