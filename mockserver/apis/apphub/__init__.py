"""Emulates App Hub: applications, their services and workloads, and what is discovered."""

from mockserver.apis.apphub.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="apphub",
    documents=(("apphub", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
