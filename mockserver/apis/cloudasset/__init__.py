"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from mockserver.apis.cloudasset.methods import HANDLERS
from mockserver.apis.cloudasset.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
