"""Emulates the Admin SDK Directory API."""

from mockserver.apis.directory.methods import HANDLERS
from mockserver.apis.directory.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="directory",
    documents=(("admin", "directory_v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="legacy",
    error_names={"orgUnits": "directory.orgunits.list"},
)

__all__ = ["API"]
