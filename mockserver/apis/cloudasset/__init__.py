"""Emulates Cloud Asset Inventory: search of resources and policies, lists, history."""

from mockserver.apis.cloudasset.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="cloudasset",
    documents=(("cloudasset", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
