"""The collections of an OpenAPI document: paths that list, create, read, change and delete rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mockserver.declared.documents import words
from mockserver.declared.documents.document import (
    DocumentedOperation,
    OpenApiDocument,
    Response,
    is_placeholder,
)
from mockserver.declared.documents.references import as_object
from mockserver.declared.documents.schemas import fields_of, type_of
from mockserver.model import JsonObject

METADATA = "metadata"
"""The object of a row in which some APIs keep its name and its place."""

Verbs = Mapping[str, DocumentedOperation]


@dataclass(eq=False)
class FoundCollection:
    """A collection as the paths of a document tell it.

    Attributes:
        name: Its name.
        pattern: Its path below the base path, with `{}` for placeholders.
        rows: The operations of its path by verb.
        row: The operations of the path of one row by verb.
        parent: The collection that it is nested in, or None.
        around: The name of the placeholder of the parent's row; empty without a parent.
        names: The names of the placeholders of its path, in order.
        placeholder: The name of the placeholder of its own rows; empty where no path has one.
        suffix: What its paths end in: `.json`.
        schema: The schema of a row, `{}` where it is not said.
        fields: The fields of a row.
        list_in: The field of a list's answer that holds the rows.
        item_in: The field of a single row's answer that holds the row.
        envelope: The schema of a list's answer, `{}` where that is a bare array.
        key: The field that names a row.
        scope: Placeholder to the field that holds its value, of those that name no row.
        answers: What its answers have beside what callers send, as keys of the collection.
        names_are_snake_case: Whether what callers send is called otherwise than what rows have.
        unsure: What could not be told, as sentences without an end.
    """

    name: str
    pattern: str
    rows: Verbs
    row: Verbs
    parent: "FoundCollection | None" = None
    around: str = ""
    names: tuple[str, ...] = ()
    placeholder: str = ""
    suffix: str = ""
    schema: JsonObject = field(default_factory=dict)
    fields: Mapping[str, JsonObject] = field(default_factory=dict)
    list_in: str = ""
    item_in: str = ""
    envelope: JsonObject = field(default_factory=dict)
    key: str = "id"
    scope: dict[str, str] = field(default_factory=dict)
    answers: JsonObject = field(default_factory=dict)
    names_are_snake_case: bool = False
    unsure: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Its path below the base path or below the parent's row."""
        below = self.pattern[len(f"{self.parent.pattern}/{{}}") if self.parent else 0 :]
        own = self.own_names
        for name in own:
            below = below.replace("{}", f"{{{name}}}", 1)
        return below

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names of the placeholders of `path`."""
        return self.names[self.parent.pattern.count("{}") + 1 if self.parent else 0 :]


def found_collections(
    document: OpenApiDocument, by_pattern: Mapping[str, Verbs]
) -> Iterator[FoundCollection]:
    """The collections of a document.

    Args:
        document: The document.
        by_pattern: Its operations by path and verb; paths have `{}` for placeholders.

    Yields:
        Each after the one that it is nested in.
    """
    made: dict[str, FoundCollection] = {}
    taken: set[str] = set()
    for pattern in sorted(_candidates(document, by_pattern), key=lambda each: each.count("/")):
        if "{" in pattern.replace("/{}", "/"):
            continue
        parent = _parent(pattern, made)
        below = pattern[len(f"{parent.pattern}/{{}}") if parent else 0 :]
        if "{" in below and not _is_used(pattern, by_pattern):
            continue
        name = _free_name(pattern, parent, taken)
        found = FoundCollection(
            name,
            pattern,
            by_pattern.get(pattern, {}),
            by_pattern.get(f"{pattern}/{{}}", {}),
            parent,
        )
        _complete(document, found)
        made[pattern] = found
        yield found


def _is_used(pattern: str, by_pattern: Mapping[str, Verbs]) -> bool:
    """Whether callers do more with a path than read what is there."""
    rows, row = by_pattern.get(pattern, {}), by_pattern.get(f"{pattern}/{{}}", {})
    return "POST" in rows or bool(_CHANGES & set(row)) or ("GET" in rows and "GET" in row)


def _parent(pattern: str, made: Mapping[str, FoundCollection]) -> FoundCollection | None:
    """The nearest collection whose row a path goes through."""
    while "/{}" in pattern:
        pattern = pattern.rpartition("/{}")[0]
        if pattern in made:
            return made[pattern]
    return None


def _candidates(document: OpenApiDocument, by_pattern: Mapping[str, Verbs]) -> Iterator[str]:
    """Paths that look like those of a collection.

    Yields:
        Each once.
    """
    seen = set()
    for each in by_pattern:
        pattern = each.removesuffix("/{}")
        if pattern in seen or not pattern.strip("/{}"):
            continue
        seen.add(pattern)
        rows, row = by_pattern.get(pattern, {}), by_pattern.get(f"{pattern}/{{}}", {})
        if pattern.endswith("}") and (rows or "GET" not in row or not _CHANGES & set(row)):
            continue
        lists = "GET" in rows and _lists_objects(document, rows["GET"])
        is_row = bool(row) and ("GET" in row or "POST" in rows or lists)
        if (is_row and _has_objects(document, row)) or (lists and "POST" in rows):
            yield pattern


_CHANGES = frozenset({"PUT", "PATCH", "DELETE"})


def _lists_objects(document: OpenApiDocument, operation: DocumentedOperation) -> bool:
    success = operation.success
    place, items = _list_place(document, "", success) if success is not None else ("", None)
    del place
    return items is not None and type_of(document, items) in {"object", ""}


def _has_objects(document: OpenApiDocument, row: Verbs) -> bool:
    """Whether what a path gives may be a row: an object, or not said."""
    success = row["GET"].success if "GET" in row else None
    if success is None or not success.schema:
        return True
    return type_of(document, success.schema) in {"object", ""}


def _free_name(pattern: str, parent: FoundCollection | None, taken: set[str]) -> str:
    """A name of the last segments of a path that no other collection has."""
    literals = [each for each in pattern.split("/") if each not in {"", "{}"}]
    name = words.collection_name(literals[-1])
    if name in taken and parent is not None:
        name = words.collection_name(f"{words.singular(parent.name)}_{literals[-1]}")
    if name in taken and len(literals) > 1:
        name = words.collection_name("_".join(literals))
    number, free = 2, name
    while free in taken:
        free, number = f"{name[:60]}_{number}", number + 1
    taken.add(free)
    return free


_NO_PLACEHOLDER = re.compile(r"[^\w-]+")


def _complete(document: OpenApiDocument, found: FoundCollection) -> None:
    """Add what the operations tell of rows, their key, and how they are given."""
    first = next(iter((*found.row.values(), *found.rows.values())))
    segments = first.path.split("/")
    names = [_NO_PLACEHOLDER.sub("_", each[1:-1]) for each in segments if is_placeholder(each)]
    if found.row:
        found.placeholder = names.pop()
    found.names = tuple(names)
    if found.parent is not None:
        found.around = names[found.parent.pattern.count("{}")]
    listed = found.rows["GET"].success if "GET" in found.rows else None
    items: JsonObject | None = None
    if listed is not None:
        found.list_in, items = _list_place(document, found.name, listed)
        if found.list_in:
            found.envelope = listed.schema
        elif items is None and words.singular(found.name) != found.name:
            found.unsure.append("the answer of the list has no array that could hold the rows")
        elif items is None and listed.schema:  # one thing, such as the caller's own account
            found.rows = {verb: each for verb, each in found.rows.items() if verb != "GET"}
    reading = next((verb for verb in ("GET", "PUT", "PATCH") if verb in found.row), "")
    single = found.row[reading].success if reading else None
    if single is None or not single.schema:
        single = found.rows["POST"].success if "POST" in found.rows else None
    schema = single.schema if single is not None else {}
    found.item_in, inner = _item_place(document, found, schema)
    _choose_row(document, found, (inner, items or {}, _body_of(found)))


def _choose_row(
    document: OpenApiDocument, found: FoundCollection, schemas: Iterable[JsonObject]
) -> None:
    """Take the first schema that names fields, and the key among them."""
    for schema in schemas:
        named = fields_of(document, schema).properties
        if named:
            found.schema, found.fields = schema, named
            break
    wanted = found.placeholder or "id"
    key = words.key_for(wanted, found.name, found.fields)
    inner = fields_of(document, found.fields.get(METADATA, {})).properties
    if not key and words.field_for(wanted, inner):
        found.key = f"{METADATA}.{words.field_for(wanted, inner)}"
        return
    kinds = {name: type_of(document, each) for name, each in found.fields.items()}
    if kinds.get(key) == "integer" and _placeholder_type(document, found) == "string":
        texts = [name for name, kind in kinds.items() if kind == "string"]
        key = words.first_of(words.NAMES, texts) or key
    if not key:
        found.unsure.append(f"no field of a row is said to hold its key; {wanted!r} is taken")
    elif words.words_of(key) != words.words_of(wanted):
        tail = words.words_of(wanted)[-len(words.words_of(key)) :]
        if tail != words.words_of(key):
            found.unsure.append(f"{wanted!r} of the path is taken for the field {key!r}")
    found.key = key or wanted


def _placeholder_type(document: OpenApiDocument, found: FoundCollection) -> str:
    for operation in found.row.values():
        for each in operation.parameters:
            if each.where == "path" and each.name == found.placeholder:
                return type_of(document, each.schema)
    return ""


def _body_of(found: FoundCollection) -> JsonObject:
    operation = found.rows.get("POST") or found.row.get("PUT")
    return (operation.body if operation is not None else None) or {}


def _list_place(
    document: OpenApiDocument, name: str, response: Response
) -> tuple[str, JsonObject | None]:
    """The field that holds the rows of a list, and their schema; None where there are none."""
    whole = document.resolve(response.schema)
    if type_of(document, whole) == "array":
        return "", as_object(whole.get("items"))
    arrays = dict(_arrays(document, response.schema))
    if not arrays:
        return "", None
    wanted = (name, *words.LISTS)
    place = words.first_of(wanted, arrays)
    if not place:
        place = next((each for each, items in arrays.items()
                      if type_of(document, items) == "object"), next(iter(arrays)))  # fmt: skip
    return place, arrays[place]


def _arrays(document: OpenApiDocument, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The arrays in an answer, and those one object below.

    Yields:
        Place and the schema of the items.
    """
    outer = fields_of(document, schema).properties
    for name, each in outer.items():
        if type_of(document, each) == "array":
            yield name, as_object(document.resolve(each).get("items"))
    for name in ("data", "result", "response", "_embedded"):
        inner = fields_of(document, outer[name]).properties if name in outer else {}
        for below, each in inner.items():
            if type_of(document, each) == "array":
                yield f"{name}.{below}", as_object(document.resolve(each).get("items"))


def _item_place(
    document: OpenApiDocument, found: FoundCollection, schema: JsonObject
) -> tuple[str, JsonObject]:
    """The field that holds a single row, and the row's schema."""
    named = fields_of(document, schema).properties
    wanted = found.placeholder or "id"
    inner = fields_of(document, named.get(METADATA, {})).properties
    if words.key_for(wanted, found.name, named) or words.field_for(wanted, inner):
        return "", schema
    one = words.singular(found.name)
    place = words.first_of((one, "data", "item", "result", found.name), named)
    if not place and len(named) == 1:
        place = next(iter(named))
    if place and type_of(document, named[place]) == "object":
        return place, named[place]
    return "", schema
