"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from mockserver.apis.cloudasset.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
