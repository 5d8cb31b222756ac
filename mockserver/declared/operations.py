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
    parent_field,
)
from mockserver.declared.routes import Kind, Operation
from mockserver.storage.untrusted_json import Place
from mockserver.stubs import stub_rank

_ON_ROWS: dict[str, tuple[str, Kind, str]] = {
    "list": ("GET", "list", "list"),
    "create": ("POST", "create", "create"),
}
_ON_ROW: dict[str, tuple[str, Kind, str]] = {
    "get": ("GET", "get", "get"),
    "replace": ("PUT", "replace", "update"),
    "patch": ("PATCH", "patch", "patch"),
    "delete": ("DELETE", "delete", "delete"),
}
"""Word of a declaration to verb, kind, and the last part of the method id."""

_NO_WORD = re.compile(r"[^A-Za-z0-9]+")


def operations_of(declaration: Declaration) -> tuple[Operation, ...]:
    """Everything that an API can be asked, in the order of its declaration."""
    found: list[Operation] = []
    place: Place
    for number, stub in sorted(enumerate(declaration.stubs), key=_rank):
        verb, _, path = stub.route.partition(" ")
        name = stub.id or _NO_WORD.sub("_", f"{verb.lower()}{path}").strip("_")
        place = ("stubs", number, "route")
        method_id = f"{declaration.api}.{name}"
        found.append(Operation(method_id, verb, path, "stub", name=str(number), place=place))
    for name, handler in declaration.handlers.items():
        verb, _, path = handler.route.partition(" ")
        place = ("handlers", name, "route")
        method_id = f"{declaration.api}.{name}"
        found.append(Operation(method_id, verb, path, "handler", name=name, place=place))
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
        around += [Around(word, word) for word in PLACEHOLDER.findall(template)]
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
    rows, row = paths.rows, paths.row
    prefix = f"{declaration.api}.{name}"
    place: Place = ("collections", name)
    where: Place
    for word in own.verbs:
        path = rows if word in _ON_ROWS else row
        verb, kind, last = (_ON_ROWS | _ON_ROW)[word]
        verb = own.patch_verb if kind == "patch" else verb
        yield Operation(f"{prefix}.{last}", verb, path, kind, name, place=place)
    bulk = own.bulk
    if bulk is not None and bulk.create and bulk.path:
        where = (*place, "bulk", "path")
        yield Operation(f"{prefix}.bulkCreate", "POST", bulk.path, "bulk", name, place=where)
    if bulk is not None and bulk.delete:
        where = (*place, "bulk", "delete")
        yield Operation(f"{prefix}.bulkDelete", "DELETE", rows, "bulk_delete", name, place=where)
    for action, each in own.actions.items():
        verb, _, path = each.path.partition(" ")
        where = (*place, "actions", action, "path")
        yield Operation(f"{prefix}.{action}", verb, path, "action", name, action, where)
    for file, each_file in own.files.items():
        where = (*place, "files", file, "path")
        for verb, kind, last in _ON_FILE:
            method_id = f"{prefix}.{file}.{last}"
            yield Operation(method_id, verb, each_file.path, kind, name, file, where)
    if own.accepted is not None:
        where = (*place, "accepted", "path")
        yield Operation(f"{prefix}.job", "GET", own.accepted.path, "job", name, place=where)


_ON_FILE: tuple[tuple[str, Kind, str], ...] = (
    ("PUT", "upload", "upload"),
    ("POST", "upload", "post"),
    ("GET", "download", "download"),
    ("DELETE", "remove_file", "delete"),
)
