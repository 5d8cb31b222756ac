"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from mockserver.apis.observability.methods import HANDLERS
from mockserver.apis.observability.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
