"""Emulates the Resource Manager API: organizations, folders and projects."""

from mockserver.apis.resourcemanager.methods import HANDLERS
from mockserver.apis.resourcemanager.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="resourcemanager",
    documents=(("cloudresourcemanager", "v3"), ("cloudresourcemanager", "v1")),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
