"""A declaration made of an OpenAPI document, with its schemas, its data and what is unsure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft202012Validator
from referencing.exceptions import Unresolvable

from mockserver.collections.places import place_of, value_at, with_value
from mockserver.declared.documents import words
from mockserver.declared.documents.document import (
    NO_OPERATION,
    DocumentedOperation,
    OpenApiDocument,
    pattern_of,
)
from mockserver.declared.documents.errors import error_shape
from mockserver.declared.documents.schemas import SchemaExport, sample_value
from mockserver.declared.documents.serving import yaml_lines
from mockserver.declared.forms import snake_case
from mockserver.declared.keywords import Schema, as_list
from mockserver.declared.openapi.answers import answer_settings
from mockserver.declared.openapi.collections import (
    METADATA,
    FoundCollection,
    field_of,
    found_collections,
    shown_rows,
)
from mockserver.declared.openapi.paging import list_settings
from mockserver.model import Json, JsonObject

_MOST_SEEDS = 20
_JSON_SUFFIX = ".json"
_HEXADECIMAL = re.compile(r"\^\(?(\w+)(?:\|\w+)*\)?\[0-9a-fA-F\]\{(\d{1,2})\}\$")
_BEST_WAYS = ("bearer", "header", "query", "basic")


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
        paths = [each.path for each in document.operations]
        self._prefix = _shared_prefix(paths)
        base_path = f"{document.server_path}{self._prefix}"
        head: JsonObject = {
            "title": document.title,
            "version": document.version,
            "hosts": list(document.hosts),
            "base_path": base_path if not set(base_path) & set("{}?# ") else "",
        }
        self.draft = Draft({"api": name} | {key: each for key, each in head.items() if each})
        if not document.hosts:
            self._doubt("", "the document names no host: give `hosts` what clients call")
        self._add_auth()
        shape = error_shape(document)
        self.draft.declaration |= {"errors": shape} if shape else {}
        self._suffix = _suffix(paths)
        self._with_suffix: set[str] = set()
        self._by_pattern: dict[str, dict[str, DocumentedOperation]] = {}
        for operation in document.operations:
            each = operation
            if self._suffix and each.path.endswith(self._suffix):
                self._with_suffix.add(each.id)
                each = replace(operation, path=each.path.removesuffix(self._suffix))
            pattern = pattern_of(each.path)[len(self._prefix) :].rstrip("/")
            self._by_pattern.setdefault(pattern, {})[each.verb] = each
        self._served: set[str] = set()
        found = list(found_collections(self._by_pattern))
        for collection in found:
            self._add(collection)
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

    def _add(self, found: FoundCollection) -> None:
        outer = found.parent
        is_filled = outer is None or "POST" in outer.rows or "PUT" in outer.row
        if outer is not None and not is_filled and next(shown_rows(outer), None) is None:
            found.parent, found.around = None, ""
        made: JsonObject = {"key": found.key}
        if found.path != f"/{found.name}":
            made["path"] = found.path
        if found.operations[0].id in self._with_suffix:
            made["suffix"] = self._suffix
        made |= self._parent(found)
        made |= self._scope(found)
        made |= self._operations(found)
        made |= _key_form(found)
        places = {"list_in": found.list_in, "item_in": found.item_in}
        made |= {name: each for name, each in places.items() if each}
        if "GET" in found.rows:
            made |= list_settings(found)
        found.answers = answer_settings(found, self._by_pattern)
        made |= _statuses(found) | found.answers
        usual = {each["field"]: each["default"] for each in made.get("filters", {}).values()
                 if isinstance(each, dict) and "default" in each}  # fmt: skip
        made |= {"defaults": usual} if usual else {}
        made |= _names_of_bodies(found)
        schema = _row_schema(found)
        if schema:
            made["schema"] = f"schemas/{self._name}/{found.name}.json"
            self.draft.schemas[made["schema"]] = schema
        actions = dict(self._actions(found))
        made |= {"actions": actions} if actions else {}
        self.draft.collections[found.name] = made
        if found.unsure:
            self.draft.unsure[found.name] = found.unsure

    def _operations(self, found: FoundCollection) -> JsonObject:
        """What it can be asked, and by which verbs."""
        made: JsonObject = {}
        asked = [
            (word, verbs[verb])
            for verbs, meanings in ((found.rows, words.ON_ROWS), (found.row, words.ON_ROW))
            for verb, word in meanings.items()
            if verb in verbs
        ]
        change = found.row.get("POST")
        if change is not None and not {"PUT", "PATCH"} & set(found.row):
            asked.append(("patch", change))
            made["patch_verb"] = "POST"
            made |= {"form_empty": "removed"} if _empties(change) else {}
        self._served.update(each.id for _, each in asked)
        self._served.add(found.row.get("HEAD", NO_OPERATION).id)
        verbs = [word for word, _ in asked]
        if len(verbs) < len(words.ON_ROWS) + len(words.ON_ROW):
            made["operations"] = verbs
        if "replace" in verbs and "create" not in verbs:
            made["upsert"] = True
        return made

    def _parent(self, found: FoundCollection) -> JsonObject:
        if found.parent is None:
            return {}
        taken = {*self._parent_fields(found.parent.name), found.key}
        name = found.around
        if name not in found.fields and name in found.inner:
            name = f"{METADATA}.{name}"
        elif words.field_for(name, found.fields) not in {"", found.key}:
            name = words.field_for(name, found.fields)
        if not name or found.schema_of(name).kind in {"object", "array"} or name in taken:
            name = f"{words.singular(found.parent.name)}_key"
        found.around = name
        return {"parent": {"collection": found.parent.name, "field": name}}

    def _parent_fields(self, name: str) -> Iterator[str]:
        """The fields of rows of a collection that name the rows around them.

        Yields:
            Each, from the inside.
        """
        while "parent" in self.draft.collections[name]:
            parent = self.draft.collections[name]["parent"]
            yield parent["field"]
            name = parent["collection"]

    def _scope(self, found: FoundCollection) -> JsonObject:
        """The fields that hold what a path says beside the rows around it."""
        of_rows, each = set(), found
        while each.parent is not None:
            of_rows.add(each.parent.pattern.count("{}"))
            each = each.parent
        outer = found.parent
        taken = {found.key, found.around, *(self._parent_fields(outer.name) if outer else ())}
        hidden: list[str] = []
        for number, name in enumerate(found.names):
            if number in of_rows:
                continue
            place = field_of(found, name)
            if not place or place in taken:
                place = name if name not in {*found.fields, *taken} else f"{name}_key"
                hidden.append(place)
            found.scope[name] = place
            taken.add(place)
        inherited = outer.scope if outer is not None else {}
        told = {name: place for name, place in found.scope.items()
                if place != name or name in inherited}  # fmt: skip
        made: JsonObject = {"scope": told} if told else {}
        return made | ({"hidden_fields": hidden} if hidden else {})

    def _actions(self, found: FoundCollection) -> Iterator[tuple[str, JsonObject]]:
        """Paths below a row that change it: `POST /bookings/{id}/cancel`.

        Yields:
            Name and settings.
        """
        start = f"{found.pattern}/{{}}/"
        for pattern, verbs in self._by_pattern.items():
            last = pattern.removeprefix(start)
            operation = verbs.get("POST") or verbs.get("PUT")
            if not pattern.startswith(start) or not last or set(last) & set("/{"):
                continue
            if "GET" in verbs or operation is None or f"{pattern}/{{}}" in self._by_pattern:
                continue
            self._served.add(operation.id)
            name = words.collection_name(last)
            suffix = self._suffix if operation.id in self._with_suffix else ""
            path = f"{operation.path[len(self._prefix) :]}{suffix}"
            action: JsonObject = {"path": f"{operation.verb} {path}"}
            change = _change(found, last)
            if change:
                action["set"] = change
            else:
                found.unsure.append(
                    f"the action {name!r} changes nothing until its `set` says what"
                )
            if operation.success.status in {"201", "202", "204"}:
                action["status"] = int(operation.success.status)
            yield name, action

    # --- data ---

    def _seed(self, found: FoundCollection) -> None:
        """Put the rows that the document shows into the data of the base."""
        rows = list(shown_rows(found))
        told = sum("example" in each.whole or "examples" in each.whole
                   for each in found.fields.values())  # fmt: skip
        if not rows and found.fields and told * 2 >= len(found.fields):
            made = sample_value(found.schema)
            rows = [made] if isinstance(made, dict) else []
        around = self._seed_places(found)
        if around is None:
            return
        made_again = {name for name, each in found.answers.get("answer_fields", {}).items()
                      if "{{" in str(each)}  # fmt: skip
        seeds: dict[str, JsonObject] = {}
        kinds = int if found.schema_of(found.key).kind == "integer" else str | int
        key_place = place_of(found.key)
        for row in rows:
            key = value_at(row, key_place)
            is_key = isinstance(key, kinds) and not isinstance(key, bool)
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
            return scope
        first = next(iter(self.draft.data.get(outer.name, ())), None)
        if first is None:
            return None
        inherited = {found.scope[name]: place for name, place in outer.scope.items()
                     if name in found.scope}  # fmt: skip
        fields = {each: each for each in self._parent_fields(outer.name)}
        places = {**inherited, found.around: outer.key, **fields}
        return {**scope, **{name: value_at(first, place_of(place))
                            for name, place in places.items()}}  # fmt: skip


def _key_form(found: FoundCollection) -> JsonObject:
    """How keys are made, and what they are."""
    if "." in found.key:  # the names of such rows are what callers say
        return {}
    schema, body = found.schema_of(found.key), found.creation.sent
    sent = body.fields.get(found.key, Schema())
    is_made = "POST" in found.rows
    kind = schema.kind or (sent.kind if is_made else "")
    if not is_made or (found.key in body.required and not sent.get("readOnly")):
        return {"key_type": "integer"} if kind == "integer" else {}
    ids = _ids(kind, schema)
    if not ids and not kind:
        found.unsure.append("what a new key looks like is not said")
    return {"ids": ids or "hex"}


def _ids(kind: str, schema: Schema) -> str:
    """How new keys are made of which a schema is known; empty where it does not say."""
    if kind == "integer":
        return "int"
    if schema.get("format") == "uuid":
        return "uuid"
    pattern = _HEXADECIMAL.fullmatch(str(schema.get("pattern")))
    if pattern is not None:
        return f"{pattern[1]}{{{{ hex({pattern[2]}) }}}}"
    example = schema.get("example")
    if not isinstance(example, str):
        return ""
    head, line, _ = example.partition("_")
    if line and head.isalpha():
        return f"{head}_{{{{seq}}}}"
    return "{{seq | string}}" if example.isdecimal() else ""


def _statuses(found: FoundCollection) -> JsonObject:
    made: JsonObject = {}
    if found.creation.success.status == "200":
        made["create_status"] = 200
    if found.deletion.success.status == "200" and "delete_answer" not in found.answers:
        made["delete_status"] = 200
    return made


def _names_of_bodies(found: FoundCollection) -> JsonObject:
    """Which names callers send that rows do not have: in capitals, or for the answer alone."""
    sent = found.creation.sent.fields
    if not sent or not found.fields or found.item_in:
        return {}
    same = sum(name in found.fields for name in sent)
    if sum(snake_case(name) in found.fields for name in sent) > same:
        found.names_are_snake_case = True
        return {"body_names": "snake_case"}
    extra = [name for name in ("expand",) if name in sent and name not in found.fields]
    return {"readonly_fields": extra} if extra else {}


def _row_schema(found: FoundCollection) -> JsonObject:
    """The JSON Schema of rows: what callers may send, held against what the document shows."""
    sent = found.sent.fields.get(found.item_in, found.sent) if found.item_in else found.sent
    if not sent.fields:
        return {}
    name_of = snake_case if found.names_are_snake_case else str
    fields = {name_of(name): each for name, each in sent.fields.items()}
    change = found.row.get("PATCH") or found.row.get("POST") or NO_OPERATION
    if not found.item_in:
        more = {name_of(name): each for name, each in change.sent.fields.items()}
        fields |= {name: each for name, each in more.items() if name not in fields}
    export = SchemaExport()
    properties = {name: export.convert(each) for name, each in fields.items()}
    shown = list(shown_rows(found))
    required = sorted(
        name
        for name in {name_of(each) for each in sent.required} & set(properties)
        if not properties[name].get("readOnly") and (not found.fields or name in found.fields)
    )
    definitions = export.definitions()
    shared: JsonObject = {"$defs": definitions} if definitions else {}
    loose = [
        name
        for name, schema in properties.items()
        if any(name in row and not _fits(row[name], {**schema, **shared}) for row in shown)
    ]
    if loose:
        properties |= {name: {} for name in loose}
        found.unsure.append(f"examples do not fit the schema, which asks nothing of"
                            f" {', '.join(sorted(loose))}")  # fmt: skip
    dropped = [name for name in required if any(name not in row for row in shown)]
    if dropped:
        found.unsure.append(f"examples lack what is required: {', '.join(dropped)}")
    made: JsonObject = {"type": "object", "properties": properties}
    if set(required) - set(dropped):
        made["required"] = [name for name in required if name not in dropped]
    return made | shared


def _change(found: FoundCollection, verb: str) -> JsonObject:
    """What an action changes, where a field has a value of its name: `cancelled` for cancel."""
    stem = verb.lower().rstrip("e")[:6]
    for name in ("status", "state"):
        for value in found.schema_of(name).choice:
            if isinstance(value, str) and value.lower().startswith(stem) and len(stem) > 2:
                return {name: value}
    return {}


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


def _empties(operation: DocumentedOperation) -> bool:
    """Whether an empty text takes a field of a form away, by a choice of nothing else."""
    return any(
        Schema(part, each.root).choice == [""]
        for each in operation.sent.fields.values()
        for part in as_list(each.raw.get("anyOf"))
    )


def _shared_prefix(paths: Sequence[str]) -> str:
    """The beginning that all paths share and that belongs to the base path: `/api/v1`."""
    found = ""
    for same in zip(*(path.split("/")[1:-1] for path in paths), strict=False):
        if len(set(same)) > 1 or not words.is_base(same[0]):
            break
        found += f"/{same[0]}"
    return found


def _auth(scheme: JsonObject) -> JsonObject:
    """The `auth` of a declaration for one security scheme; `{}` where there is none."""
    kind, where, name = scheme.get("type"), scheme.get("in"), scheme.get("name")
    way = str(scheme.get("scheme")).lower() if kind == "http" else kind
    if kind == "apiKey" and where in {"header", "query"} and isinstance(name, str):
        is_bearer = where == "header" and name.lower() == "authorization"
        return {"bearer": True} if is_bearer else {str(where): name}
    if way == "basic":
        return {"basic": True}
    return {"bearer": True} if kind in {"oauth2", "openIdConnect", "http"} else {}


# --- its file ---


def declaration_text(draft: Draft) -> str:
    """The file of a declaration; its comments say what could not be told."""
    return "\n".join(_lines(draft)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield f"# Made of {draft.source}. A comment says what could not be told: correct it there."
    for text in draft.unsure.get("", ()):
        yield f"# unsure: {' '.join(text.split())}"
    for key, value in draft.declaration.items():
        yield from yaml_lines(key, value)
    yield "collections:" if draft.collections else "collections: {}"
    for name, collection in draft.collections.items():
        yield ""
        for text in draft.unsure.get(name, ()):
            yield f"  # unsure: {' '.join(text.split())}"
        for line in yaml_lines(name, collection):
            yield f"  {line}".rstrip()
