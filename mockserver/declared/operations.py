"""The operations of a declared API, made of its declaration."""

import re
from collections.abc import Iterator

from mockserver.declared.declaration import Collection, Declaration, parent_field
from mockserver.declared.routes import Kind, Operation
from mockserver.storage.untrusted_json import Place

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
    for number, stub in enumerate(declaration.stubs):
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


def list_path(declaration: Declaration, name: str) -> str:
    """The path of a collection below the base path: `/bookings/{bookingId}/passengers`."""
    own = declaration.collections[name]
    path = own.path or f"/{name}"
    for child, parent in declaration.parents(name):
        around = declaration.collections[parent.collection]
        path = f"{around.path or f'/{parent.collection}'}/{{{parent_field(parent)}}}{path}"
        del child
    return path


def row_placeholder(declaration: Declaration, name: str) -> str:
    """The name of the placeholder of a row's key; another one than those around it have."""
    own = declaration.collections[name]
    around = {parent_field(parent) for _, parent in declaration.parents(name)}
    clean = _NO_WORD.sub("_", own.key).strip("_") or "id"
    return clean if clean not in around and clean[:1].isalpha() else f"{name}_key"


def _of_collection(declaration: Declaration, name: str) -> Iterator[Operation]:
    own: Collection = declaration.collections[name]
    rows = list_path(declaration, name)
    row = f"{rows}/{{{row_placeholder(declaration, name)}}}"
    prefix = f"{declaration.api}.{name}"
    place: Place = ("collections", name)
    where: Place
    for word in own.verbs:
        path = rows if word in _ON_ROWS else row
        verb, kind, last = (_ON_ROWS | _ON_ROW)[word]
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
