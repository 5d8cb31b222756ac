"""Emulates App Hub: applications, their services and workloads, and what is discovered."""

from mockserver.apis.apphub.methods import HANDLERS
from mockserver.apis.apphub.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="apphub",
    documents=(("apphub", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
