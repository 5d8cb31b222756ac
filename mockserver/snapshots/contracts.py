"""Holds the resources of raw snapshots against the schemas of the Discovery documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from mockserver.apis.generic import SERVED_DOCUMENTS, find_collection
from mockserver.errors import Problem
from mockserver.googleapi import Api, Document, find_contradictions, installed_documents
from mockserver.model import Json, JsonObject


def items_of(value: Json) -> Iterator[tuple[str, Json]]:
    """Each resource with its JSON pointer below the collection.

    A collection is a list, a captured page (`{"items": [...]}`), lists by key (members of groups),
    or one object.

    >>> list(items_of({"a@example.com": [{"id": "1"}]}))
    [('/a@example.com/0', {'id': '1'})]

    Yields:
        Pointer and resource, in order.
    """
    if isinstance(value, dict):
        yield from _of_object(value)
    elif isinstance(value, list):
        yield from ((f"/{number}", item) for number, item in enumerate(value))


def _of_object(value: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    if isinstance(value.get("items"), list):
        yield from ((f"/items{pointer}", item) for pointer, item in items_of(value["items"]))
    elif value and all(isinstance(each, list) for each in value.values()):
        for key, each in value.items():
            at = key.replace("~", "~0").replace("/", "~1")
            yield from ((f"/{at}{pointer}", item) for pointer, item in items_of(each))
    else:
        yield "", value


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
                name, _, schema = self._schemas[key].partition("#")
                document = document_of(name)
                if document is not None:
                    yield from self._of_items(f"/{key}", value, document, schema)
            elif key == SERVED_DOCUMENTS and isinstance(value, dict):
                yield from self._of_resources(value)

    def _of_resources(self, resources: JsonObject) -> Iterator[Problem]:
        """What `resources` holds that is not in the shape of its document's schemas.

        Yields:
            One warning for each place.
        """
        for key, collections in resources.items():
            for name, rows in collections.items() if isinstance(collections, dict) else ():
                found = find_collection(key, name)
                if found is None or not isinstance(rows, list):
                    continue  # the import tells
                escaped = name.replace("~", "~0").replace("/", "~1")
                at = f"/{SERVED_DOCUMENTS}/{key}/{escaped}"
                for problem in self._of_items(at, rows, found.document, found.schema):
                    _, _, *path = problem.where[len(at) :].split("/")
                    # a resource may name its parent by a path parameter
                    if len(path) != 1 or path[0] not in found.path_parameters:
                        yield problem

    def _of_items(self, at: str, value: Json, document: Document, schema: str) -> Iterator[Problem]:
        for pointer, item in items_of(value):
            if id(item) in self._seen:
                continue
            self._seen[id(item)] = item
            for each in find_contradictions(document, schema, item):
                name = f"{document.name}:{document.version}"
                text = f"{each.message}, says the Discovery document {name}"
                yield Problem(f"{at}{pointer}{each.pointer}", text, each.hint, "warning")


@cache
def document_of(name: str) -> Document | None:
    """An installed Discovery document by `name:version`, or None."""
    entry = installed_documents().entry(*name.split(":", 1))
    return installed_documents().load(entry.path) if entry else None
