"""Emulates Cloud Trace: traces of version 1, and writing spans of version 2."""

from mockserver.apis.cloudtrace.methods import HANDLERS
from mockserver.apis.cloudtrace.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="cloudtrace",
    documents=(("cloudtrace", "v1"), ("cloudtrace", "v2")),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
