"""A declaration made of an OpenAPI document, with its schemas, its data and what is unsure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft202012Validator
from referencing.exceptions import Unresolvable

from mockserver.collections.places import place_of, value_at, with_value
from mockserver.declared.documents import words
from mockserver.declared.documents.document import (
    DocumentedOperation,
    OpenApiDocument,
    pattern_of,
)
from mockserver.declared.documents.errors import error_shape
from mockserver.declared.documents.references import as_list, as_object
from mockserver.declared.documents.schemas import (
    SchemaExport,
    fields_of,
    sample_value,
    shown_rows,
    type_of,
)
from mockserver.declared.documents.servers import hosts_of, server_path
from mockserver.declared.forms import snake_case
from mockserver.declared.openapi.answers import answer_settings
from mockserver.declared.openapi.collections import (
    METADATA,
    FoundCollection,
    Verbs,
    found_collections,
)
from mockserver.declared.openapi.paging import list_form
from mockserver.model import Json, JsonObject

_MOST_SEEDS = 20
_JSON_SUFFIX = ".json"
_AUTHORIZATION = "authorization"
_HEXADECIMAL = re.compile(r"\^\(?(\w+)(?:\|\w+)*\)?\[0-9a-fA-F\]\{(\d{1,2})\}\$")
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
        source: What it was made of.
    """

    declaration: JsonObject
    collections: dict[str, JsonObject] = field(default_factory=dict)
    unsure: dict[str, list[str]] = field(default_factory=dict)
    schemas: dict[str, JsonObject] = field(default_factory=dict)
    data: dict[str, list[JsonObject]] = field(default_factory=dict)
    unserved: list[DocumentedOperation] = field(default_factory=list)
    source: str = "an OpenAPI document"

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
    return _DraftBuilder(document, name).draft


