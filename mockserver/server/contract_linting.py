"""Holds the resources of raw snapshots against the schemas of the Discovery documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from mockserver.errors import Problem
from mockserver.googleapi import Api, Document, DocumentFolder, contradictions, load_document
from mockserver.model import Json
from mockserver.server.raw_items import items_of


class Contracts:
    """Tells where resources are not in the shape of the live API.

    Snapshots of cases share what they do not change: each resource is looked at once.

    Args:
        apis: The emulated APIs; their collections name the schemas.
    """

    def __init__(self, apis: Sequence[Api]) -> None:
        self._schemas = {
            item.name: item.resource for api in apis for item in api.collections if item.resource
        }
        self._seen: dict[int, Json] = {}  # the values are kept, so that no other takes their id

    def problems(self, raw: Mapping[str, Json]) -> Iterator[Problem]:
        """What contradicts the documents, as warnings, each with its JSON pointer.

        Yields:
            One problem for each place, in the order of the snapshot.
        """
        for key, value in raw.items():
            if key in self._schemas:
                yield from self._of_collection(key, value)

    def _of_collection(self, key: str, value: Json) -> Iterator[Problem]:
        name, _, schema = self._schemas[key].partition("#")
        document = document_of(name)
        for pointer, item in items_of(value):
            if document is None or id(item) in self._seen:
                continue
            self._seen[id(item)] = item
            for each in contradictions(document, schema, item):
                text = f"{each.message}, says the Discovery document {name}"
                yield Problem(f"/{key}{pointer}{each.pointer}", text, each.hint, "warning")


@cache
def document_of(name: str) -> Document | None:
    """An installed Discovery document by `name:version`, or None."""
    entry = DocumentFolder().entry(*name.split(":", 1))
    return load_document(entry.path) if entry else None
