"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from collections.abc import Mapping

from mockserver.apis.observability.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, Handler, Later


def _handlers() -> Mapping[str, Handler]:
    from mockserver.apis.observability.methods import HANDLERS

    return HANDLERS


API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    handlers=Later(_handlers),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