class _DraftBuilder:
    def __init__(self, document: OpenApiDocument, name: str) -> None:
        self._document = document
        self._name = name
        hosts, base = hosts_of(document), server_path(document)
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
        shape = error_shape(document)
        head |= {"errors": shape} if shape else {}
        by_pattern: dict[str, dict[str, DocumentedOperation]] = {}
        self._suffix = _suffix([each.path for each in document.operations])
        self._with_suffix: set[str] = set()
        for operation in document.operations:
            each = operation
            if self._suffix and operation.path.endswith(self._suffix):
                each = replace(operation, path=operation.path.removesuffix(self._suffix))
                self._with_suffix.add(each.id)
            pattern = pattern_of(each.path)[len(prefix) :].rstrip("/")
            by_pattern.setdefault(pattern, {})[each.verb] = each
        self._served: set[str] = set()
        found = list(found_collections(document, by_pattern))
        for collection in found:
            self._add(collection, by_pattern)
        for collection in found:
            self._seed(collection)
        self.draft.unserved = [each for each in document.operations if each.id not in self._served]

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
        if found.parent is not None and not self._can_have_rows(found.parent):
            found.parent, found.around = None, ""
        made: JsonObject = {"key": found.key}
        if found.path != f"/{found.name}":
            made["path"] = found.path
        first = next(iter((*found.row.values(), *found.rows.values())))
        if first.id in self._with_suffix:
            made["suffix"] = self._suffix
        made |= self._parent(found)
        made |= self._scope(found)
        made |= self._operations(found)
        made |= self._key_form(found)
        made |= {name: each for name, each in (("list_in", found.list_in),
                                               ("item_in", found.item_in)) if each}  # fmt: skip
        if "GET" in found.rows:
            form = list_form(self._document, found.rows["GET"], found.envelope, found.fields)
            made |= form.settings
            found.unsure += form.unsure
        found.answers = answer_settings(self._document, found, by_pattern)
        made |= self._statuses(found) | found.answers
        usual = {each["field"]: each["default"] for each in made.get("filters", {}).values()
                 if isinstance(each, dict) and "default" in each}  # fmt: skip
        made |= {"defaults": usual} if usual else {}
        made |= self._names_of_bodies(found)
        schema = self._row_schema(found)
        if schema:
            file = f"schemas/{self._name}/{found.name}.json"
            self.draft.schemas[file] = schema
            made["schema"] = file
        actions = dict(self._actions(found, by_pattern))
        made |= {"actions": actions} if actions else {}
        self.draft.collections[found.name] = made
        if found.unsure:
            self.draft.unsure[found.name] = found.unsure

    def _operations(self, found: FoundCollection) -> JsonObject:
        """What it can be asked, and by which verbs."""
        verbs = [word for verb, word in _ON_ROWS.items() if verb in found.rows]
        verbs += [word for verb, word in _ON_ROW.items() if verb in found.row]
        self._served.update(found.rows[verb].id for verb in _ON_ROWS if verb in found.rows)
        self._served.update(found.row[verb].id for verb in (*_ON_ROW, "HEAD") if verb in found.row)
        made: JsonObject = {}
        change = found.row.get("POST")
        if change is not None and not {"PUT", "PATCH"} & set(found.row):
            verbs.append("patch")
            self._served.add(change.id)
            made["patch_verb"] = "POST"
            made |= {"form_empty": "removed"} if _empties(self._document, change) else {}
        if len(verbs) < len(_ON_ROWS) + len(_ON_ROW):
            made["operations"] = verbs
        if "replace" in verbs and "create" not in verbs:
            made["upsert"] = True
        return made

    def _parent(self, found: FoundCollection) -> JsonObject:
        if found.parent is None:
            return {}
        outer = found.parent
        around = {each["field"] for each in self._parents_of(outer.name)}
        around |= {found.key}
        field_name = found.around
        if field_name not in found.fields and field_name in self._inner(found):
            field_name = f"{METADATA}.{field_name}"
        elif words.field_for(field_name, found.fields) not in {"", found.key}:
            field_name = words.field_for(field_name, found.fields)
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

    def _inner(self, found: FoundCollection) -> dict[str, JsonObject]:
        """The fields of the object of a row in which some APIs keep its name and place."""
        return fields_of(self._document, found.fields.get(METADATA, {})).properties

    def _can_have_rows(self, found: FoundCollection) -> bool:
        is_made = "POST" in found.rows or "PUT" in found.row
        return is_made or next(self._shown_rows(found), None) is not None

    def _scope(self, found: FoundCollection) -> JsonObject:
        """The fields that hold what a path says beside the rows around it."""
        of_rows, each = set(), found
        while each.parent is not None:
            of_rows.add(each.parent.pattern.count("{}"))
            each = each.parent
        taken = {
            found.key,
            found.around,
            *(each["field"] for each in self._parents_of_found(found)),
        }
        hidden: list[str] = []
        for number, name in enumerate(found.names):
            if number in of_rows:
                continue
            place = self._place_of(found, name)
            if not place or place in taken:
                place = name if name not in {*found.fields, *taken} else f"{name}_key"
                hidden.append(place)
            found.scope[name] = place
            taken.add(place)
        inherited = found.parent.scope if found.parent is not None else {}
        told = {name: place for name, place in found.scope.items()
                if place != name or name in inherited}  # fmt: skip
        made: JsonObject = {"scope": told} if told else {}
        return made | ({"hidden_fields": hidden} if hidden else {})

    def _parents_of_found(self, found: FoundCollection) -> Iterator[JsonObject]:
        return self._parents_of(found.parent.name) if found.parent is not None else iter(())

    def _place_of(self, found: FoundCollection, name: str) -> str:
        """The field of rows that a placeholder is about; empty where there is none."""
        own = words.field_for(name, found.fields)
        kind = type_of(self._document, found.fields.get(own, {}))
        if own and kind in {"string", "integer"}:
            return own
        inner = words.field_for(name, self._inner(found))
        if inner and not own:
            return f"{METADATA}.{inner}"
        if kind == "object" and "POST" not in found.rows and "GET" not in found.rows:
            fields = fields_of(self._document, found.fields[own]).properties
            named = words.first_of(words.NAMES, fields)
            return f"{own}.{named}" if named else ""
        return ""

    def _key_form(self, found: FoundCollection) -> JsonObject:
        """How keys are made, and what they are."""
        if "." in found.key:  # the names of such rows are what callers say
            return {}
        schema = self._document.resolve(found.fields.get(found.key, {}))
        kind = type_of(self._document, schema)
        create = found.rows.get("POST")
        body = fields_of(self._document, (create.body if create is not None else None) or {})
        if create is None:
            return {"key_type": "integer"} if kind == "integer" else {}
        sent = self._document.resolve(body.properties.get(found.key, {}))
        kind = kind or type_of(self._document, sent)
        if found.key in body.required and not sent.get("readOnly"):
            return {"key_type": "integer"} if kind == "integer" else {}
        ids = _ids(kind, schema)
        if not ids and not kind:
            found.unsure.append("what a new key looks like is not said")
        return {"ids": ids or "hex"}

    def _statuses(self, found: FoundCollection) -> JsonObject:
        made: JsonObject = {}
        create = found.rows["POST"].success if "POST" in found.rows else None
        if create is not None and create.status == "200":
            made["create_status"] = 200
        delete = found.row["DELETE"].success if "DELETE" in found.row else None
        is_told = delete is not None and delete.status == "200"
        if is_told and "delete_answer" not in found.answers:
            made["delete_status"] = 200
        return made

    def _names_of_bodies(self, found: FoundCollection) -> JsonObject:
        """Which names callers send that rows do not have: in capitals, or for the answer alone."""
        create = found.rows.get("POST")
        body = (create.body if create is not None else None) or {}
        sent = list(fields_of(self._document, body).properties)
        if not sent or not found.fields or found.item_in:
            return {}
        same = sum(name in found.fields for name in sent)
        if sum(snake_case(name) in found.fields for name in sent) > same:
            found.names_are_snake_case = True
            return {"body_names": "snake_case"}
        extra = [name for name in ("expand",) if name in sent and name not in found.fields]
        return {"readonly_fields": extra} if extra else {}

    # --- what rows must be ---

    def _row_schema(self, found: FoundCollection) -> JsonObject:
        """The JSON Schema of rows: what callers may send, held against what the document shows."""
        operation = found.rows.get("POST") or found.row.get("PUT")
        body = operation.body if operation is not None else None
        if not body:
            return {}
        change = found.row.get("PATCH") or found.row.get("POST")
        inner = self._document.resolve(body)
        if found.item_in:
            named = fields_of(self._document, body).properties
            inner = named.get(found.item_in, inner)
        sent = fields_of(self._document, inner)
        if not sent.properties:
            return {}
        if found.names_are_snake_case:
            sent.properties = {snake_case(name): each for name, each in sent.properties.items()}
            sent.required = {snake_case(name) for name in sent.required}
        if change is not None and change.body and not found.item_in:
            for name, each in fields_of(self._document, change.body).properties.items():
                own = snake_case(name) if found.names_are_snake_case else name
                sent.properties.setdefault(own, each)
        export = SchemaExport(self._document)
        properties = {name: export.convert(each) for name, each in sent.properties.items()}
        shown = list(self._shown_rows(found))
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
            self._served.add(operation.id)
            name = words.collection_name(last)
            suffix = self._suffix if operation.id in self._with_suffix else ""
            path = f"{operation.path[len(self._prefix) :]}{suffix}"
            action: JsonObject = {"path": f"{operation.verb} {path}"}
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
            schema = self._document.resolve(found.fields.get(name, {}))
            for value in as_list(schema.get("enum")):
                if isinstance(value, str) and value.lower().startswith(stem) and len(stem) > 2:
                    return {name: value}
        return {}

    # --- data ---

    def _shown_rows(self, found: FoundCollection) -> Iterator[JsonObject]:
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
        rows = list(self._shown_rows(found))
        if not rows and found.fields and self._shows_values(found):
            made = sample_value(self._document, found.schema)
            rows = [made] if isinstance(made, dict) else []
        around = self._seed_places(found)
        if around is None:
            return
        made_again = {name for name, each in found.answers.get("answer_fields", {}).items()
                      if "{{" in str(each)}  # fmt: skip
        seeds: dict[str, JsonObject] = {}
        is_number = type_of(self._document, found.fields.get(found.key, {})) == "integer"
        key_place = place_of(found.key)
        for row in rows:
            key = value_at(row, key_place)
            is_key = isinstance(key, int if is_number else str | int) and not isinstance(key, bool)
            if is_key and key != "" and "/" not in str(key) and len(seeds) < _MOST_SEEDS:
                seed = {name: each for name, each in row.items() if name not in made_again}
                if len(key_place) == 1:
                    seed = {found.key: key, **seed}
                for place, value in around.items():
                    if value is not None or value_at(seed, place_of(place)) is None:
                        seed = with_value(seed, place_of(place), value)
                if all(value_at(seed, place_of(place)) is not None for place in around):
                    seeds.setdefault(str(key), seed)
        if seeds:
            self.draft.data[found.name] = list(seeds.values())

    def _seed_places(self, found: FoundCollection) -> JsonObject | None:
        """Where the shown rows of a collection stand: the first row around them, and its place.

        Returns:
            Field to value, null where the rows themselves tell it; None where no row is around.
        """
        scope: JsonObject = dict.fromkeys(found.scope.values())
        outer = found.parent
        if outer is None:
            return {**scope}
        first = next(iter(self.draft.data.get(outer.name, ())), None)
        if first is None:
            return None
        fields = [found.around, *(each["field"] for each in self._parents_of(outer.name))]
        keys = [value_at(first, place_of(outer.key)),
                *(value_at(first, place_of(name)) for name in fields[1:])]  # fmt: skip
        inherited = {found.scope[name]: value_at(first, place_of(place))
                     for name, place in outer.scope.items() if name in found.scope}  # fmt: skip
        return {**scope, **inherited, **dict(zip(fields, keys, strict=True))}

    def _shows_values(self, found: FoundCollection) -> bool:
        """Whether most fields of a row have an example of their own."""
        schemas = [self._document.resolve(each) for each in found.fields.values()]
        told = sum("example" in each or "examples" in each for each in schemas)
        return told * 2 >= len(schemas)


