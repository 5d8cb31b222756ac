"""The collections of an OpenAPI document: paths that list, create, read, change and delete rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mockserver.collections.places import place_of, value_at
from mockserver.declared.documents import words
from mockserver.declared.documents.document import (
    NO_OPERATION,
    DocumentedOperation,
    is_placeholder,
)
from mockserver.declared.documents.schemas import examples_of
from mockserver.declared.keywords import Schema, as_list
from mockserver.model import Json, JsonObject

METADATA = "metadata"
"""The object of a row in which some APIs keep its name and its place."""

Verbs = Mapping[str, DocumentedOperation]
_MOST_SHOWN = 100
_CHANGES = frozenset({"PUT", "PATCH", "DELETE"})
_NO_PLACEHOLDER = re.compile(r"[^\w-]+")


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
        schema: The schema of a row.
        fields: The fields of a row.
        list_in: The field of a list's answer that holds the rows.
        item_in: The field of a single row's answer that holds the row.
        envelope: The schema of a list's answer; an empty one where that is a bare array.
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
    schema: Schema = field(default_factory=Schema)
    fields: Mapping[str, Schema] = field(default_factory=dict)
    list_in: str = ""
    item_in: str = ""
    envelope: Schema = field(default_factory=Schema)
    key: str = "id"
    scope: dict[str, str] = field(default_factory=dict)
    answers: JsonObject = field(default_factory=dict)
    names_are_snake_case: bool = False
    unsure: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Its path below the base path or below the parent's row."""
        below, start = self.pattern, 0
        if self.parent is not None:
            below = below.removeprefix(f"{self.parent.pattern}/{{}}")
            start = self.parent.pattern.count("{}") + 1
        for name in self.names[start:]:
            below = below.replace("{}", f"{{{name}}}", 1)
        return below

    @property
    def operations(self) -> tuple[DocumentedOperation, ...]:
        """The operations of its rows, then those of its list."""
        return (*self.row.values(), *self.rows.values())

    @property
    def listing(self) -> DocumentedOperation:
        """What lists its rows."""
        return self.rows.get("GET", NO_OPERATION)

    @property
    def creation(self) -> DocumentedOperation:
        """What creates a row."""
        return self.rows.get("POST", NO_OPERATION)

    @property
    def deletion(self) -> DocumentedOperation:
        """What deletes a row."""
        return self.row.get("DELETE", NO_OPERATION)

    @property
    def sent(self) -> Schema:
        """What callers send for a whole row."""
        return (self.rows.get("POST") or self.row.get("PUT") or NO_OPERATION).sent

    @property
    def inner(self) -> Mapping[str, Schema]:
        """The fields of the object of a row in which some APIs keep its name and place."""
        return self.schema_of(METADATA).fields

    def schema_of(self, name: str) -> Schema:
        """The schema of a field of rows; an empty one where they have no such."""
        return self.fields.get(name, Schema())


def found_collections(by_pattern: Mapping[str, Verbs]) -> Iterator[FoundCollection]:
    """The collections of a document.

    Args:
        by_pattern: Its operations by path and verb; paths have `{}` for placeholders.

    Yields:
        Each after the one that it is nested in.
    """
    made: dict[str, FoundCollection] = {}
    taken: set[str] = set()
    for pattern in sorted(_candidates(by_pattern), key=lambda each: each.count("/")):
        if "{" in pattern.replace("/{}", "/"):
            continue
        rows, row = by_pattern.get(pattern, {}), by_pattern.get(f"{pattern}/{{}}", {})
        parent = _parent(pattern, made)
        below = pattern[len(f"{parent.pattern}/{{}}") if parent else 0 :]
        # of what stands in no collection, only paths with which callers do more than read
        is_used = "POST" in rows or _CHANGES & set(row) or ("GET" in rows and "GET" in row)
        if "{" in below and not is_used:
            continue
        found = FoundCollection(_free_name(pattern, parent, taken), pattern, rows, row, parent)
        _complete(found)
        made[pattern] = found
        yield found


def _parent(pattern: str, made: Mapping[str, FoundCollection]) -> FoundCollection | None:
    """The nearest collection whose row a path goes through."""
    while "/{}" in pattern:
        pattern = pattern.rpartition("/{}")[0]
        if pattern in made:
            return made[pattern]
    return None


def _candidates(by_pattern: Mapping[str, Verbs]) -> Iterator[str]:
    """Paths that look like those of a collection.

    Yields:
        Each once.
    """
    for pattern in dict.fromkeys(each.removesuffix("/{}") for each in by_pattern):
        rows, row = by_pattern.get(pattern, {}), by_pattern.get(f"{pattern}/{{}}", {})
        is_keyed = pattern.endswith("}")
        if not pattern.strip("/{}") or (
            is_keyed and (rows or "GET" not in row or not _CHANGES & set(row))
        ):
            continue
        _, items = _list_place("", rows.get("GET", NO_OPERATION).success.schema)
        lists = items is not None and items.kind in {"object", ""}
        # what a path gives may be a row: an object, or not said
        has_objects = row.get("GET", NO_OPERATION).success.schema.kind in {"object", ""}
        is_row = bool(row) and ("GET" in row or "POST" in rows or lists)
        if (is_row and has_objects) or (lists and "POST" in rows):
            yield pattern


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


