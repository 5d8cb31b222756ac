"""What must hold between the parts of declarations, beside the form of each."""

import re
from collections.abc import Collection as Known
from collections.abc import Iterator, Sequence

from mockserver.declared.declaration import PLACEHOLDER, Collection, Declaration
from mockserver.declared.operations import collection_path
from mockserver.model import did_you_mean
from mockserver.state import is_on_this_machine
from mockserver.storage.findings import Finding
from mockserver.storage.provenance import parse_pointer
from mockserver.stubs import stub_problems

_RESERVED = frozenset({"tools", "batch", "metadata", "mcp"})
"""Beginnings of method ids that this server has itself."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HINT_TRUST = "start the server with --trust-suite, if you trust who wrote the suite"


def findings(
    declarations: Sequence[Declaration], *, taken: Known[str], trusted: bool
) -> Iterator[tuple[int, list[Finding]]]:
    """What is wrong with each of some declarations, and between them.

    Args:
        declarations: Those of one suite.
        taken: Names that no API may have.
        trusted: Whether Python functions may be run.

    Yields:
        The number of a declaration, and what is wrong there.
    """
    names: dict[str, int] = {}
    roots: dict[tuple[str, str], str] = {}
    for number, each in enumerate(declarations):
        found = list(_of_one(each, trusted=trusted))
        if each.api in taken or each.api in _RESERVED:
            text = f"the name {each.api!r} is taken by an API or a key of snapshots of this server"
            found.append(Finding(("api",), text, "choose another"))
        if each.api in names:
            found.append(Finding(("api",), f"two declarations are called {each.api!r}"))
        names[each.api] = number
        for place, host in enumerate(each.hosts):
            other = roots.setdefault((host, each.base_path), each.api)
            if other != each.api:
                text = f"{host}{each.base_path} is the address of {other!r} already"
                found.append(Finding(("hosts", place), text, "give one of them another base_path"))
        if found:
            yield number, found


def _of_one(declaration: Declaration, *, trusted: bool) -> Iterator[Finding]:
    for number, host in enumerate(declaration.hosts):
        if f".{host}".endswith(".googleapis.com"):
            yield Finding(("hosts", number), f"{host} is emulated from Google's own documents")
    named = {("env", name): name for name in declaration.env}
    named["auth", "env"] = (declaration.auth and declaration.auth.env) or "_"
    for place in [each for each, name in named.items() if not _VARIABLE.fullmatch(name)]:
        yield Finding(place, "is no name of an environment variable")
    for number, webhook in enumerate(declaration.webhooks):
        if webhook.send and "{" not in webhook.url and not is_on_this_machine(webhook.url):
            text = f"{webhook.url} is not on this machine: messages go to http://127.0.0.1 alone"
            yield Finding(("webhooks", number, "url"), text, "leave `send` out to record them")
    for name, collection in declaration.collections.items():
        for found in _of_collection(declaration, name, collection):
            yield Finding(("collections", name, *found.place), found.message, found.hint)
    for number, stub in enumerate(declaration.stubs):
        for wrong in stub_problems(stub):
            parts = parse_pointer(wrong.pointer)
            where = ("stubs", number, *(int(one) if one.isdecimal() else one for one in parts))
            yield Finding(where, wrong.message, wrong.hint)
    if not trusted:
        for function, _ in declaration.functions():
            text = "names a Python function, which only a trusted suite may"
            yield Finding(function, text, _HINT_TRUST)


def _of_collection(
    declaration: Declaration, name: str, collection: Collection
) -> Iterator[Finding]:
    known = declaration.collections
    parent = collection.parent
    if parent is not None and parent.collection not in known:
        hint = did_you_mean(parent.collection, known)
        yield Finding(("parent",), f"no collection {parent.collection!r}", hint)
    chain = [each.collection for _, each in declaration.parents(name)]
    if name in chain or len(set(chain)) != len(chain):
        yield Finding(("parent",), "the collections are nested in each other in a circle")
        return
    yield from _of_references(declaration, collection)
    if any(each not in known for each in chain):
        return
    yield from _of_scope(declaration, name, collection)
    paths = [
        (("actions", action, "path"), each.path.partition(" ")[2], not each.where)
        for action, each in collection.actions.items()
    ]
    paths += [(("files", file, "path"), each.path, True) for file, each in collection.files.items()]
    for place, path, is_of_row in paths:
        wanted = len(collection_path(declaration, name).around) + is_of_row
        count = len(PLACEHOLDER.findall(path))
        if count != wanted:
            text = f"{path} has {count} placeholders: {wanted} are needed, of the row and around it"
            yield Finding(place, text, "such as {id}")
    if collection.accepted is not None and "{job}" not in collection.accepted.path:
        yield Finding(("accepted", "path"), "the path has no {job}")
    paging = collection.paging
    if paging is not None and paging.default > paging.max:
        yield Finding(("paging", "default"), "is more than `max`")
    if paging is not None and paging.before and paging.style != "key":
        yield Finding(("paging", "before"), "is for pages by the key of a row", "set style to key")
    if collection.list_fields and not collection.list_in:
        text = "lists are bare arrays, which have no further fields"
        yield Finding(("list_fields",), text, "give `list_in` the field that holds the rows")
    if collection.upsert and "replace" not in collection.verbs:
        yield Finding(("upsert",), "needs the operation replace")


def _of_scope(declaration: Declaration, name: str, collection: Collection) -> Iterator[Finding]:
    around = collection_path(declaration, name).around
    free = {each.name for each in around if not each.collection}
    for placeholder in collection.scope:
        if placeholder not in free:
            text = f"no path around it has the placeholder {{{placeholder}}}"
            yield Finding(("scope", placeholder), text, did_you_mean(placeholder, free))
    seen: dict[str, str] = {collection.key: "the key"}
    for each in around:
        other = seen.setdefault(each.field, f"{{{each.name}}}")
        if other != f"{{{each.name}}}":
            text = f"{{{each.name}}} and {other} are held in one field, {each.field!r}"
            yield Finding(("path",), text, "name another one in `scope`")
    names = [each.name for each in around]
    for placeholder in {each for each in names if names.count(each) > 1}:
        yield Finding(("path",), f"the placeholder {{{placeholder}}} stands in it twice")


def _of_references(declaration: Declaration, collection: Collection) -> Iterator[Finding]:
    known = declaration.collections
    for field, reference in collection.refs.items():
        name, wanted = reference.target
        if name not in known:
            text = f"no collection {name!r}; such as flights.id"
            yield Finding(("refs", field), text, did_you_mean(name, known))
        elif wanted != known[name].key and (wanted,) not in known[name].unique:
            text = f"{wanted!r} is neither the key of {name!r} nor unique there"
            yield Finding(("refs", field), text, f"its key is {known[name].key!r}")
