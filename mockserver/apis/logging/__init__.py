"""Emulates Cloud Logging: entries and their query language, logs, buckets, views and links."""

from mockserver.apis.logging.methods import HANDLERS
from mockserver.apis.logging.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="logging",
    documents=(("logging", "v2"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = ["API"]
