"""A declaration made of an OpenAPI document, with its schemas, its data and what is unsure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft202012Validator
from referencing.exceptions import Unresolvable

from mockserver.declared.openapi import words
from mockserver.declared.openapi.collections import FoundCollection, Verbs, found_collections
from mockserver.declared.openapi.document import (
    DocumentedOperation,
    OpenApiDocument,
    as_list,
    as_object,
    pattern_of,
)
from mockserver.declared.openapi.paging import list_form
from mockserver.declared.openapi.schemas import (
    SchemaExport,
    fields_of,
    sampled,
    shown_rows,
    type_of,
)
from mockserver.model import Json, JsonObject

_MOST_SEEDS = 20
_FOREIGN = "googleapis.com"
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")
_BEST_WAYS = ("bearer", "header", "query", "basic")
_ON_ROWS = {"GET": "list", "POST": "create"}
_ON_ROW = {"GET": "get", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}


@dataclass
class Draft:
    """What an OpenAPI document comes to.

    Attributes:
        declaration: The declaration in the form of its file, without its collections.
        collections: Its collections by name.
        unsure: Collection to what could not be told, as sentences without an end; the empty name
            is the API itself.
        schemas: File below the declaration's folder to JSON Schema.
        data: The rows of the base by collection.
        unserved: Operations that no collection answers.
    """

    declaration: JsonObject
    collections: dict[str, JsonObject] = field(default_factory=dict)
    unsure: dict[str, list[str]] = field(default_factory=dict)
    schemas: dict[str, JsonObject] = field(default_factory=dict)
    data: dict[str, list[JsonObject]] = field(default_factory=dict)
    unserved: list[DocumentedOperation] = field(default_factory=list)

    @property
    def whole(self) -> JsonObject:
        """The declaration with its collections, as its file says it."""
        return {**self.declaration, "collections": self.collections}


def draft_of(document: OpenApiDocument, name: str) -> Draft:
    """The declaration that a document comes to.

    Args:
        document: The document.
        name: What the API is called in method ids.
    """
    return _Drafting(document, name).draft


class _Drafting:
    def __init__(self, document: OpenApiDocument, name: str) -> None:
        self._document = document
        self._name = name
        hosts, base = _hosts(document.servers)
        self._prefix = prefix = _shared_prefix([each.path for each in document.operations])
        head: JsonObject = {"api": name}
        head |= {"title": document.title} if document.title else {}
        head |= {"version": document.version} if document.version else {}
        head |= {"hosts": hosts} if hosts else {}
        base_path = f"{base.rstrip('/')}{prefix}"
        head |= {"base_path": base_path} if base_path and not set(base_path) & set("{}?# ") else {}
        self.draft = Draft(head)
        if not hosts:
            self._doubt("", "the document names no host: give `hosts` what clients call")
        self._add_auth()
        shape = _error_shape(document)
        head |= {"errors": shape} if shape else {}
        by_pattern: dict[str, dict[str, DocumentedOperation]] = {}
        for each in document.operations:
            pattern = pattern_of(each.path)[len(prefix) :].rstrip("/")
            by_pattern.setdefault(pattern, {})[each.verb] = each
        self._served: set[int] = set()
        found = list(found_collections(document, by_pattern))
        for collection in found:
            self._add(collection, by_pattern)
        for collection in found:
            self._seed(collection)
        self.draft.unserved = [each for each in document.operations if id(each) not in self._served]

    def _doubt(self, name: str, text: str) -> None:
        self.draft.unsure.setdefault(name, []).append(text)

    # --- how callers prove who they are ---

    def _add_auth(self) -> None:
        document = self._document
        wanted = document.security or next(
            (each.security for each in document.operations if each.security), ()
        )
        ways = [_auth(document.schemes.get(each, {})) for names in wanted for each in names[:1]]
        best = next((way for key in _BEST_WAYS for way in ways if key in way), {})
        if best:
            self.draft.declaration["auth"] = best
        elif wanted:
            self._doubt("", "no security scheme has an equal: nobody is asked for a key")
        if any(len(names) > 1 for names in wanted):
            self._doubt("", "where several security schemes are needed, one is asked for")

    # --- collections ---

    def _add(self, found: FoundCollection, by_pattern: Mapping[str, Verbs]) -> None:
        made: JsonObject = {"key": found.key}
        if found.path != f"/{found.name}":
            made["path"] = found.path
        verbs = [word for verb, word in _ON_ROWS.items() if verb in found.rows]
        verbs += [word for verb, word in _ON_ROW.items() if verb in found.row]
        self._served.update(id(found.rows[verb]) for verb in _ON_ROWS if verb in found.rows)
        self._served.update(id(found.row[verb]) for verb in (*_ON_ROW, "HEAD") if verb in found.row)
        made |= self._parent(found)
        made |= self._key_form(found)
        if len(verbs) < len(_ON_ROWS) + len(_ON_ROW):
            made["operations"] = verbs
        if "replace" in verbs and "create" not in verbs:
            made["upsert"] = True
        if found.list_in:
            made["list_in"] = found.list_in
        if found.item_in:
            made["item_in"] = found.item_in
        if "GET" in found.rows:
            form = list_form(self._document, found.rows["GET"], found.envelope, found.fields)
            made |= form.settings
            found.unsure += form.unsure
        made |= self._statuses(found)
        made |= self._times(found)
        schema = self._row_schema(found)
        if schema:
            file = f"schemas/{self._name}/{found.name}.json"
            self.draft.schemas[file] = schema
            made["schema"] = file
        actions = dict(self._actions(found, by_pattern))
        if actions:
            made["actions"] = actions
        self.draft.collections[found.name] = made
        if found.unsure:
            self.draft.unsure[found.name] = found.unsure

    def _parent(self, found: FoundCollection) -> JsonObject:
        if found.parent is None:
            return {}
        outer = found.parent
        around = {each["field"] for each in self._parents_of(outer.name)}
        around |= {found.key}
        field_name = found.around
        clash = type_of(self._document, found.fields.get(field_name, {})) in {"object", "array"}
        if not field_name or clash or field_name in around:
            field_name = f"{words.singular(outer.name)}_key"
        found.around = field_name
        return {"parent": {"collection": outer.name, "field": field_name}}

    def _parents_of(self, name: str) -> Iterator[JsonObject]:
        parent = self.draft.collections[name].get("parent")
        while parent is not None:
            yield parent
            parent = self.draft.collections[parent["collection"]].get("parent")

    def _key_form(self, found: FoundCollection) -> JsonObject:
        """How keys are made, and what they are."""
        schema = self._document.resolved(found.fields.get(found.key, {}))
        kind = type_of(self._document, schema)
        create = found.rows.get("POST")
        body = fields_of(self._document, (create.body if create is not None else None) or {})
        if create is None:
            return {"key_type": "integer"} if kind == "integer" else {}
        sent = self._document.resolved(body.properties.get(found.key, {}))
        kind = kind or type_of(self._document, sent)
        if found.key in body.required and not sent.get("readOnly"):
            return {"key_type": "integer"} if kind == "integer" else {}
        if kind == "integer":
            return {"ids": "int"}
        if schema.get("format") == "uuid":
            return {"ids": "uuid"}
        example = schema.get("example")
        head = example.partition("_")[0] if isinstance(example, str) and "_" in example else ""
        if head.isalpha():
            return {"ids": f"{head}_{{{{seq}}}}"}
        if isinstance(example, str) and example.isdecimal():
            return {"ids": "{{seq | string}}"}
        if not kind:
            found.unsure.append("what a new key looks like is not said")
        return {"ids": "hex"}

    def _statuses(self, found: FoundCollection) -> JsonObject:
        made: JsonObject = {}
        create = found.rows["POST"].success if "POST" in found.rows else None
        if create is not None and create.status == "200":
            made["create_status"] = 200
        delete = found.row["DELETE"].success if "DELETE" in found.row else None
        if delete is not None and delete.status == "200":
            made["delete_status"] = 200
        return made

    def _times(self, found: FoundCollection) -> JsonObject:
        made: JsonObject = {}
        for setting, names in (
            ("created", ("created_at", "createdAt", "created_on", "dateCreated", "date_created",
                         "createTime", "creationDate", "created_time", "created")),
            ("updated", ("updated_at", "updatedAt", "updated_on", "dateUpdated", "date_updated",
                         "updateTime", "modified_at", "modifiedAt", "last_edited_time", "updated")),
        ):  # fmt: skip
            name = words.first_of(names, found.fields)
            schema = self._document.resolved(found.fields.get(name, {}))
            if name and schema.get("format") == "date-time":
                made[setting] = name
        return made

    # --- what rows must be ---

    def _row_schema(self, found: FoundCollection) -> JsonObject:
        """The JSON Schema of rows: what callers may send, held against what the document shows."""
        operation = found.rows.get("POST") or found.row.get("PUT")
        body = operation.body if operation is not None else None
        if not body:
            return {}
        inner = self._document.resolved(body)
        if found.item_in:
            named = fields_of(self._document, body).properties
            inner = named.get(found.item_in, inner)
        sent = fields_of(self._document, inner)
        if not sent.properties:
            return {}
        export = SchemaExport(self._document)
        properties = {name: export.converted(each) for name, each in sent.properties.items()}
        shown = list(self._shown(found))
        loose = []
        required = sorted(
            name
            for name in sent.required & set(properties)
            if not properties[name].get("readOnly") and (not found.fields or name in found.fields)
        )
        definitions = export.definitions()
        for name, schema in properties.items():
            whole = {**schema, "$defs": definitions} if definitions else schema
            if any(name in row and not _fits(row[name], whole) for row in shown):
                loose.append(name)
                properties[name] = {}
        if loose:
            found.unsure.append(f"examples do not fit the schema, which asks nothing of"
                                f" {', '.join(sorted(loose))}")  # fmt: skip
        dropped = [name for name in required if any(name not in row for row in shown)]
        if dropped:
            found.unsure.append(f"examples lack what is required: {', '.join(dropped)}")
        made: JsonObject = {"type": "object", "properties": properties}
        if set(required) - set(dropped):
            made["required"] = [name for name in required if name not in dropped]
        return {**made, "$defs": definitions} if definitions else made

    def _actions(
        self, found: FoundCollection, by_pattern: Mapping[str, Verbs]
    ) -> Iterator[tuple[str, JsonObject]]:
        """Paths below a row that change it: `POST /bookings/{id}/cancel`.

        Yields:
            Name and settings.
        """
        start = f"{found.pattern}/{{}}/"
        for pattern, verbs in by_pattern.items():
            last = pattern.removeprefix(start)
            known = pattern.startswith(start) and "/" not in last and "{" not in last
            operation = verbs.get("POST") or verbs.get("PUT")
            if not known or not last or "GET" in verbs or operation is None:
                continue
            if f"{pattern}/{{}}" in by_pattern:
                continue
            self._served.add(id(operation))
            name = words.collection_name(last)
            action: JsonObject = {"path": f"{operation.verb} {operation.path[len(self._prefix) :]}"}
            change = self._change(found, last)
            if change:
                action["set"] = change
            else:
                found.unsure.append(
                    f"the action {name!r} changes nothing until its `set` says what"
                )
            success = operation.success
            if success is not None and success.status in {"201", "202", "204"}:
                action["status"] = int(success.status)
            yield name, action

    def _change(self, found: FoundCollection, verb: str) -> JsonObject:
        """What an action changes, where a field has a value of its name: `cancelled` for cancel."""
        stem = verb.lower().rstrip("e")[:6]
        for name in ("status", "state"):
            schema = self._document.resolved(found.fields.get(name, {}))
            for value in as_list(schema.get("enum")):
                if isinstance(value, str) and value.lower().startswith(stem) and len(stem) > 2:
                    return {name: value}
        return {}

    # --- data ---

    def _shown(self, found: FoundCollection) -> Iterator[JsonObject]:
        """The rows that the document shows.

        Yields:
            Each, the first few.
        """
        rows: list[Json] = []
        listed = found.rows["GET"].success if "GET" in found.rows else None
        if listed is not None:
            for example in (*listed.examples, *shown_rows(self._document, listed.schema)):
                rows += as_list(_inside(example, found.list_in))
        for operation in (*found.row.values(), *found.rows.values()):
            success = operation.success
            if success is not None and operation is not found.rows.get("GET"):
                rows += [_inside(each, found.item_in) for each in success.examples]
        rows += shown_rows(self._document, found.schema)
        known = set(found.fields)
        for row in rows[: _MOST_SEEDS * 5]:
            if isinstance(row, dict) and (not known or known & set(row)):
                yield row

    def _seed(self, found: FoundCollection) -> None:
        """Put the rows that the document shows into the data of the base."""
        rows = list(self._shown(found))
        if not rows and found.fields and self._tells_values(found):
            made = sampled(self._document, found.schema)
            rows = [made] if isinstance(made, dict) else []
        around: JsonObject = {}
        outer = found.parent
        if outer is not None:
            first = next(iter(self.draft.data.get(outer.name, ())), None)
            if first is None:
                return
            fields = [found.around, *(each["field"] for each in self._parents_of(outer.name))]
            keys = [first[outer.key], *(first[name] for name in fields[1:])]
            around = dict(zip(fields, keys, strict=True))
        seeds: dict[str, JsonObject] = {}
        is_number = type_of(self._document, found.fields.get(found.key, {})) == "integer"
        for row in rows:
            key = row.get(found.key)
            is_key = isinstance(key, int if is_number else str | int) and not isinstance(key, bool)
            if is_key and key != "" and "/" not in str(key) and len(seeds) < _MOST_SEEDS:
                seeds.setdefault(str(key), {found.key: key, **row, **around})
        if seeds:
            self.draft.data[found.name] = list(seeds.values())

    def _tells_values(self, found: FoundCollection) -> bool:
        """Whether most fields of a row have an example of their own."""
        schemas = [self._document.resolved(each) for each in found.fields.values()]
        told = sum("example" in each or "examples" in each for each in schemas)
        return told * 2 >= len(schemas)


def _inside(value: Json, place: str) -> Json:
    for part in place.split(".") if place else ():
        value = as_object(value).get(part)
    return value


def _fits(value: Json, schema: JsonObject) -> bool:
    try:
        return Draft202012Validator(schema).is_valid(value)
    except (RecursionError, SchemaError, Unresolvable, TypeError):
        return False


def _hosts(servers: Sequence[str]) -> tuple[list[str], str]:
    """The hosts of some URLs, and the path of the first that has one."""
    hosts: dict[str, None] = {}
    base = ""
    for url in servers:
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
        except ValueError:
            continue
        base = base or parts.path
        is_sound = host and not set(host) - _HOST_CHARACTERS and "." in host
        if is_sound and host.strip(".-") == host and not f".{host}".endswith(f".{_FOREIGN}"):
            hosts.setdefault(host)
    return list(hosts), base if base.startswith("/") else ""


def _shared_prefix(paths: Sequence[str]) -> str:
    """The beginning that all paths share and that belongs to the base path: `/api/v1`."""
    if not paths:
        return ""
    found = ""
    split = [path.split("/")[1:] for path in paths]
    for number, segment in enumerate(split[0][:-1]):
        if not words.is_base(segment):
            break
        if any(len(each) <= number + 1 or each[number] != segment for each in split):
            break
        found += f"/{segment}"
    return found


def _auth(scheme: JsonObject) -> JsonObject:
    """The `auth` of a declaration for one security scheme; `{}` where there is none."""
    kind, where = scheme.get("type"), scheme.get("in")
    if kind == "apiKey" and where in {"header", "query"} and isinstance(scheme.get("name"), str):
        return {str(where): scheme["name"]}
    if kind == "basic" or (kind == "http" and str(scheme.get("scheme")).lower() == "basic"):
        return {"basic": True}
    if kind in {"oauth2", "openIdConnect"} or kind == "http":
        return {"bearer": True}
    return {}


_ERROR_WORDS = {
    "message": "{{message}}", "msg": "{{message}}", "detail": "{{message}}",
    "description": "{{message}}", "error_description": "{{message}}", "status": "{{status}}",
    "statuscode": "{{status}}", "status_code": "{{status}}", "reason": "{{reason}}",
    "type": "{{reason}}", "title": "{{title}}",
}  # fmt: skip


_ERROR_FIELDS = ("err", "fault", "meta", "data", "status", "response")


def _error_shape(document: OpenApiDocument) -> Any:
    """How errors are said, by the first answer of an error that names fields; None if none does."""
    for operation in document.operations[:200]:
        for response in operation.responses:
            if response.status[:1] not in {"4", "d"} or not response.schema:
                continue
            if "problem+json" in response.content_type:
                return "problem+json"
            shape = _error_fields(document, response.schema, 0)
            if "{{message}}" in str(shape):
                return {"shape": shape}
    return None


def _error_fields(document: OpenApiDocument, schema: JsonObject, depth: int) -> JsonObject:
    made: JsonObject = {}
    for name, each in fields_of(document, schema).properties.items():
        kind = type_of(document, each)
        if kind == "object" and depth < 2:
            inner = _error_fields(document, each, depth + 1)
            is_told = "{{message}}" in str(inner) and name.lower().startswith(_ERROR_FIELDS)
            made |= {name: inner} if is_told else {}
        elif kind == "array" and depth < 2 and name == "errors":
            items = as_object(document.resolved(each).get("items"))
            inner = _error_fields(document, items, depth + 1)
            made |= {name: [inner]} if inner else {}
        elif name in {"code", "error"} and kind in {"integer", "string"}:
            made[name] = "{{status}}" if kind == "integer" else "{{reason}}"
        elif name.lower() in _ERROR_WORDS and kind in {"string", "integer", ""}:
            made[name] = _ERROR_WORDS[name.lower()]
    return made
