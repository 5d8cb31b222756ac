"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from mockserver.apis.observability.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
