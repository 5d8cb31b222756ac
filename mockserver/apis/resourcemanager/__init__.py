"""Emulates the Resource Manager API: organizations, folders and projects."""

from mockserver.apis.resourcemanager.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute

API = Api(
    name="resourcemanager",
    documents=(("cloudresourcemanager", "v3"), ("cloudresourcemanager", "v1")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
