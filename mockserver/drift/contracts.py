"""Holds recordings and snapshots against the installed Discovery documents, without credentials."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import orjson

from mockserver.drift.comparing import Change, Tier, in_order
from mockserver.drift.documents import Documents
from mockserver.drift.sources import Source
from mockserver.drift.surveys import is_json_answer
from mockserver.googleapi import (
    ApiError,
    Contradiction,
    Method,
    bind_body,
    bind_parameters,
    contradictions,
)
from mockserver.messages import is_json, media_type
from mockserver.model import Cassette, Interaction, Json, JsonObject
from mockserver.snapshots.contracts import document_of, items_of

_TIERS = {"unknown_field": Tier.REMOVED, "wrong_type": Tier.TYPE, "unknown_value": Tier.VALUES}
_NUMBER = re.compile(r"/\d+(?=/|$)")


def against_documents(source: Source, documents: Documents) -> tuple[Change, ...]:
    """Where a source contradicts the installed documents, the worst tier first.

    A field that the document does not know counts as removed. A request that the document would
    refuse, or whose method no document has, does as well.
    """
    found = (
        _of_snapshot(source.snapshot or {}, documents)
        if source.cassette is None
        else _of_cassette(source.cassette, documents)
    )
    return in_order(found)


def _of_snapshot(raw: JsonObject, documents: Documents) -> Iterator[Change]:
    for key, value in raw.items():
        name, _, schema = documents.resources.get(key, "").partition("#")
        document = document_of(name) if name else None
        if document is None:
            continue
        for _, item in items_of(value):
            for each in contradictions(document, schema, item):
                yield _change(key, each)


def _of_cassette(cassette: Cassette, documents: Documents) -> Iterator[Change]:
    for name, recorded in sorted(cassette.info.revisions.items()):
        installed = documents.revision(name)
        if installed != recorded:
            text = f"recorded with revision {recorded}; installed is {installed or 'none'}"
            yield Change(Tier.COUNT, name, "", text)
    for interaction in cassette.interactions:
        yield from _of_interaction(interaction, documents)


def _of_interaction(interaction: Interaction, documents: Documents) -> Iterator[Change]:
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
    yield from _of_request(method, match.captures, interaction)
    if method.response and is_json_answer(interaction):
        try:
            value: Json = orjson.loads(interaction.response.body)
        except orjson.JSONDecodeError:
            yield Change(Tier.TYPE, method.id, "", "an answer says that it is JSON, and is not")
            return
        for each in contradictions(method.document, method.response, value):
            yield _change(method.id, each)


def _of_request(
    method: Method, captures: dict[str, str], interaction: Interaction
) -> Iterator[Change]:
    request = interaction.request
    try:
        bind_parameters(method, captures, urlsplit(request.url).query, "strict", "one_platform")
        if request.body and is_json(media_type(request.headers)):
            bind_body(method, orjson.loads(request.body), "google", "one_platform")
    except ApiError as error:
        text = f"the request would be refused now: {error.message}"
        yield Change(Tier.REMOVED, method.id, "", text)
    except orjson.JSONDecodeError:
        yield Change(Tier.TYPE, method.id, "", "the body of the request is not JSON")


def _change(subject: str, found: Contradiction) -> Change:
    hint = f" ({found.hint})" if found.hint else ""
    path = _NUMBER.sub("/*", found.pointer)
    return Change(_TIERS[found.kind], subject, path, f"{found.message}{hint}")
