"""The operations of a declared API, made of its declaration."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mockserver.collections.places import place_of
from mockserver.declared.declaration import (
    PLACEHOLDER,
    Collection,
    Declaration,
    DeclaredStub,
    Parent,
    Verb,
    parent_field,
)
from mockserver.declared.routes import Kind, Operation
from mockserver.stubs import stub_rank

_STANDARD: dict[Verb, tuple[str, str, bool]] = {
    "list": ("GET", "list", False),
    "create": ("POST", "create", False),
    "get": ("GET", "get", True),
    "replace": ("PUT", "update", True),
    "patch": ("PATCH", "patch", True),
    "delete": ("DELETE", "delete", True),
}
"""Word of a declaration, which is its kind, to verb, last part of the id, and whether of a row."""

_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


def operations_of(declaration: Declaration) -> tuple[Operation, ...]:
    """Everything that an API can be asked, in the order of its declaration."""
    found: list[Operation] = []
    start = f"{declaration.api}."
    for number, stub in sorted(enumerate(declaration.stubs), key=_rank):
        verb, _, path = stub.route.partition(" ")
        last = stub.id or _NO_WORD.sub("_", f"{verb.lower()}{path}").strip("_")
        place = ("stubs", number, "route")
        found.append(Operation(start + last, verb, path, "stub", "", str(number), place))
    for name, handler in declaration.handlers.items():
        verb, _, path = handler.route.partition(" ")
        where = ("handlers", name, "route")
        found.append(Operation(start + name, verb, path, "handler", "", name, where))
    if declaration.batch is not None:
        path = declaration.batch.path
        found.append(Operation(f"{start}batch", "POST", path, "batch", place=("batch", "path")))
    for name in declaration.collections:
        found += _of_collection(declaration, name)
    return tuple(found)


def _rank(numbered: tuple[int, DeclaredStub]) -> tuple[int, bool, int]:
    """Smaller for a stub that is asked before another one of the same route."""
    number, stub = numbered
    return (*stub_rank(stub.match.model_dump(), stub.when), number)


@dataclass(frozen=True, slots=True)
class Around:
    """A placeholder in the path of a collection.

    Attributes:
        name: Its name in the path.
        field: The field of rows that holds its value.
        collection: The collection whose row it names; empty where it names none.
    """

    name: str
    field: str
    collection: str = ""


@dataclass(frozen=True, slots=True)
class CollectionPath:
    """The paths of one collection below the base path.

    Attributes:
        rows: That of its list: `/bookings/{bookingId}/passengers`.
        row: That of a row: `/bookings/{bookingId}/passengers/{id}`.
        around: The placeholders of its list's path, in order.
    """

    rows: str
    row: str
    around: tuple[Around, ...]


def collection_path(declaration: Declaration, name: str) -> CollectionPath:
    """The paths of a collection."""
    nested = list(declaration.parents(name))[::-1]
    outermost = nested[0][1].collection if nested else name
    chain: list[tuple[str, Parent | None]] = [(outermost, None), *nested]
    fields: dict[str, str] = {}
    around: list[Around] = []
    path = ""
    for each, parent in chain:
        own = declaration.collections[each]
        fields.update(own.scope)
        if parent is not None:
            word = _free_word(parent_field(parent), parent.collection, around)
            around.append(Around(word, parent_field(parent), parent.collection))
            path += f"/{{{word}}}"
        template = own.path or f"/{each}"
        holder = parent_field(parent) if parent is not None else ""
        if f"{{{holder}}}" in template:  # a whole path, which names the row around itself
            path, around = "", []
        around += [
            Around(word, word, parent.collection if parent is not None and word == holder else "")
            for word in PLACEHOLDER.findall(template)
        ]
        path += template
    own = declaration.collections[name]
    word = _free_word(own.key, name, around)
    named = tuple(each if each.collection else replace(each, field=fields.get(each.name, each.name))
                  for each in around)  # fmt: skip
    return CollectionPath(f"{path}{own.suffix}", f"{path}/{{{word}}}{own.suffix}", named)


def _free_word(field: str, collection: str, around: Sequence[Around]) -> str:
    """The name of the placeholder for a field; another one than those around it have."""
    taken = {each.name for each in around}
    clean = _NO_WORD.sub("_", place_of(field)[-1]).strip("_") or "id"
    if clean in taken or not clean[:1].isalpha():
        clean = f"{collection}_key"
    return clean if clean not in taken else f"{clean}_{len(around)}"


def _of_collection(declaration: Declaration, name: str) -> Iterator[Operation]:
    own: Collection = declaration.collections[name]
    paths = collection_path(declaration, name)

    def operation(
        last: str, verb: str, path: str, kind: Kind, *place: str, part: str = ""
    ) -> Operation:
        method_id, where = f"{declaration.api}.{name}.{last}", ("collections", name, *place)
        return Operation(method_id, verb, path, kind, name, part, where)

    for word in own.verbs:
        verb, last, is_of_row = _STANDARD[word]
        verb = own.patch_verb if word == "patch" else verb
        yield operation(last, verb, paths.row if is_of_row else paths.rows, word)
    bulk = own.bulk
    if bulk is not None and bulk.create and bulk.path:
        yield operation("bulkCreate", "POST", bulk.path, "bulk", "bulk", "path")
    if bulk is not None and bulk.delete:
        yield operation("bulkDelete", "DELETE", paths.rows, "bulk_delete", "bulk", "delete")
    for action, each in own.actions.items():
        verb, _, path = each.path.partition(" ")
        yield operation(action, verb, path, "action", "actions", action, "path", part=action)
    for file, each_file in own.files.items():
        for verb, kind, last in _ON_FILE:
            place = ("files", file, "path")
            yield operation(f"{file}.{last}", verb, each_file.path, kind, *place, part=file)
    if own.accepted is not None:
        yield operation("job", "GET", own.accepted.path, "job", "accepted", "path")


_ON_FILE: tuple[tuple[str, Kind, str], ...] = (
    ("PUT", "upload", "upload"),
    ("POST", "upload", "post"),
    ("GET", "download", "download"),
    ("DELETE", "remove_file", "delete"),
)
