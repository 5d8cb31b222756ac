"""Emulates the Resource Manager API: organizations, folders and projects."""

from mockserver.apis.resourcemanager.collections import COLLECTIONS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="resourcemanager",
    documents=(("cloudresourcemanager", "v3"), ("cloudresourcemanager", "v1")),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)

__all__ = ["API"]
