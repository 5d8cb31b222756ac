"""What answers of a documented collection have beside the rows that callers send."""

import re
from collections.abc import Collection, Iterator

from mockserver.declared.documents import words
from mockserver.declared.documents.document import DocumentedOperation
from mockserver.declared.keywords import Schema, as_list, as_object
from mockserver.declared.openapi.collections import METADATA, FoundCollection
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


def answer_settings(found: FoundCollection, paths: Collection[str]) -> JsonObject:
    """Keys of a collection that say what its answers have beside what callers send.

    Args:
        found: The collection.
        paths: All paths of the document below the base path, with `{}` for placeholders.
    """
    times = _times(found)
    known = {str(times.get("created")), str(times.get("updated")), found.key}
    made: JsonObject = {
        "answer_fields": dict(_answer_fields(found, paths, known)),
        "list_fields": dict(_list_fields(found.envelope)) if found.list_in else {},
        "newest_first": _is_newest_first(found.listing),
        "delete_answer": _delete_answer(found),
    }
    return times | {name: each for name, each in made.items() if each}


def _times(found: FoundCollection) -> JsonObject:
    made: JsonObject = {}
    forms: dict[str, str] = {}
    for setting, names in (("created", _CREATED), ("updated", _UPDATED)):
        for known, prefix in ((found.fields, ""), (found.inner, f"{METADATA}.")):
            name = words.first_of(names, known)
            form = _TIME_FORMATS.get(str(known[name].get("format")), "") if name else ""
            if form:
                made[setting], forms[setting] = f"{prefix}{name}", form
                break
    form = forms.get("created") or forms.get("updated", "")
    made = {setting: each for setting, each in made.items() if forms[setting] == form}
    return made | ({"time_format": form} if form not in {"", "rfc3339"} else {})


def _answer_fields(
    found: FoundCollection, paths: Collection[str], known: set[str]
) -> Iterator[tuple[str, Json]]:
    """What a row says where its data do not.

    Yields:
        Field and value, or template.
    """
    sent = found.creation.sent.fields
    # what a creation answers is a row that is there, and reading may answer others too
    created = Schema() if found.item_in else found.creation.success.schema
    whole = created or found.schema
    kind, required = _kind(found.schema), whole.required
    for name, schema in found.fields.items():
        if name in known or name not in whole.fields:
            continue
        if name in kind:
            yield name, kind[name]
        elif schema.get("format") in _URL_FORMATS and schema.kind == "string":
            address = _address(found, name, paths)
            if address:
                yield name, address
        elif len(schema.choice) == 1:
            yield name, schema.choice[0]
        elif _is_nullable({**schema.whole, **schema.raw}):
            yield name, None
        elif name in required or (name in sent and _is_map(schema)):
            own = sent.get(name, Schema()).raw
            told = f"{own.get('description')} {schema.get('description')}"
            full = Schema({**own, **schema.whole, "description": told}, schema.root)
            yield from _usual_value(found, name, full)


def _address(found: FoundCollection, name: str, paths: Collection[str]) -> str:
    if not found.row:
        return ""
    if name.lower() in _ADDRESSES:
        return "{{ url }}"
    below = name.removesuffix("_url").removesuffix("Url")
    return f"{{{{ url }}}}/{below}" if f"{found.pattern}/{{}}/{below}" in paths else ""


def _usual_value(found: FoundCollection, name: str, schema: Schema) -> Iterator[tuple[str, Json]]:
    """A value of a field that every row has, where one can be told.

    Yields:
        Field and value, or nothing.
    """
    kind = schema.kind
    if "default" in schema.raw:
        yield name, schema.raw["default"]
    elif kind == "boolean":
        told = _DEFAULT_TRUTH.search(schema.raw["description"])
        yield name, told is not None and told[1] == "true"
    elif kind == "array":
        yield name, []
    elif _is_map(schema):
        yield name, {}
    elif kind == "integer" and name == "id" and "." not in found.key:
        is_number = found.schema_of(found.key).kind == "integer"
        yield name, f"{{{{ row.{found.key} }}}}" if is_number else 1
    elif kind == "integer":
        least = schema.raw.get("minimum")
        yield name, least if isinstance(least, int) else 0


def _is_map(schema: Schema) -> bool:
    """Whether an object has whatever fields callers give it: metadata, labels."""
    return schema.kind == "object" and not schema.fields


def _is_nullable(schema: JsonObject) -> bool:
    kind = schema.get("type")
    return schema.get("nullable") is True or (isinstance(kind, list) and "null" in kind)


def _kind(schema: Schema) -> JsonObject:
    told = as_list(schema.get(_KINDS))
    one = as_object(told[0]) if len(told) == 1 else {}
    if not one.get("kind") or not one.get("version"):
        return {}
    group = f"{one['group']}/" if one.get("group") else ""
    return {"apiVersion": f"{group}{one['version']}", "kind": str(one["kind"])}


def _list_fields(envelope: Schema) -> Iterator[tuple[str, Json]]:
    """What the envelope of a list says beside its rows and its pages.

    Yields:
        Field and value, or template.
    """
    kind = _kind(envelope)
    for name, schema in envelope.fields.items():
        if name in kind:
            yield name, kind[name]
        elif len(schema.choice) == 1:
            yield name, schema.choice[0]
        elif name == "url" and "format" not in schema.whole:
            yield name, "{{ path }}"
        elif name == METADATA and kind:
            yield name, {}


def _is_newest_first(listing: DocumentedOperation) -> bool:
    """Whether a list begins with what was made last."""
    order = words.first_of(words.ORDERS, listing.query)
    usual = listing.query[order].schema.get("default") if order else None
    return usual == "desc" or _NEWEST_FIRST.search(listing.description) is not None


def _delete_answer(found: FoundCollection) -> JsonObject:
    """What a deletion answers, where that is no row: `{id, deleted: true}`."""
    success = found.deletion.success
    fields = success.schema.fields if success.status == "200" else {}
    if found.key not in fields or len(fields) > _MOST_FIELDS_OF_DELETED:
        return {}
    made: JsonObject = {}
    for name, schema in fields.items():
        if name == found.key:
            made[name] = f"{{{{ row.{name} }}}}"
        elif len(schema.choice) == 1:
            made[name] = schema.choice[0]
        elif schema.kind == "boolean":
            made[name] = True
        else:
            return {}
    return made if len(made) > 1 else {}