def _complete(found: FoundCollection) -> None:
    """Add what the operations tell of rows, their key, and how they are given."""
    segments = found.operations[0].path.split("/")
    names = [_NO_PLACEHOLDER.sub("_", each[1:-1]) for each in segments if is_placeholder(each)]
    if found.row:
        found.placeholder = names.pop()
    found.names = tuple(names)
    if found.parent is not None:
        found.around = names[found.parent.pattern.count("{}")]
    listed = found.listing.success.schema
    found.list_in, items = _list_place(found.name, listed)
    if found.list_in:
        found.envelope = listed
    elif items is None and found.listing.success.status:
        if words.singular(found.name) != found.name:
            found.unsure.append("the answer of the list has no array that could hold the rows")
        elif listed:  # one thing, such as the caller's own account
            found.rows = {verb: each for verb, each in found.rows.items() if verb != "GET"}
    reading = next((verb for verb in ("GET", "PUT", "PATCH") if verb in found.row), "")
    single = found.row.get(reading, NO_OPERATION).success.schema
    found.item_in, inner = _item_place(found, single or found.creation.success.schema)
    _choose_row(found, (inner, items or Schema(), found.sent))


def _choose_row(found: FoundCollection, schemas: Iterable[Schema]) -> None:
    """Take the first schema that names fields, and the key among them."""
    found.schema = next((each for each in schemas if each.fields), Schema())
    found.fields = found.schema.fields
    wanted = found.placeholder or "id"
    key = words.key_for(wanted, found.name, found.fields)
    if not key and words.field_for(wanted, found.inner):
        found.key = f"{METADATA}.{words.field_for(wanted, found.inner)}"
        return
    named = (each.schema.kind for operation in found.row.values()
             for each in operation.parameters
             if each.where == "path" and each.name == found.placeholder)  # fmt: skip
    if found.schema_of(key).kind == "integer" and next(named, "") == "string":
        texts = [name for name, each in found.fields.items() if each.kind == "string"]
        key = words.first_of(words.NAMES, texts) or key
    own, tail = words.words_of(key), words.words_of(wanted)
    if not key:
        found.unsure.append(f"no field of a row is said to hold its key; {wanted!r} is taken")
    elif own not in {tail, tail[-len(own) :]}:
        found.unsure.append(f"{wanted!r} of the path is taken for the field {key!r}")
    found.key = key or wanted


def _list_place(name: str, schema: Schema) -> tuple[str, Schema | None]:
    """The field that holds the rows of a list, and their schema; None where there are none."""
    if schema.kind == "array":
        return "", schema.inner("items")
    outer = schema.fields
    arrays = {place: each.inner("items") for place, each in outer.items() if each.kind == "array"}
    for around in ("data", "result", "response", "_embedded"):
        for below, each in outer.get(around, Schema()).fields.items():
            if each.kind == "array":
                arrays[f"{around}.{below}"] = each.inner("items")
    objects = [each for each, items in arrays.items() if items.kind == "object"]
    place = words.first_of((name, *words.LISTS), arrays) or next(iter((*objects, *arrays)), "")
    return place, arrays.get(place)


def _item_place(found: FoundCollection, schema: Schema) -> tuple[str, Schema]:
    """The field that holds a single row, and the row's schema."""
    named, wanted = schema.fields, found.placeholder or "id"
    inner = named.get(METADATA, Schema()).fields
    if words.key_for(wanted, found.name, named) or words.field_for(wanted, inner):
        return "", schema
    one = words.singular(found.name)
    place = words.first_of((one, "data", "item", "result", found.name), named)
    if not place and len(named) == 1:
        place = next(iter(named))
    if place and named[place].kind == "object":
        return place, named[place]
    return "", schema


def field_of(found: FoundCollection, name: str) -> str:
    """The field of rows that a placeholder is about; empty where there is none."""
    own = words.field_for(name, found.fields)
    kind = found.schema_of(own).kind
    if own and kind in {"string", "integer"}:
        return own
    inner = words.field_for(name, found.inner)
    if inner and not own:
        return f"{METADATA}.{inner}"
    if kind == "object" and "POST" not in found.rows and "GET" not in found.rows:
        named = words.first_of(words.NAMES, found.fields[own].fields)
        return f"{own}.{named}" if named else ""
    return ""


def shown_rows(found: FoundCollection) -> Iterator[JsonObject]:
    """The rows that the document shows.

    Yields:
        Each, the first few.
    """
    listed = found.listing.success
    rows: list[Json] = []
    for example in (*listed.examples, *examples_of(listed.schema)):
        rows += as_list(inside(example, found.list_in))
    for operation in found.operations:
        if operation is not found.listing:
            rows += [inside(each, found.item_in) for each in operation.success.examples]
    rows += examples_of(found.schema)
    for row in rows[:_MOST_SHOWN]:
        if isinstance(row, dict) and (not found.fields or set(found.fields) & set(row)):
            yield row


def inside(value: Json, place: str) -> Json:
    """What an answer holds at a place; the whole of it for none."""
    return value_at(value, place_of(place)) if place else value
