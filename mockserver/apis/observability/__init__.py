"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from collections.abc import Mapping

from mockserver.apis.observability.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later
from mockserver.model import Captures


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.observability.methods import HANDLERS

    return HANDLERS


def _captures() -> Captures:
    from mockserver.apis.observability.capture import CAPTURES

    return CAPTURES


API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=_captures,
)

__all__ = ["API"]
