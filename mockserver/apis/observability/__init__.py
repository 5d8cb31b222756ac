"""Emulates the Observability API: buckets, datasets, links, views, scopes, settings."""

from mockserver.apis.observability.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="observability",
    documents=(("observability", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
