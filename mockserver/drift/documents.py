"""Holds recordings and snapshots against the installed Discovery documents, without credentials."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import urlsplit

import orjson

from mockserver.drift.changes import Change, Tier, sort_changes
from mockserver.drift.shapes import ITEM, Path
from mockserver.drift.surveys import Source, is_json_answer, path_name
from mockserver.googleapi import (
    Api,
    ApiError,
    Catalog,
    Contradiction,
    Document,
    Match,
    Method,
    ParameterBinder,
    bind_body,
    find_contradictions,
)
from mockserver.messages import is_json, media_type
from mockserver.model import Cassette, Interaction, Json, JsonMapping, JsonObject
from mockserver.snapshots.contracts import document_of, items_of

_DEEPEST = 4
_TIERS = {"unknown_field": Tier.REMOVED, "wrong_type": Tier.TYPE, "unknown_value": Tier.VALUES}
_NUMBER = re.compile(r"/\d+(?=/|$)")


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
            self._places[collection] = dict(self._find_methods(collection))
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

    def _find_methods(self, collection: str) -> Iterator[tuple[str, tuple[Path, ...]]]:
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
    yield from _paths_below(method.document, {"$ref": method.response or ""}, schema, ())


def _paths_below(document: Document, spec: JsonMapping, schema: str, path: Path) -> Iterator[Path]:
    if spec.get("$ref") == schema:
        yield path
        return
    if len(path) > _DEEPEST:
        return
    spec = document.schemas.get(spec["$ref"], {}) if "$ref" in spec else spec
    for name, inner in spec.get("properties", {}).items():
        yield from _paths_below(document, inner, schema, (*path, name))
    for key in ("items", "additionalProperties"):
        if key in spec:
            yield from _paths_below(document, spec[key], schema, (*path, ITEM))


def compare_with_documents(source: Source, documents: Documents) -> tuple[Change, ...]:
    """Where a source contradicts the installed documents, the worst tier first.

    A field that the document does not know counts as removed. A request that the document would
    refuse, or whose method no document has, does as well.
    """
    found = (
        _snapshot_changes(source.snapshot or {}, documents)
        if source.cassette is None
        else _cassette_changes(source.cassette, documents)
    )
    return sort_changes(found)


def _snapshot_changes(raw: JsonObject, documents: Documents) -> Iterator[Change]:
    for key, value in raw.items():
        name, _, schema = documents.resources.get(key, "").partition("#")
        document = document_of(name) if name else None
        if document is None:
            continue
        for _, item in items_of(value):
            for each in find_contradictions(document, schema, item):
                yield _contradiction_change(key, each)


def _cassette_changes(cassette: Cassette, documents: Documents) -> Iterator[Change]:
    for name, recorded in sorted(cassette.info.revisions.items()):
        installed = documents.revision(name)
        if installed != recorded:
            text = f"recorded with revision {recorded}; installed is {installed or 'none'}"
            yield Change(Tier.COUNT, name, "", text)
    for interaction in cassette.interactions:
        yield from _interaction_changes(interaction, documents)


def _interaction_changes(interaction: Interaction, documents: Documents) -> Iterator[Change]:
    host = urlsplit(interaction.request.url).hostname or ""
    match = documents.match(interaction)
    if match is None:
        if documents.has_host(host):
            text = f"no installed document of {host} has this method"
            yield Change(Tier.REMOVED, documents.name(interaction), "", text)
        return
    if interaction.response.status >= 400:
        return
    method = match.method
    yield from _request_changes(method, match.captures, interaction)
    if method.response and is_json_answer(interaction):
        try:
            value: Json = orjson.loads(interaction.response.body)
        except orjson.JSONDecodeError:
            yield Change(Tier.TYPE, method.id, "", "an answer says that it is JSON, and is not")
            return
        for each in find_contradictions(method.document, method.response, value):
            yield _contradiction_change(method.id, each)


def _request_changes(
    method: Method, captures: dict[str, str], interaction: Interaction
) -> Iterator[Change]:
    request = interaction.request
    try:
        binder = ParameterBinder(method, captures, "strict", "one_platform")
        binder.bind(urlsplit(request.url).query)
        if request.body and is_json(media_type(request.headers)):
            bind_body(method, orjson.loads(request.body), "google", "one_platform")
    except ApiError as error:
        text = f"the request would be refused now: {error.message}"
        yield Change(Tier.REMOVED, method.id, "", text)
    except orjson.JSONDecodeError:
        yield Change(Tier.TYPE, method.id, "", "the body of the request is not JSON")


def _contradiction_change(subject: str, found: Contradiction) -> Change:
    hint = f" ({found.hint})" if found.hint else ""
    path = _NUMBER.sub("/*", found.pointer)
    return Change(_TIERS[found.kind], subject, path, f"{found.message}{hint}")