def _ids(kind: str, schema: JsonObject) -> str:
    """How new keys are made of which a schema is known; empty where it does not say."""
    if kind == "integer":
        return "int"
    if schema.get("format") == "uuid":
        return "uuid"
    pattern = _HEXADECIMAL.fullmatch(str(schema.get("pattern", "")))
    if pattern is not None:
        return f"{pattern[1]}{{{{ hex({pattern[2]}) }}}}"
    example = schema.get("example")
    if not isinstance(example, str):
        return ""
    head = example.partition("_")[0] if "_" in example else ""
    if head.isalpha():
        return f"{head}_{{{{seq}}}}"
    return "{{seq | string}}" if example.isdecimal() else ""


def _inside(value: Json, place: str) -> Json:
    for part in place.split(".") if place else ():
        value = as_object(value).get(part)
    return value


def _fits(value: Json, schema: JsonObject) -> bool:
    try:
        return Draft202012Validator(schema).is_valid(value)
    except (RecursionError, SchemaError, Unresolvable, TypeError):
        return False


def _suffix(paths: Sequence[str]) -> str:
    """What most paths end in: `.json`; empty where there is nothing."""
    ends = sum(path.endswith(_JSON_SUFFIX) for path in paths)
    bare = {path.removesuffix(_JSON_SUFFIX) for path in paths if path.endswith(_JSON_SUFFIX)}
    return _JSON_SUFFIX if ends * 2 > len(paths) and not bare & set(paths) else ""


def _empties(document: OpenApiDocument, operation: DocumentedOperation) -> bool:
    """Whether an empty text takes a field of a form away, by a choice of nothing else."""
    for each in fields_of(document, operation.body or {}).properties.values():
        parts = (document.resolve(part) for part in as_list(each.get("anyOf")))
        if any(part.get("enum") == [""] for part in parts):
            return True
    return False


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
    if kind == "apiKey" and where == "header" and str(scheme.get("name")).lower() == _AUTHORIZATION:
        return {"bearer": True}
    if kind == "apiKey" and where in {"header", "query"} and isinstance(scheme.get("name"), str):
        return {str(where): scheme["name"]}
    if kind == "basic" or (kind == "http" and str(scheme.get("scheme")).lower() == "basic"):
        return {"basic": True}
    if kind in {"oauth2", "openIdConnect"} or kind == "http":
        return {"bearer": True}
    return {}
