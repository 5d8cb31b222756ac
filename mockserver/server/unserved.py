"""Finds what a snapshot holds in `resources` and no API would ever answer."""

from collections.abc import Iterator, Mapping, Sequence

from mockserver.apis.generic import SERVED, held
from mockserver.errors import Problem
from mockserver.googleapi import Api
from mockserver.model import Json


def unserved(raw: Mapping[str, Json], apis: Sequence[Api]) -> Iterator[Problem]:
    """Collections of `resources` whose methods are emulated from other keys, or that none reads.

    Args:
        raw: The resolved snapshot.
        apis: The emulated APIs.

    Yields:
        An error for each, its place a JSON pointer.
    """
    documents = raw.get(SERVED)
    for key, collections in documents.items() if isinstance(documents, dict) else ():
        for name, rows in collections.items() if isinstance(collections, dict) else ():
            found = held(key, name) if rows else None
            if found is None:
                continue
            problem = _unread(key, name, apis)
            if problem is not None:
                where = f"/{SERVED}/{key}/{name.replace('~', '~0').replace('/', '~1')}"
                yield Problem(where, *problem)


def _unread(key: str, name: str, apis: Sequence[Api]) -> tuple[str, str] | None:
    """Why nothing reads a collection, and what to do; None where something does."""
    found = held(key, name)
    if found is None or any(found.table in api.reads for api in apis):
        return None
    if not found.readers:
        return f"no method of {key} reads or changes {name!r}, so it is never served", ""
    document = tuple(key.split(":", 1))
    own = [api for api in apis if document in api.documents]
    # a resource is emulated or generic, never half of each
    emulated = {method.rpartition(".")[0] for api in own for method in api.handlers}
    if not emulated.issuperset(reader.rpartition(".")[0] for reader in found.readers):
        return None
    names = [item.name for api in own for item in api.collections]
    exact = [
        item.name
        for api in own
        for item in api.collections
        if item.resource.partition("#")[2] == found.schema
    ]
    text = f"{found.readers[0]} is emulated and does not read {SERVED!r}, so it is never served"
    if not names:
        return text, "remove it"
    keys = " or ".join(repr(each) for each in exact or names)
    return text, f"write it under the key {keys}"
