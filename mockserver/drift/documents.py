"""What the installed Discovery documents know of recorded calls and of collections."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import urlsplit

import orjson

from mockserver.drift.shapes import ITEM, Path
from mockserver.drift.surveys import path_name
from mockserver.googleapi import Api, Catalog, Document, Match, Method
from mockserver.model import Interaction, JsonMapping

_DEEPEST = 4


class Documents:
    """Names the methods of recorded calls, and finds where answers hold a resource.

    Args:
        apis: The emulated APIs, whose documents go before others.
    """

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = tuple(apis)
        self._places: dict[str, dict[str, tuple[Path, ...]]] = {}

    def match(self, interaction: Interaction) -> Match | None:
        """The method of a recorded call by its URL, or None where no document has it."""
        url = urlsplit(interaction.request.url)
        host = url.hostname or ""
        return self._catalog.match(host, interaction.request.method, url.path)

    def name(self, interaction: Interaction) -> str:
        """What a recorded call is of: a method id, or verb and path where none is known."""
        if interaction.method_id:
            return interaction.method_id
        match = self.match(interaction)
        return match.method.id if match else path_name(interaction)

    def has_host(self, host: str) -> bool:
        """Whether some installed document is served from a host."""
        return self._catalog.is_host(host)

    def revision(self, name: str) -> str:
        """The revision of the installed document `name:version`; empty where there is none."""
        found = self._catalog.document(*name.split(":", 1)) if ":" in name else None
        return str(orjson.loads(found).get("revision", "")) if found else ""

    def answers_with(self, collection: str) -> Mapping[str, tuple[Path, ...]]:
        """The methods whose answers hold resources of a collection, and at which paths."""
        if collection not in self._places:
            self._places[collection] = dict(self._found(collection))
        return self._places[collection]

    @cached_property
    def resources(self) -> Mapping[str, str]:
        """Collection to the schema of its resources, `admin:directory_v1#OrgUnit`."""
        return {
            item.name: item.resource
            for api in self._apis
            for item in api.collections
            if item.resource
        }

    def _found(self, collection: str) -> Iterator[tuple[str, tuple[Path, ...]]]:
        name, _, schema = self.resources.get(collection, "").partition("#")
        for method in self._catalog.methods():
            if f"{method.api}:{method.version}" == name:
                paths = tuple(_places(method, schema))
                if paths:
                    yield method.id, paths

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog(
            preferred=[document for api in self._apis for document in api.documents],
            supplements=[document for api in self._apis for document in api.supplements],
        )


def _places(method: Method, schema: str) -> Iterator[Path]:
    yield from _below(method.document, {"$ref": method.response or ""}, schema, ())


def _below(document: Document, spec: JsonMapping, schema: str, path: Path) -> Iterator[Path]:
    if spec.get("$ref") == schema:
        yield path
        return
    if len(path) > _DEEPEST:
        return
    spec = document.schemas.get(spec["$ref"], {}) if "$ref" in spec else spec
    for name, inner in spec.get("properties", {}).items():
        yield from _below(document, inner, schema, (*path, name))
    for key in ("items", "additionalProperties"):
        if key in spec:
            yield from _below(document, spec[key], schema, (*path, ITEM))
